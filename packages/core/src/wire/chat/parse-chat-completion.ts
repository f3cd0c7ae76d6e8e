import { parseWith } from '../../foundation/parse-with.ts';
import { isRecord } from '../../foundation/unchecked.ts';
import { type ChatCompletionRequest, chatCompletionRequestSchema } from './chat-completion.ts';

type Schema = typeof chatCompletionRequestSchema;

/** Limit of compiled schemas. Clients send few different sets of fields; beyond the limit the whole schema is used. */
const MAX_SCHEMAS = 200;
/** More fields than exist; a request with more of them is checked against the whole schema. */
const MAX_FIELDS = 100;
const schemasByFields = new Map<string, Schema>();

/**
 * Checks a chat request; throws `invalid_request` that lists every issue with its path. The schema is narrowed to the
 * fields that are present, because the absent ones cost more than the check of the others (docs/decisions/0006).
 */
export function parseChatCompletion(value: unknown): ChatCompletionRequest {
  return parseWith(isRecord(value) ? schemaFor(value) : chatCompletionRequestSchema, value);
}

function schemaFor(value: object): Schema {
  const sent = Object.keys(value);
  if (sent.length > MAX_FIELDS) return chatCompletionRequestSchema;
  const key = sent.join();
  const known = schemasByFields.get(key);
  if (known !== undefined) return known;
  if (schemasByFields.size >= MAX_SCHEMAS) return chatCompletionRequestSchema;
  const fields = sent.filter((field) => Object.hasOwn(chatCompletionRequestSchema.shape, field));
  // Required fields remain, so that their absence is an issue.
  const mask = Object.fromEntries(['messages', ...fields].map((field) => [field, true]));
  const narrowed = chatCompletionRequestSchema.pick(mask as { messages: true }) as unknown as Schema;
  schemasByFields.set(key, narrowed);
  return narrowed;
}
