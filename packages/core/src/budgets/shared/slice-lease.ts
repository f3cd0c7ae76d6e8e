import type { Platform } from '../../foundation/platform.ts';
import type { BudgetSlices } from '../../stores/store.ts';
import type { StatementLimit } from './statement-limit.ts';

/** How long the slices of this instance are its own. */
export interface SliceLease {
  isValid(): boolean;
  /** When the last renewal began that the store has taken, by the monotonic clock. */
  renewedAt(): number;
  /** Renews it now. Rejects while the store is away. */
  renew(): Promise<void>;
  /** Notes that others may have been given what this instance had. */
  lose(): void;
  /** Rises with each loss. */
  epoch(): number;
  stop(): void;
}

export interface SliceLeaseOptions {
  readonly slices: Pick<BudgetSlices, 'renew' | 'lifeMs'>;
  readonly platform: Pick<Platform, 'monotonicNow' | 'setTimer'>;
  readonly within: StatementLimit;
  /** Writes anew what this instance uses, after a loss. */
  readonly restore: () => Promise<void>;
}

/** A life ends with 60 seconds of an outage and more to spare, however long before it the last renewal was. */
const RENEWALS_A_LIFE = 15;
/** Clocks of two machines may run apart by this share of a life. */
const CLOCK_SHARE = 0.1;
const RETRY_MS = 2000;

/** Begins with the first renewal; from then on renews by itself. */
export function createSliceLease({ slices, platform, within, restore }: SliceLeaseOptions): SliceLease {
  const usableMs = slices.lifeMs * (1 - CLOCK_SHARE);
  let validUntil = -Infinity;
  let renewedAt = -Infinity;
  let epoch = 0;
  let renewing: Promise<void> | undefined;
  let cancel = (): void => undefined;
  let isStopped = false;

  const renewLater = (delayMs: number): void => {
    cancel();
    if (isStopped) return;
    cancel = platform.setTimer(() => {
      renew().catch(() => renewLater(RETRY_MS));
    }, delayMs);
  };
  const renewNow = async (): Promise<void> => {
    // What the store writes happens after this.
    const beganAt = platform.monotonicNow();
    if (!(await within(slices.renew()))) {
      lose();
      await restore();
    }
    validUntil = beganAt + usableMs;
    renewedAt = beganAt;
    renewLater(slices.lifeMs / RENEWALS_A_LIFE);
  };
  const renew = (): Promise<void> => (renewing ??= renewNow().finally(() => (renewing = undefined)));
  const lose = (): void => {
    epoch += 1;
    validUntil = -Infinity;
  };
  return {
    renewedAt: () => renewedAt,
    isValid: () => platform.monotonicNow() < validUntil,
    renew,
    lose,
    epoch: () => epoch,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
