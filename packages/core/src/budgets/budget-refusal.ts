import { formatUsd, toUsd } from '../catalog/nano-usd.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Budget } from './budget.ts';

/** Why a call does not fit into a budget. */
export interface Shortage {
  readonly spentNanoUsd: number;
  readonly heldNanoUsd: number;
  readonly worstNanoUsd: number;
  readonly isUsedUp: boolean;
}

/** The refusal of a call that does not fit into a budget, with the figures. */
export function toRefusal(
  budget: Budget,
  { spentNanoUsd, heldNanoUsd, worstNanoUsd, isUsedUp }: Shortage,
): GatewayError {
  const spent = `${formatUsd(spentNanoUsd)} of ${formatUsd(budget.limitNanoUsd)} is spent`;
  const until = budget.resetsAt === null ? '' : `; it counts anew from ${budget.resetsAt}`;
  const message = isUsedUp
    ? `${budget.refusal}: ${spent}${until}`
    : `${budget.refusal}: the call may cost up to ${formatUsd(worstNanoUsd)}, ${spent} and ` +
      `${formatUsd(heldNanoUsd)} is held for calls under way; a lower max_tokens costs less${until}`;
  return new GatewayError(budget.code, message, {
    metadata: {
      limit_usd: toUsd(budget.limitNanoUsd),
      spent_usd: toUsd(spentNanoUsd),
      reserved_usd: toUsd(heldNanoUsd),
      required_usd: toUsd(worstNanoUsd),
      ...(budget.resetsAt !== null && { resets_at: budget.resetsAt }),
    },
  });
}
