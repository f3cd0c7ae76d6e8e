/** Members of which the pieces are parts of one text. */
const TEXTS = ['text', 'summary', 'data'] as const;

/**
 * Joins what a stream says of reasoning with what has come before: pieces of one detail follow one another under the
 * same type and index, with its signature in the last.
 */
export function joinDetails(before: readonly unknown[], pieces: readonly unknown[]): readonly unknown[] {
  return pieces.reduce<readonly unknown[]>((details, piece) => {
    const last = details.at(-1);
    if (!isObject(piece) || !isObject(last) || last['type'] !== piece['type'] || last['index'] !== piece['index'])
      return [...details, piece];
    // Without an index nothing says that they belong together.
    if (piece['index'] === undefined) return [...details, piece];
    return [...details.slice(0, -1), join(last, piece)];
  }, before);
}

function join(before: Record<string, unknown>, piece: Record<string, unknown>): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null && value !== undefined));
  const joined = { ...before, ...given };
  for (const name of TEXTS) {
    if (typeof before[name] === 'string' && typeof given[name] === 'string') joined[name] = before[name] + given[name];
  }
  return joined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
