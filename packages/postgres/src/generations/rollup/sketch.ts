/** Numbers of measurements by cell, as `gateway.cell_of` numbers the cells. */
export type Cells = Readonly<Record<string, number>>;

const WIDTH = 0.04;
const GROWTH = Math.exp(WIDTH);
/** The cell of what is not above 0.001. */
const NOTHING = -200;

/** Counts measurements in cells, of which percentiles are within 2 in 100. */
export interface Sketch {
  add(cells: Cells, sign?: 1 | -1): void;
  /** The smallest measurement that is not below that part of them; null without any. */
  percentile(part: number): number | null;
  readonly cells: ReadonlyMap<number, number>;
}

export function createSketch(): Sketch {
  const cells = new Map<number, number>();
  return {
    cells,
    add(added, sign = 1) {
      for (const cell of Object.keys(added)) {
        const place = Number(cell);
        cells.set(place, (cells.get(place) ?? 0) + sign * Number(added[cell]));
      }
    },
    percentile(part) {
      let total = 0;
      for (const count of cells.values()) total += Math.max(0, count);
      if (total === 0) return null;
      let rank = Math.max(1, Math.ceil(total * part));
      for (const cell of [...cells.keys()].sort((a, b) => a - b)) {
        rank -= Math.max(0, cells.get(cell) ?? 0);
        if (rank <= 0) return valueOf(cell);
      }
      return null;
    },
  };
}

/** The middle of a cell, with three digits: it is no more exact. */
const valueOf = (cell: number): number =>
  cell <= NOTHING ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(3));
