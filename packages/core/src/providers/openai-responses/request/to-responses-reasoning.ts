import { isReasoningSupported } from '../../../wire/chat-parameters.ts';
import type { ChatCompletionRequest, ReasoningEffort } from '../../../wire/chat-request.ts';
import { effortOfBudget } from '../../kit/reasoning-effort.ts';
import type { ChatCall } from '../../provider.ts';

/** Models that reason unasked. Others refuse to be asked for encrypted reasoning. */
const REASONS = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|gpt-oss|codex)/;

/** The field that asks for reasoning; undefined where the caller has said nothing of it. */
export function toResponsesReasoning(call: ChatCall): Record<string, unknown> | undefined {
  const { request } = call;
  if (isReasoningSupported(call) === false) return undefined;
  const effort = toEffort(request);
  const summary = toSummary(request, effort);
  if (effort === undefined && summary === undefined) return undefined;
  return { ...(effort && { effort }), ...(summary && { summary }) };
}

/** Whether reasoning may come back that has to be kept by the caller, as upstream keeps none. */
export function mayReason(call: ChatCall): boolean {
  const isSupported = isReasoningSupported(call);
  if (isSupported !== null) return isSupported;
  const { reasoning, reasoning_effort: effort } = call.request;
  const asked = reasoning?.effort ?? effort;
  if (reasoning?.enabled === true || reasoning?.max_tokens || (asked && asked !== 'none')) return true;
  return REASONS.test(call.providerModel);
}

function toEffort({ reasoning, reasoning_effort, ...request }: ChatCompletionRequest): ReasoningEffort | undefined {
  const effort = reasoning?.effort ?? reasoning_effort ?? undefined;
  if (effort === 'none' || reasoning?.enabled === false) return 'none';
  // The highest that this wire has.
  if (effort !== undefined) return effort === 'max' ? 'xhigh' : effort;
  const budget = reasoning?.max_tokens ?? undefined;
  if (budget === undefined) return undefined;
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return limit === undefined ? 'medium' : effortOfBudget(budget, limit);
}

/** Reasoning that a caller wants to see comes as a summary alone. OpenAI's own field for the effort asks for none. */
function toSummary({ reasoning }: ChatCompletionRequest, effort: ReasoningEffort | undefined): string | undefined {
  if (!reasoning || effort === 'none') return undefined;
  if (reasoning.summary) return reasoning.summary;
  const isAsked = Boolean(reasoning.effort) || Boolean(reasoning.max_tokens) || reasoning.enabled === true;
  return isAsked && reasoning.exclude !== true ? 'auto' : undefined;
}
