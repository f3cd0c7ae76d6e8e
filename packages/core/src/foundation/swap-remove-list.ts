/** An item's membership in a list. */
export interface ListEntry<Item> {
  readonly item: Item;
}

/** An unordered list for items that are added and removed very often (docs/decisions/0013). */
export interface SwapRemoveList<Item> {
  /** To be copied where items are removed during iteration. */
  readonly entries: readonly ListEntry<Item>[];
  /** The entry is what removes the item again. */
  add(item: Item): ListEntry<Item>;
  /** The last entry takes its index. Does nothing to an entry that has been removed. */
  remove(entry: ListEntry<Item>): void;
}

interface PlacedEntry<Item> extends ListEntry<Item> {
  /** -1 once it has been removed. */
  index: number;
}

/**
 * An array instead of a `Set`: a set with frequent changes rehashes every few dozen items, and V8 links the old table
 * to the new one, so that one promoted table retains all later ones and their items (docs/decisions/0013).
 */
export function createSwapRemoveList<Item>(): SwapRemoveList<Item> {
  const entries: PlacedEntry<Item>[] = [];
  return {
    entries,
    add(item) {
      const entry = { item, index: entries.length };
      entries.push(entry);
      return entry;
    },
    remove(entry) {
      // Entries come from `add` alone.
      const removed = entry as PlacedEntry<Item>;
      const { index } = removed;
      if (index === -1) return;
      removed.index = -1;
      const last = entries.pop();
      if (last === undefined || last === removed) return;
      last.index = index;
      entries[index] = last;
    },
  };
}
