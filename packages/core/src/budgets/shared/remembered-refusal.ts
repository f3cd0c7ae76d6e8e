import type { GatewayError } from '../../foundation/errors.ts';
import { toRefusal } from '../budget-refusal.ts';
import type { Budget } from '../budget.ts';
import type { Granted } from './slice-statements.ts';
import type { Slice } from './slice.ts';

/** A refusal of the store holds for other calls this long. */
const REFUSAL_MS = 250;

export function rememberRefusal(slice: Slice, limitNanoUsd: number, granted: Granted, now: number): void {
  const { availableNanoUsd, spentNanoUsd, heldNanoUsd } = granted;
  slice.refusal = { limitNanoUsd, availableNanoUsd, spentNanoUsd, heldNanoUsd, until: now + REFUSAL_MS };
}

/** The refusal of a call by what the store said a moment ago; undefined where that does not tell. */
export function findRefusal(slice: Slice, budget: Budget, needNanoUsd: number, now: number): GatewayError | undefined {
  const { refusal } = slice;
  if (refusal === undefined || refusal.limitNanoUsd !== budget.limitNanoUsd || now >= refusal.until) return undefined;
  const { spentNanoUsd, heldNanoUsd, availableNanoUsd } = refusal;
  const isUsedUp = spentNanoUsd >= budget.limitNanoUsd;
  if (!isUsedUp && (needNanoUsd === 0 || needNanoUsd <= availableNanoUsd)) return undefined;
  return toRefusal(budget, { spentNanoUsd, heldNanoUsd, worstNanoUsd: needNanoUsd, isUsedUp });
}
