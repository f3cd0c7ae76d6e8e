import { isRecord, type Unchecked } from '../../../foundation/parse.ts';
import type { NativeRequest } from '../../../wire/chat-chunk.ts';
import type { ChatCall } from '../../provider.ts';
import { readModelTraits } from '../models.ts';
import { toMaxTokens } from './to-anthropic-request.ts';

/** Fields of the gateway in this form, which no upstream knows, and those that are set for the upstream below. */
const OWN_FIELDS: readonly string[] = [
  ['model', 'stream', 'max_tokens', 'models', 'fallbacks', 'provider', 'plugins', 'route', 'preset', 'transforms'],
  ['debug', 'trace', 'user', 'session_id', 'stop_server_tools_when'],
].flat();

/** The body as it came in, in the order of its fields, for the upstream's own model. */
export function toNativeBody(call: ChatCall, { body }: NativeRequest): Record<string, unknown> {
  const maxTokens = toMaxTokens(call, readModelTraits(call.providerModel), { kind: 'unsaid' });
  const sent: Record<string, unknown> = { model: call.providerModel, max_tokens: maxTokens };
  for (const [name, value] of Object.entries(body)) if (!OWN_FIELDS.includes(name)) sent[name] = value;
  sent['messages'] = withoutForeignReasoning(body['messages']);
  if (call.stream) sent['stream'] = true;
  return sent;
}

/** The list itself where no block of it is reasoning of another provider's, whose signature would be refused. */
function withoutForeignReasoning(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasForeignReasoning)) return messages;
  return messages.map((message: unknown) => {
    if (!hasForeignReasoning(message)) return message;
    return { ...message, content: message.content.filter((block) => !isForeign(block)) };
  });
}

const hasForeignReasoning = (message: unknown): message is { content: unknown[] } =>
  isRecord(message) && Array.isArray(message['content']) && message['content'].some(isForeign);

const isForeign = (block: unknown): boolean => isRecord(block) && block['type'] === 'thinking' && !isSigned(block);

/** A signature of this wire is base64; the gateway's own, of other providers' reasoning, begin with a word and a colon. */
const isSigned = ({ signature }: Unchecked): boolean =>
  typeof signature === 'string' && signature !== '' && !signature.includes(':');

/** The headers that go with a body: the caller's version, and the betas of both the caller and the configuration. */
export function toNativeHeaders(
  { headers }: NativeRequest,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const betas = [configured['anthropic-beta'], headers['anthropic-beta']].filter((list) => list !== undefined);
  return { ...headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
}
