import type { SlicedBudget } from '../../stores/store.ts';
import { type Slice, sliceKeyOf } from './slice.ts';

/** Finds the slices of an instance by budget and by spender. */
export interface SliceShelf {
  get(sliced: SlicedBudget): Slice | undefined;
  add(slice: Slice): void;
  remove(slice: Slice): void;
  ofSpender(spender: string): readonly Slice[];
  all(): Iterable<Slice>;
  isEmpty(): boolean;
}

const NONE: readonly Slice[] = [];

export function createSliceShelf(): SliceShelf {
  const byKey = new Map<string, Slice>();
  const bySpender = new Map<string, readonly Slice[]>();
  return {
    get: (sliced) => byKey.get(sliceKeyOf(sliced)),
    add(slice) {
      byKey.set(slice.key, slice);
      const { spender } = slice.held;
      bySpender.set(spender, [...(bySpender.get(spender) ?? NONE), slice]);
    },
    remove(slice) {
      byKey.delete(slice.key);
      const { spender } = slice.held;
      const others = (bySpender.get(spender) ?? NONE).filter((other) => other !== slice);
      if (others.length === 0) bySpender.delete(spender);
      else bySpender.set(spender, others);
    },
    ofSpender: (spender) => bySpender.get(spender) ?? NONE,
    all: () => byKey.values(),
    isEmpty: () => byKey.size === 0,
  };
}
