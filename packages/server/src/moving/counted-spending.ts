import type { SpendingSum } from '@model-gateway/core';

/** What a target has counted with the generations that were copied to it, this time and before. */
export interface CountedSpending {
  add(sum: SpendingSum): void;
  list(): readonly SpendingSum[];
}

/**
 * Begins with what was counted before. Of a day that is copied again, all generations of before are copied again, so the
 * greater sum is what has been counted: retention may have dropped the rest at the target, and at the source.
 */
export function createCountedSpending(before: readonly SpendingSum[]): CountedSpending {
  const known = new Map(before.map((sum) => [keyOf(sum), sum]));
  const copied = new Map<string, SpendingSum>();
  return {
    add(sum) {
      const present = copied.get(keyOf(sum));
      copied.set(keyOf(sum), present === undefined ? sum : merge(present, sum, (one, other) => one + other));
    },
    list() {
      const all = new Map(known);
      for (const [key, sum] of copied) {
        const earlier = known.get(key);
        all.set(key, earlier === undefined ? sum : merge(earlier, sum, Math.max));
      }
      return [...all.values()];
    },
  };
}

const keyOf = ({ principalId, userId, workspaceId, day }: SpendingSum): string =>
  JSON.stringify([principalId, userId, workspaceId, day]);

function merge(one: SpendingSum, other: SpendingSum, combine: (one: number, other: number) => number): SpendingSum {
  return {
    ...one,
    creditsNanoUsd: combine(one.creditsNanoUsd, other.creditsNanoUsd),
    byokNanoUsd: combine(one.byokNanoUsd, other.byokNanoUsd),
  };
}
