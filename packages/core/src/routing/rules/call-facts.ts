import type { ModelCall } from '../../calls/model-call.ts';
import { firstValue, type HeaderMap } from '../../http/request.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { Door } from '../../wire/routing-rules.ts';

export type ChatModelCall = ModelCall<ChatCompletionRequest>;

/** How a call came in. */
export interface CallOrigin {
  readonly door: Door;
  readonly headers: HeaderMap;
}

/** The first model that a request names; null for none. */
export const askedModel = ({ model, models }: ChatCompletionRequest): string | null => model || models?.[0] || null;

/** Words of the names of small models: `claude-haiku-4-5`, `gpt-5-mini`, `gemini-2.5-flash-lite`, and not `gemini`. */
const SMALL_MODEL = /(?:^|[-/.])(?:haiku|nano|mini|lite|small)(?:$|[-.:@[])/i;

/** Agents whose small tasks, as titles of conversations, have neither tools nor room for much text. */
const AGENT = /claude-(?:cli|code)|codex|opencode/i;
const MAX_TITLE_TOKENS = 1024;

/**
 * Whether a call is a small task beside the work of an agent: the agent says so, asks for a small model, or asks for a
 * short text without tools.
 */
export function isBackground({ request, labels }: ChatModelCall, { headers }: CallOrigin): boolean {
  const hint = firstValue(headers['x-claude-code-request-class']);
  if (hint !== undefined && /background/i.test(hint)) return true;
  const model = askedModel(request);
  if (model !== null && SMALL_MODEL.test(model)) return true;
  const most = request.max_completion_tokens ?? request.max_tokens;
  const isShort = most != null && most <= MAX_TITLE_TOKENS && !request.tools?.length;
  return isShort && AGENT.test(labels.userAgent ?? '');
}

/** Whether reasoning is asked for, with whatever effort. */
export function isThinking({ reasoning, reasoning_effort: effort }: ChatCompletionRequest): boolean {
  if (reasoning == null) return effort != null && effort !== 'none';
  const { enabled, effort: own, max_tokens: budget } = reasoning;
  if (enabled === false || own === 'none') return false;
  return enabled === true || own != null || (budget ?? 0) > 0;
}

/** Headers by which an agent says that another one has started it. */
const SUBAGENT_HEADERS = ['x-claude-code-agent-id', 'x-claude-code-parent-agent-id', 'x-openai-subagent'];

/** Whether an agent makes the call that another agent has started. */
export const isOfSubagent = ({ headers }: CallOrigin): boolean =>
  SUBAGENT_HEADERS.some((name) => Boolean(firstValue(headers[name])));

export const hasImages = ({ request, kind }: ChatModelCall): boolean =>
  kind.needsOf(request).inputModalities.includes('image');
