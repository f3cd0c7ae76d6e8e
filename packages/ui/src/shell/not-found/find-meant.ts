/** The letters that have to be changed, added or left out to turn one word into the other. */
function toDistance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(one).entries()) {
    const next = [row + 1];
    for (const [at, compared] of Array.from(other).entries()) {
      const changed = (before[at] ?? 0) + (letter === compared ? 0 : 1);
      next.push(Math.min(changed, (before[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    before = next;
  }
  return before.at(-1) ?? 0;
}

/** A third of the letters may be others: more is another word. */
const isLike = (distance: number, word: string): boolean => distance <= Math.max(1, Math.floor(word.length / 3));

/**
 * The screen that an address was probably meant for: the one whose path, or the last part of it, is like the first word
 * of the address. Undefined where none is.
 */
export function findMeant(address: string, paths: readonly string[]): string | undefined {
  const word = address
    .toLowerCase()
    .split('/')
    .find((part) => part !== '');
  if (word === undefined) return undefined;
  const [nearest] = paths
    .filter((path) => path !== '/')
    .map((path) => ({ path, distance: toDistance(word, path.slice(path.lastIndexOf('/') + 1)) }))
    .filter(({ distance }) => isLike(distance, word))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.path;
}
