import type { ChatCompletionRequest, ReasoningEffort } from '../../schemas/chat-completion.ts';
import { refuseField } from '../../schemas/refuse-field.ts';
import type { GeminiThinking, ThinkingLevel } from './read-gemini-traits.ts';

type Effort = Exclude<ReasoningEffort, 'none'>;

/** Shares of the output limit that efforts stand for (api reference 6.6), least first. */
const SHARE_OF_EFFORT: Readonly<Record<Effort, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};
const MIN_BUDGET = 1024;
const MAX_BUDGET = 128_000;
/** The output limit of the models that think, for shares of it when the caller sets none. */
const DEFAULT_MAX_TOKENS = 65_536;

/**
 * Decides what is said about thinking; undefined when nothing is. Thoughts are asked for unless the caller hides them,
 * because they are returned by default wherever a model produces them (api reference 6.6). Throws `invalid_request`
 * when the output limit leaves no room for the budget, or thinking is to be off that cannot be.
 */
export function toThinkingConfig(
  request: ChatCompletionRequest,
  thinking: GeminiThinking,
): Record<string, unknown> | undefined {
  const { reasoning } = request;
  if (thinking.kind === 'none') return undefined;
  const effort = reasoning?.effort ?? request.reasoning_effort ?? (reasoning?.enabled === true ? 'medium' : undefined);
  const budget = reasoning?.max_tokens ?? 0;
  if (reasoning?.enabled === false || effort === 'none') return turnOff(thinking);
  const isHidden = reasoning?.exclude === true || request.include_reasoning === false;
  const shown = isHidden ? undefined : { includeThoughts: true };
  if (budget <= 0 && effort === undefined) return shown;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  return thinking.kind === 'budget'
    ? { ...shown, thinkingBudget: clamp(toBudget(budget, effort, maxTokens), thinking) }
    : { ...shown, thinkingLevel: toLevel(budget > 0 ? effortOf(budget, maxTokens) : effort, thinking.levels) };
}

function turnOff(thinking: GeminiThinking): Record<string, unknown> {
  if (thinking.kind === 'budget' && thinking.canBeOff) return { thinkingBudget: 0 };
  throw refuseField('reasoning.effort', 'reasoning cannot be turned off on this model; ask for "minimal" instead');
}

function toBudget(budget: number, effort: Effort | undefined, maxTokens: number | undefined): number {
  if (budget > 0) {
    if (maxTokens === undefined || budget < maxTokens) return budget;
    throw refuseField('reasoning.max_tokens', `must be below max_tokens; ${budget} leaves nothing of ${maxTokens}`);
  }
  const share = Math.floor((maxTokens ?? DEFAULT_MAX_TOKENS) * SHARE_OF_EFFORT[effort ?? 'medium']);
  const tokens = Math.max(Math.min(share, MAX_BUDGET), MIN_BUDGET);
  if (maxTokens === undefined || tokens < maxTokens) return tokens;
  throw refuseField('max_tokens', `must be above ${MIN_BUDGET} for reasoning on this model`);
}

const clamp = (tokens: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.max(min, Math.min(max, tokens));

/** The least effort whose share covers the budget. */
function effortOf(budget: number, maxTokens: number | undefined): Effort {
  const share = budget / (maxTokens ?? DEFAULT_MAX_TOKENS);
  return (['minimal', 'low', 'medium'] as const).find((effort) => share <= SHARE_OF_EFFORT[effort]) ?? 'high';
}

/** The nearest level that the model knows; each knows LOW and HIGH. */
function toLevel(effort: Effort | undefined, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const asked = effort === 'xhigh' || effort === 'max' ? 'HIGH' : (effort?.toUpperCase() as ThinkingLevel);
  if (levels.includes(asked)) return asked;
  return asked === 'MINIMAL' ? 'LOW' : 'HIGH';
}
