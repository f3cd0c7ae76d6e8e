/** Something under way that knows its place in the list of all that is. */
export interface ListedItem {
  /** Kept by the list; -1 while in none. */
  place: number;
}

/**
 * Adds an item that is in no list yet; does nothing to one that is in this list.
 *
 * An array instead of a `Set`: whoever adds and removes all the time makes a set move to a new table every few dozen
 * items, and each old table keeps the next one alive. Once one has grown old, so do all after it and every call they
 * ever held, until the next full collection.
 */
export function addTo<Item extends ListedItem>(list: Item[], item: Item): void {
  if (item.place !== -1) return;
  item.place = list.length;
  list.push(item);
}

/** Removes an item, the last one taking its place; does nothing to one that is in no list. */
export function removeFrom<Item extends ListedItem>(list: Item[], item: Item): void {
  const { place } = item;
  if (place === -1) return;
  item.place = -1;
  const last = list.pop();
  if (last === undefined || last === item) return;
  last.place = place;
  list[place] = last;
}
