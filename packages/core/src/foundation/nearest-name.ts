/**
 * Finds the known name that takes the fewest changes of letters to reach, for messages about a misspelt one; undefined
 * when none takes `maxChanges` or fewer. Of equals the first is found.
 *
 * Case, hyphens and underscores do not count, so that `base_url` finds `baseUrl`.
 */
export function findNearestName(
  name: string,
  known: readonly string[],
  maxChanges = Number.POSITIVE_INFINITY,
): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let most = maxChanges;
  for (const candidate of known) {
    const changes = countChanges(wanted, fold(candidate), most);
    if (changes > most) continue;
    best = candidate;
    most = changes - 1;
  }
  return best;
}

/** The same among names that are near enough to be meant: a third of the letters may differ, or one. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  return findNearestName(name, known, Math.max(1, Math.floor(fold(name).length / 3)));
}

const fold = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/**
 * Counts the letters to insert, remove or replace to make one name the other; two that change places count once. Gives
 * up with infinity when it becomes certain that more than `most` are needed: catalogs have thousands of names.
 */
function countChanges(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  let leastOfLast = 0;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const changes = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
      current.push(changes);
      least = Math.min(least, changes);
    }
    if (least > most && leastOfLast > most) return Number.POSITIVE_INFINITY;
    [beforeLast, last, leastOfLast] = [last, current, least];
  }
  return last[to.length] as number;
}
