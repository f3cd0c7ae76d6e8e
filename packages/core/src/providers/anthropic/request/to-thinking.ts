import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import {
  budgetOfEffort,
  effortOfBudget,
  MIN_REASONING_TOKENS,
  type RealEffort,
  toReasoningBudget,
} from '../../kit/to-upstream.ts';
import type { ModelTraits } from '../models.ts';

/** Reasoning that the request enables. */
type AskedReasoning =
  | { readonly kind: 'effort'; readonly effort: RealEffort }
  | { readonly kind: 'budget'; readonly tokens: number };

/** The caller's reasoning options, from any of the fields for them. */
export type ReasoningWish =
  | { readonly kind: 'unsaid' }
  | { readonly kind: 'off'; readonly field: string }
  | AskedReasoning;

/** The wish, with the least effort for none where the model cannot do without. */
export function toPossibleWish(wish: ReasoningWish, { thinkingOff }: ModelTraits): ReasoningWish {
  return wish.kind === 'off' && thinkingOff === 'never' ? { kind: 'effort', effort: 'minimal' } : wish;
}

/** Reads the wish; a budget is brought to what the wire accepts. */
export function readReasoningWish({ reasoning, reasoning_effort }: ChatCompletionRequest): ReasoningWish {
  if (reasoning?.enabled === false) return { kind: 'off', field: 'reasoning.enabled' };
  if (reasoning?.effort === 'none') return { kind: 'off', field: 'reasoning.effort' };
  const budget = reasoning?.max_tokens ?? 0;
  if (budget > 0) return { kind: 'budget', tokens: toReasoningBudget(budget) };
  const effort = reasoning?.effort ?? reasoning_effort;
  if (effort === 'none') return { kind: 'off', field: 'reasoning_effort' };
  if (effort) return { kind: 'effort', effort };
  return reasoning?.enabled === true ? { kind: 'effort', effort: 'medium' } : { kind: 'unsaid' };
}

export interface ThinkingQuestion {
  readonly wish: ReasoningWish;
  readonly traits: ModelTraits;
  readonly maxTokens: number;
  /** A tool must be called, which the wire does not allow beside thinking. */
  readonly isToolForced: boolean;
  /** The turn under way began without thinking, so thinking by budget cannot start within it. */
  readonly isTurnUnthought: boolean;
  /** The caller requested a completion without the reasoning. */
  readonly isHidden: boolean;
}

export interface Thinking {
  /** The wire's `thinking`; undefined where it is omitted. */
  readonly thinking?: Readonly<Record<string, unknown>> | undefined;
  /** One of the model's efforts. */
  readonly effort?: string | undefined;
}

/**
 * Decides the reasoning parameters. Throws `invalid_request` when the output limit leaves no room for the budget, or
 * when reasoning cannot be turned off as requested.
 */
export function toThinking({ wish, traits, ...facts }: ThinkingQuestion): Thinking {
  const off: Thinking = traits.thinkingOff === 'on-request' ? { thinking: { type: 'disabled' } } : {};
  if (wish.kind === 'off') {
    if (traits.thinkingOff !== 'never') return off;
    throw refuseField(wish.field, 'reasoning cannot be turned off on this model; ask for the effort "low" instead');
  }
  if (traits.thinking === 'none') return {};
  const isEitherByBudget = traits.thinking === 'either' && wish.kind === 'budget';
  if (traits.thinking === 'budget' || isEitherByBudget) {
    const isImpossible = facts.isToolForced || facts.isTurnUnthought;
    return wish.kind === 'unsaid' || isImpossible ? {} : byBudget(wish, facts.maxTokens);
  }
  const effort = wish.kind === 'unsaid' ? undefined : toKnownEffort(effortOf(wish, facts.maxTokens), traits.efforts);
  // Reasoning by default needs to be disabled; a model that always reasons refuses the forced tool itself.
  if (facts.isToolForced && traits.thinkingOff !== 'never') return { ...off, effort };
  if (wish.kind === 'unsaid' && traits.thinkingOff === 'by-default') return {};
  // The text is omitted by default since 4.7; 4.6 does not support the value.
  const display = traits.thinking === 'adaptive' && !facts.isHidden ? { display: 'summarized' } : {};
  return { thinking: { type: 'adaptive', ...display }, effort };
}

function byBudget(wish: AskedReasoning, maxTokens: number): Thinking {
  const budget = wish.kind === 'budget' ? wish.tokens : budgetOfEffort(wish.effort, maxTokens);
  if (budget < maxTokens) return { thinking: { type: 'enabled', budget_tokens: budget } };
  throw wish.kind === 'budget'
    ? refuseField('reasoning.max_tokens', `must be below max_tokens; ${budget} leaves nothing of ${maxTokens}`)
    : refuseField('max_tokens', `must be above ${MIN_REASONING_TOKENS} for reasoning on this model`);
}

const effortOf = (wish: AskedReasoning, maxTokens: number): RealEffort =>
  wish.kind === 'effort' ? wish.effort : effortOfBudget(wish.tokens, maxTokens);

/** The nearest supported effort: the lowest for `minimal`, the next lower one for an unsupported effort. */
export function toKnownEffort(effort: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || known.includes(effort)) return known.find((one) => one === effort);
  return effort === 'minimal' ? known[0] : 'high';
}
