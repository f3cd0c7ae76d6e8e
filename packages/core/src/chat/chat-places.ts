import { annotation, audioFormat, content, image, reasoningDetail, result, toolName } from '../calls/message-places.ts';
import { schema } from '../calls/schema-texts.ts';
import {
  argumentsText,
  checked,
  chosen,
  fields,
  id,
  media,
  name,
  part,
  type Place,
  record,
  scalar,
  text,
  words,
} from '../calls/text-places.ts';
import type { TextField } from '../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';

/** Tools that the gateway or OpenAI runs, by the words that stand in place of a function. */
const serverToolType = words(
  /(?:(?:openrouter|service):)?(?:advisor|apply_patch|bash|datetime|fusion|image_generation|search_models|shell|subagent)/,
  /(?:(?:openrouter|service):)?(?:tool_search|web_fetch|web_search|experimental__search_models)/,
  /web_search_preview(?:_2025_03_11)?|web_search_2025_08_26/,
);

const messageFields = {
  role: checked,
  content,
  // Models read who speaks.
  name: text,
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_details: reasoningDetail,
  tool_calls: fields({ id, type: checked, function: fields({ name: toolName, arguments: argumentsText }) }),
  tool_call_id: id,
  images: image,
  audio: fields({ id, data: media, transcript: text, expires_at: scalar }),
  annotations: annotation,
} as const satisfies Record<string, Place>;

const message = fields(messageFields);
const toolMessage = fields({ ...messageFields, content: result });

/** A message, by its role. */
export const placeOfMessage = (role: string): Place => (role === 'tool' ? toolMessage : message);

const functionTool = fields({
  type: checked,
  function: fields({ name: toolName, description: text, parameters: schema, strict: checked }),
  cache_control: checked,
});
const serverTool = fields({ type: serverToolType });
const isFunction = (value: unknown): boolean => (value as { type?: unknown } | null)?.type === 'function';

const plugin = fields({
  id: words(
    /web|web-fetch|file-parser|response-healing|moderation|context-compression|auto(?:-beta)?-router|pareto-router/,
  ),
  enabled: checked,
});

/** Keys are tokens of the model. */
const logitBias: Place = (value, visit) => {
  for (const token of Object.keys(value as object)) if (!/^\d+$/.test(token)) return record(value, visit);
  return value;
};

/**
 * What stands in each field of a chat request that has texts, but for its messages, whose role matters. A model reads
 * tools with their names, schemas, formats and predictions. It does not read `user`, `session_id`, `prompt_cache_key`,
 * `metadata` and `trace`, which filters see because the gateway stores them or sends them on; nor stop sequences,
 * which upstream compares with what it says.
 */
export const CHAT_PLACES: Readonly<Record<Exclude<TextField, 'messages'>, Place>> = {
  stop: record,
  logit_bias: logitBias,
  tools: chosen((tool) => (isFunction(tool) ? functionTool : serverTool)),
  tool_choice: (choice, visit) =>
    typeof choice === 'string' ? choice : (isFunction(choice) ? chosenFunction : chosenTool)(choice, visit),
  response_format: fields({
    type: checked,
    json_schema: fields({ name, description: text, schema, strict: checked }),
    grammar: text,
  }),
  prediction: fields({ type: checked, content: fields({ type: checked, text: part }) }),
  audio: fields({
    voice: chosen((voice) => (typeof voice === 'string' ? text : fields({ id }))),
    format: audioFormat,
  }),
  image_config: record,
  plugins: plugin,
  prompt_cache_key: text,
  prompt_cache_options: fields({ mode: checked, ttl: words(/\d{1,3}[mh]/, 'in_memory') }),
  session_id: text,
  user: text,
  metadata: record,
  trace: record,
} satisfies Partial<Record<keyof ChatCompletionRequest, Place>>;

const chosenFunction = fields({ type: checked, function: fields({ name: toolName }) });
const chosenTool = fields({ type: serverToolType, name: toolName });
