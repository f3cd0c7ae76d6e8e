import { createSpendingBook, type SpendingEntry, type SpendingSum } from '@model-gateway/core';

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
