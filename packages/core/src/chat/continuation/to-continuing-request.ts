import type { ChatCompletionRequest, ChatMessage } from '../../wire/chat-request.ts';

export interface ContinuingRequest {
  readonly request: ChatCompletionRequest;
  /** The text that the model has to continue; empty where none has come. */
  readonly prefill: string;
}

/**
 * The request for the rest of a completion of which this text has come. Null where there can be no rest: the output
 * limit is used up, or the request ends with a beginning of its own that is no text.
 */
export function toContinuingRequest(
  request: ChatCompletionRequest,
  text: string,
  usedTokens: number,
): ContinuingRequest | null {
  const said = text.trimEnd();
  if (said === '') return { request, prefill: '' };
  const messages = withText(request.messages, said);
  const limits = lowerLimits(request, usedTokens);
  if (messages === null || limits === null) return null;
  const last = messages.at(-1)?.content;
  const rest = { ...withoutReasoning(request), ...limits, messages };
  return { request: rest, prefill: typeof last === 'string' ? last : said };
}

/** A beginning that the caller gave itself is continued by the text, in one message. */
function withText(messages: readonly ChatMessage[], text: string): ChatMessage[] | null {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', content: text }];
  if (typeof last.content !== 'string' || last.tool_calls?.length) return null;
  return [...messages.slice(0, -1), { ...last, content: last.content + text }];
}

type Limits = Pick<ChatCompletionRequest, 'max_tokens' | 'max_completion_tokens'>;

function lowerLimits(request: ChatCompletionRequest, usedTokens: number): Limits | null {
  const limits: Limits = {};
  for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
    const limit = request[field];
    if (limit == null) continue;
    if (limit <= usedTokens) return null;
    limits[field] = limit - usedTokens;
  }
  return limits;
}

/** What has been reasoned is lost to another endpoint, and reasoning anew would not lead to the same text. */
function withoutReasoning(request: ChatCompletionRequest): ChatCompletionRequest {
  const { reasoning, reasoning_effort: effort, ...others } = request;
  const isOff = effort === 'none' || reasoning?.effort === 'none' || reasoning?.enabled === false;
  return isOff ? request : others;
}
