/** Headers whose second value one parser might believe and another not, as clients write them. */
export const SINGLE_HEADERS: readonly string[] = ['Host', 'Authorization', 'Content-Length', 'Content-Type', 'Origin'];

interface SingleHeader {
  readonly title: string;
  readonly name: string;
  readonly bit: number;
}

/**
 * Creates the search for a header that may come once and comes twice, among names and values as Node hands them on. It
 * tells the lower-case name of the first such, or undefined. It runs for every request.
 */
export function createRepeatedHeaderFinder(
  titles: readonly string[],
): (rawHeaders: readonly string[]) => string | undefined {
  const byLength = groupByLength(titles);
  return (rawHeaders) => {
    let seen = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const raw = rawHeaders[i] as string;
      const candidates = byLength[raw.length];
      if (candidates === undefined) continue;
      for (const { title, name, bit } of candidates) {
        if (raw !== title && raw !== name && raw.toLowerCase() !== name) continue;
        if ((seen & bit) !== 0) return name;
        seen |= bit;
      }
    }
    return undefined;
  };
}

/** Nearly every other header is told apart by its length alone. Several may have the same. */
function groupByLength(titles: readonly string[]): readonly (readonly SingleHeader[])[] {
  const longest = Math.max(...titles.map(({ length }) => length));
  const headers = titles.map((title, index) => ({ title, name: title.toLowerCase(), bit: 1 << index }));
  return Array.from({ length: longest + 1 }, (_, length) => headers.filter(({ title }) => title.length === length));
}
