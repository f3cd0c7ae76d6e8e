import {
  createSpendingBook,
  type GenerationRecord,
  type SpendingEntry,
  type SpendingSum,
  toSpending,
} from '@model-gateway/core';

/** What a directory has counted for generations that a database has counted as well, this time and before. */
interface CountedSpending {
  /** `isNew`: one of the two did not have it before this time. */
  add(record: GenerationRecord, isNew: boolean): void;
  list(): readonly SpendingEntry[];
}

/**
 * Begins with what was counted before. What both have had is seen again as far as retention has not dropped it, and
 * more than was counted before where an earlier move ended before it could note what it did: the greater sum is right.
 */
export function createCountedSpending(before: readonly SpendingEntry[]): CountedSpending {
  const fresh = new Map<string, SpendingEntry>();
  const again = new Map<string, SpendingEntry>();
  return {
    add: (record, isNew) => addTo(isNew ? fresh : again, toSpending(record)),
    list() {
      const all = new Map(again);
      for (const entry of before) {
        const seen = again.get(keyOf(entry));
        all.set(keyOf(entry), seen === undefined ? entry : combine(entry, seen, Math.max));
      }
      for (const entry of fresh.values()) addTo(all, entry);
      return [...all.values()];
    },
  };
}

const keyOf = ({ principalId, userId, workspaceId, day }: SpendingEntry): string =>
  JSON.stringify([principalId, userId, workspaceId, day]);

function addTo(entries: Map<string, SpendingEntry>, entry: SpendingEntry): void {
  const present = entries.get(keyOf(entry));
  const sum = present === undefined ? entry : combine(present, entry, (one, other) => one + other);
  entries.set(keyOf(entry), sum);
}

type Combine = (one: number, other: number) => number;

const combine = (one: SpendingEntry, other: SpendingEntry, of: Combine): SpendingEntry => ({
  ...one,
  creditsNanoUsd: of(one.creditsNanoUsd, other.creditsNanoUsd),
  byokNanoUsd: of(one.byokNanoUsd, other.byokNanoUsd),
});

/** What is left of spending, by spender and day. Less than zero where more is taken away. */
export function subtractSpending(
  sums: Iterable<SpendingSum>,
  less: { readonly entries?: Iterable<SpendingEntry>; readonly sums?: Iterable<SpendingSum> },
): Iterable<SpendingSum> {
  const left = createSpendingBook();
  for (const sum of sums) left.addSum(sum);
  for (const entry of less.entries ?? []) left.subtract(entry);
  for (const sum of less.sums ?? []) left.subtractSum(sum);
  return left.sums();
}
