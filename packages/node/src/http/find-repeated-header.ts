/** The headers whose first value one parser might use and whose second value another, spelled as clients spell them. */
export const SINGLE_HEADERS: readonly string[] = ['Host', 'Authorization', 'Content-Length', 'Content-Type', 'Origin'];

interface SingleHeader {
  readonly title: string;
  readonly name: string;
  readonly bit: number;
}

/**
 * Creates the search for a header that may occur only once and occurs twice, in the list of names and values that Node
 * provides. The search returns the lower-case name of the first such header, or undefined. It runs for every request.
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

/** Nearly every other header is excluded by its length alone. Several of these headers may have the same length. */
function groupByLength(titles: readonly string[]): readonly (readonly SingleHeader[])[] {
  const longest = Math.max(...titles.map(({ length }) => length));
  const headers = titles.map((title, index) => ({ title, name: title.toLowerCase(), bit: 1 << index }));
  return Array.from({ length: longest + 1 }, (_, length) => headers.filter(({ title }) => title.length === length));
}
