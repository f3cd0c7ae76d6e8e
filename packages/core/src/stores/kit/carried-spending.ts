import type { SpendingSum } from '../store.ts';
import { createSpendingBook, type SpendingBook } from './spending-book.ts';

/** What was carried from other stores, as part of a book that has it all. */
export interface CarriedSpending {
  /** Everything in the book, but for what was carried from one source. */
  list(exceptFrom?: string): Iterable<SpendingSum>;
  /** Puts the sums of a source in the place of those that it had before. */
  put(source: string, sums: readonly SpendingSum[]): void;
  /** The sums of each source. */
  readonly sources: ReadonlyMap<string, readonly SpendingSum[]>;
}

/** Begins with nothing that was carried. */
export function createCarriedSpending(book: SpendingBook): CarriedSpending {
  const sources = new Map<string, readonly SpendingSum[]>();
  return {
    *list(exceptFrom) {
      const left = createSpendingBook();
      for (const sum of book.sums()) left.addSum(sum);
      if (exceptFrom !== undefined) for (const sum of sources.get(exceptFrom) ?? []) left.subtractSum(sum);
      yield* left.sums();
    },
    put(source, sums) {
      for (const sum of sources.get(source) ?? []) book.subtractSum(sum);
      for (const sum of sums) book.addSum(sum);
      sources.set(source, sums);
    },
    sources,
  };
}
