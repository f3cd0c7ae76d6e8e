import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { budgetOfEffort, effortOfBudget, MIN_REASONING_TOKENS, type RealEffort } from '../../kit/to-upstream.ts';
import type { GeminiThinking, ThinkingLevel } from '../models.ts';

/** The output limit of the models that think, for shares of it when the caller sets none. */
const DEFAULT_MAX_TOKENS = 65_536;

/**
 * Undefined without parameters. Thoughts are requested unless the caller hides them, because they are returned by
 * default (wire.md 6.6). Throws `invalid_request` when the output limit leaves no room for the budget, or when thinking
 * cannot be turned off as requested; with `isOfFamily` it is reduced to the minimum instead.
 */
export function toThinkingConfig(
  request: ChatCompletionRequest,
  thinking: GeminiThinking,
  isOfFamily = false,
): Record<string, unknown> | undefined {
  const { reasoning } = request;
  if (thinking.kind === 'none') return undefined;
  const wish = reasoning?.effort ?? request.reasoning_effort ?? (reasoning?.enabled === true ? 'medium' : undefined);
  const isOff = reasoning?.enabled === false || wish === 'none';
  if (isOff && thinking.kind === 'budget' && thinking.canBeOff) return { thinkingBudget: 0 };
  if (isOff && !isOfFamily) {
    throw refuseField('reasoning.effort', 'reasoning cannot be turned off on this model; ask for "minimal" instead');
  }
  const effort = isOff ? 'minimal' : wish;
  const budget = isOff ? 0 : (reasoning?.max_tokens ?? 0);
  const isHidden = reasoning?.exclude === true || request.include_reasoning === false;
  const shown = isHidden ? undefined : { includeThoughts: true };
  if (budget <= 0 && effort === undefined) return shown;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const asked = budget > 0 ? effortOfBudget(budget, maxTokens ?? DEFAULT_MAX_TOKENS) : effort;
  return thinking.kind === 'budget'
    ? { ...shown, thinkingBudget: clamp(toBudget(budget, effort, maxTokens), thinking) }
    : { ...shown, thinkingLevel: toLevel(asked, thinking.levels) };
}

function toBudget(budget: number, effort: RealEffort | undefined, maxTokens: number | undefined): number {
  if (budget > 0) {
    if (maxTokens === undefined || budget < maxTokens) return budget;
    throw refuseField('reasoning.max_tokens', `must be below max_tokens; ${budget} leaves nothing of ${maxTokens}`);
  }
  const tokens = budgetOfEffort(effort ?? 'medium', maxTokens ?? DEFAULT_MAX_TOKENS);
  if (maxTokens === undefined || tokens < maxTokens) return tokens;
  throw refuseField('max_tokens', `must be above ${MIN_REASONING_TOKENS} for reasoning on this model`);
}

const clamp = (tokens: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.max(min, Math.min(max, tokens));

/** The nearest level that the model supports; each supports LOW and HIGH. */
function toLevel(effort: RealEffort | undefined, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const asked = effort === 'xhigh' || effort === 'max' ? 'HIGH' : (effort?.toUpperCase() as ThinkingLevel);
  if (levels.includes(asked)) return asked;
  return asked === 'MINIMAL' ? 'LOW' : 'HIGH';
}
