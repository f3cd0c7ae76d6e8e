import type { ReasoningEffort } from '../../wire/chat-request.ts';

/** An effort that is one. */
export type RealEffort = Exclude<ReasoningEffort, 'none'>;

/** Shares of the output limit for each effort (wire.md 6.6), lowest first. */
const SHARE_OF_EFFORT: Readonly<Record<RealEffort, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};
/** The smallest reasoning budget of a model. */
export const MIN_REASONING_TOKENS = 1024;
const MAX_REASONING_TOKENS = 128_000;

/** Brings tokens to reason with to a whole number within the limits. */
export const toReasoningBudget = (tokens: number): number =>
  Math.max(Math.min(Math.floor(tokens), MAX_REASONING_TOKENS), MIN_REASONING_TOKENS);

/** The reasoning tokens of an effort, for a limit on the whole completion. */
export const budgetOfEffort = (effort: RealEffort, maxTokens: number): number =>
  toReasoningBudget(maxTokens * SHARE_OF_EFFORT[effort]);

/** The lowest effort whose share covers a budget, for a limit on the whole completion; `xhigh` where none does. */
export function effortOfBudget(tokens: number, maxTokens: number): RealEffort {
  const share = tokens / maxTokens;
  return (['minimal', 'low', 'medium', 'high'] as const).find((effort) => share <= SHARE_OF_EFFORT[effort]) ?? 'xhigh';
}
