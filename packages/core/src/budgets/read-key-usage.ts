import { toNanoUsd, toUsd } from '../catalog/nano-usd.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Spent, Store } from '../stores/store.ts';
import type { KeyUsage } from '../wire/keys.ts';
import { type Period, periodStart } from './period-start.ts';

/** Spending limit of a key: USD in one period. */
export interface KeyLimit {
  readonly limitUsd: number | null;
  readonly limitReset: Period;
  readonly includeByokInLimit: boolean;
}

export interface KeyUsageParts {
  readonly store: Pick<Store, 'generations'>;
  readonly platform: Pick<Platform, 'now'>;
}

/**
 * Reads the amount that a principal has spent in each period, and the rest of its limit: never negative, null without a
 * limit.
 */
export async function readKeyUsage(
  principalId: string,
  limit: KeyLimit,
  { store, platform }: KeyUsageParts,
): Promise<{ readonly usage: KeyUsage; readonly remainingUsd: number | null }> {
  const now = platform.now();
  const read = async (period: Period): Promise<Spent> =>
    store.generations.spent({ principalId, since: periodStart(period, now) });
  const [ever, daily, weekly, monthly] = await Promise.all([
    read(null),
    read('daily'),
    read('weekly'),
    read('monthly'),
  ]);
  const counted = limit.limitReset === null ? ever : { daily, weekly, monthly }[limit.limitReset];
  return {
    usage: {
      usage: toUsd(ever.creditsNanoUsd),
      usage_daily: toUsd(daily.creditsNanoUsd),
      usage_weekly: toUsd(weekly.creditsNanoUsd),
      usage_monthly: toUsd(monthly.creditsNanoUsd),
      byok_usage: toUsd(ever.byokNanoUsd),
      byok_usage_daily: toUsd(daily.byokNanoUsd),
      byok_usage_weekly: toUsd(weekly.byokNanoUsd),
      byok_usage_monthly: toUsd(monthly.byokNanoUsd),
    },
    remainingUsd: remainingOf(limit, counted),
  };
}

/** In whole nano-dollars, so that no binary fraction shows. */
function remainingOf({ limitUsd, includeByokInLimit }: KeyLimit, spent: Spent): number | null {
  if (limitUsd === null) return null;
  const counted = spent.creditsNanoUsd + (includeByokInLimit ? spent.byokNanoUsd : 0);
  return toUsd(Math.max(0, toNanoUsd(limitUsd) - counted));
}
