import type { CompletionEncoder, Dialect } from '../../chat/dialect.ts';
import { parseWith } from '../../foundation/parse.ts';
import { firstValue, type HeaderMap } from '../../http/request.ts';
import { withNative } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { messagesRequestSchema } from '../../wire/messages.ts';
import { createMessageFrames } from './message-frames.ts';
import { toChatRequest } from './to-chat-request.ts';
import { toMessage } from './to-message.ts';

/** `POST /messages`: Anthropic's form of a chat call (wire.md 22.1). An upstream of that form gets it untranslated. */
export const messagesDialect: Dialect = {
  door: 'messages',
  parse: (body, headers) => ({ request: parseMessages(body, headers), encoder }),
};

const encoder: CompletionEncoder = {
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
  createFrames: createMessageFrames,
  toWhole: toMessage,
};

function parseMessages(body: unknown, headers: HeaderMap): ChatCompletionRequest {
  const checked = parseWith(messagesRequestSchema, body);
  const read = (other: unknown): ChatCompletionRequest =>
    toChatRequest(parseWith(messagesRequestSchema, other), headers);
  return withNative(toChatRequest(checked, headers), {
    form: 'messages',
    body: body as Readonly<Record<string, unknown>>,
    headers: toNativeHeaders(headers),
    read,
  });
}

/** The headers that change what the fields of a body mean: open lists, passed on as they are. */
const NATIVE_HEADERS = ['anthropic-version', 'anthropic-beta'];

function toNativeHeaders(headers: HeaderMap): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of NATIVE_HEADERS) {
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(',') : firstValue(value);
    if (text) given[name] = text;
  }
  return given;
}
