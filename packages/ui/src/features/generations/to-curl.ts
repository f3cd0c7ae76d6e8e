import type { ChatCompletionRequest, Generation, StoredRequestReport } from '@model-gateway/core/wire';

import { isObject } from '../../api/is-object.ts';
import type { GenerationContent } from '../../api/types.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { messagesOf } from './content/messages-of.ts';

/** Linux takes no more than 128 KB of one argument; an attached image is larger than that. */
const MAX_ARGUMENT = 100_000;

interface StoredCall extends Pick<Generation, 'model' | 'streamed'> {
  readonly content: GenerationContent;
  /** Null where only the prompt is stored. */
  readonly request: Pick<StoredRequestReport, 'format' | 'body'> | null;
}

/** The paths of chats below `/api`, by the names of their formats. */
const PATHS: Readonly<Record<string, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  completions: '/v1/completions',
  'ollama-chat': '/chat',
  'ollama-generate': '/generate',
};

/** Clients of Ollama stream unless they say otherwise. */
const isStreamed = (path: string, stream: unknown): boolean =>
  path.startsWith('/v1/') ? stream === true : stream !== false;

/** A command that sends the stored request again, or else its prompt, with the key in a variable. */
export function toCurl({ request, ...call }: StoredCall): string {
  const path = request === null ? undefined : PATHS[request.format];
  if (request !== null && path !== undefined && isObject(request.body)) return toCommand(path, request.body);
  if (request?.format === 'gemini' && isObject(request.body)) return toGeminiCommand(request.body);
  return toChatCurl({
    model: call.model,
    messages: messagesOf(call.content),
    ...(call.streamed === true && { stream: true }),
  });
}

/** A command that sends a chat request, with the key in a variable. */
export const toChatCurl = (body: Pick<ChatCompletionRequest, 'stream'> & Readonly<Record<string, unknown>>): string =>
  toCommand('/v1/chat/completions', body);

/** In this form the address has the model and the stream. */
function toGeminiCommand({ model, stream, ...body }: Readonly<Record<string, unknown>>): string {
  const name = String(model).split('/').map(encodeURIComponent).join('/');
  const method = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const address = `${toBaseUrl().replace(/\/api\/v1$/, '')}/v1beta/models/${name}:${method}`;
  return toCommandTo(`'${address}'`, body, stream === true);
}

function toCommand(path: string, body: Readonly<Record<string, unknown>>): string {
  return toCommandTo(toBaseUrl().replace(/\/v1$/, '') + path, body, isStreamed(path, body['stream']));
}

function toCommandTo(address: string, body: Readonly<Record<string, unknown>>, streams: boolean): string {
  const text = JSON.stringify(body);
  const start = `curl -sS${streams ? 'N' : ''} ${address} \\\n  -H "authorization: Bearer $GATEWAY_API_KEY" \\\n  -H 'content-type: application/json' \\\n`;
  // JSON has its line ends escaped, so that none of its lines can be the closing one.
  if (text.length > MAX_ARGUMENT) return `${start}  --data-binary @- <<'JSON'\n${text}\nJSON\n`;
  return `${start}  -d '${text.replaceAll("'", "'\\''")}'\n`;
}
