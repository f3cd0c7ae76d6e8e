/** Colours of series in charts, as CSS variables: eight that colour-blind people can distinguish, in both themes. */
export const SERIES_COLORS = [1, 2, 3, 4, 5, 6, 7, 8].map((place) => `--series-${place}`);
/** The colour of what is left over. */
export const OTHER_COLOR = '--series-other';

/**
 * The colours of the series in one chart, by place in the list above: the place of its name's hash, or the next free one. A
 * series that is known keeps its colour, and new ones stay away from the colours of known ones while there are others.
 */
export function assignColors(
  names: readonly string[],
  known: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const assigned = new Map<string, number>();
  const taken = new Set<number>();
  const give = (name: string, color: number): void => {
    assigned.set(name, color);
    taken.add(color);
  };
  // Sorted, so that it does not matter which comes first in the chart.
  const sorted = [...new Set(names)].toSorted();
  for (const name of sorted) {
    const color = known.get(name);
    if (color !== undefined && !taken.has(color)) give(name, color);
  }
  const reserved = new Set(known.values());
  for (const name of sorted) {
    if (assigned.has(name)) continue;
    const first = hash(name) % SERIES_COLORS.length;
    const colors = SERIES_COLORS.map((_, step) => (first + step) % SERIES_COLORS.length);
    const free = colors.filter((color) => !taken.has(color));
    give(name, free.find((color) => !reserved.has(color)) ?? free[0] ?? first);
  }
  return assigned;
}

/** FNV-1a: the same in every browser and at any time. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  // The low bits of similar names are similar.
  return (value ^ (value >>> 15)) >>> 0;
}

/** Remembers the colours of series for as long as the page is open, so that they stay when others come and go. */
export interface ColorBook {
  /** CSS variables by name. */
  colorsOf(names: readonly string[]): ReadonlyMap<string, string>;
}

export function createColorBook(): ColorBook {
  const known = new Map<string, number>();
  return {
    colorsOf(names) {
      const assigned = assignColors(names, known);
      for (const [name, color] of assigned) if (!known.has(name)) known.set(name, color);
      return new Map([...assigned].map(([name, color]) => [name, SERIES_COLORS[color] ?? OTHER_COLOR]));
    },
  };
}
