/**
 * Adds items to the end of a list. Use it where an upstream chooses their number: a call with an argument for each item,
 * as in `list.push(...items)`, throws `RangeError` from about 120,000 items on. Lists of callers are shorter, because
 * a body with a list of more than 10,000 items is refused.
 */
export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
