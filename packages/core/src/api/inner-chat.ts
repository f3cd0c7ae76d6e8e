import { type ChatParts, completeChat, type InnerCall } from '../chat/complete-chat.ts';
import type { Format } from '../chat/format.ts';
import { chatCompletionsFormat } from '../formats/chat-completions/chat-completions-format.ts';
import { completionsFormat } from '../formats/completions/completions-format.ts';
import { geminiFormat } from '../formats/gemini/gemini-format.ts';
import { messagesFormat } from '../formats/messages/messages-format.ts';
import { ollamaChatFormat, ollamaGenerateFormat } from '../formats/ollama/ollama-format.ts';
import { responsesFormat } from '../formats/responses/responses-format.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GatewayRequest, Principal } from '../http/request.ts';
import type { RerunRequest } from '../reruns/rerun-request.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { FormatName } from '../wire/routing-rules.ts';

/** The formats of chats, by the names that stored requests have. */
const FORMATS: Readonly<Record<FormatName, Format>> = {
  chat: chatCompletionsFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  completions: completionsFormat,
  'ollama-chat': ollamaChatFormat,
  'ollama-generate': ollamaGenerateFormat,
  gemini: geminiFormat,
};

/** The format of a stored request; undefined for one that is no chat. */
export const findChatFormat = (name: string): Format | undefined =>
  Object.hasOwn(FORMATS, name) ? FORMATS[name as FormatName] : undefined;

/** Reads a request in its format. Throws `invalid_request`. */
export const parseInnerChat = ({ format, body, headers }: RerunRequest): ChatCompletionRequest =>
  FORMATS[format].parse(structuredClone(body), headers).request;

/**
 * Makes a chat call of the gateway's own: on the way of all chats, so that budgets, guardrails and records hold for its
 * principal. Resolves when it is recorded. Rejects with what has refused or ended it.
 */
export async function makeInnerChat(
  { format, body, headers }: RerunRequest,
  principal: Principal,
  { session, ...inner }: InnerCall & { readonly session: string },
  parts: ChatParts,
): Promise<void> {
  const request: GatewayRequest = {
    method: 'POST',
    path: '',
    query: '',
    headers: { ...headers, 'x-session-id': session, 'user-agent': 'model-gateway-rerun' },
    // A copy, because the reader of a body drops members of it.
    json: structuredClone(body),
    readBody: refuseBody,
    openBody: refuseBody,
    signal: new AbortController().signal,
    baseUrl: '',
    principal,
  };
  await completeChat(FORMATS[format], { request, parts, params: {}, responseHeaders: {}, principal }, inner);
}

function refuseBody(): never {
  throw new GatewayError('internal', 'A call of the gateway itself has no body to read');
}
