import { GatewayError } from '../foundation/errors.ts';
import { formatUsd } from '../foundation/money.ts';

/**
 * What the calls of one rerun may cost together. A call is made only when its worst case fits beside all that is spent
 * and held. Billionths of a dollar.
 */
export interface RerunCap {
  /** Holds the worst case of a call. Throws `payment_required` where it does not fit. */
  hold(worstNanoUsd: number): void;
  /** Puts the cost of a call in the place of its worst case. */
  settle(worstNanoUsd: number, costNanoUsd: number): void;
  spentNanoUsd(): number;
  /**
   * Resolves when the next call has been settled, which may have cost less than what is held for it. Null where none is
   * under way. Ask for it at once when a call does not fit: later the last one may have been settled.
   */
  nextSettled(): Promise<void> | null;
}

export function createRerunCap(maxNanoUsd: number, spentBefore: number): RerunCap {
  let spent = spentBefore;
  let held = 0;
  let holds = 0;
  let waiting: (() => void)[] = [];
  return {
    hold(worst) {
      if (spent + held + worst > maxNanoUsd) throw toCapRefusal({ worst, spent, held, max: maxNanoUsd });
      held += worst;
      holds += 1;
    },
    settle(worst, cost) {
      held -= worst;
      holds -= 1;
      spent += cost;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    spentNanoUsd: () => spent,
    nextSettled: () => (holds === 0 ? null : new Promise((resolve) => waiting.push(resolve))),
  };
}

interface CapFigures {
  readonly worst: number;
  readonly spent: number;
  readonly held: number;
  readonly max: number;
}

function toCapRefusal({ worst, spent, held, max }: CapFigures): GatewayError {
  const message =
    `The next call may cost up to ${formatUsd(worst)}; ${formatUsd(spent)} of max_cost_usd ${formatUsd(max)} is spent` +
    `${held === 0 ? '' : ` and ${formatUsd(held)} is held for calls under way`}. ` +
    'Resume with a higher max_cost_usd, or set a lower max_tokens in the parameters of the target';
  return new GatewayError('payment_required', message);
}
