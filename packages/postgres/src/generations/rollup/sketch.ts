/** Numbers of measurements by cell, as `gateway.cell_of` numbers the cells. */
export type Cells = Readonly<Record<string, number>>;

const WIDTH = 0.04;
const GROWTH = Math.exp(WIDTH);
/** The cell of what is not above 0.001. */
const NOTHING = -200;

/** Of 10^16, which nothing measured comes near. */
const LAST = 925;
const CELLS = LAST - NOTHING + 1;

/** Counts measurements in cells, of which percentiles are within 2 in 100. */
export interface Sketch {
  add(cells: Cells): void;
  addAll(other: Sketch, sign: 1 | -1): void;
  /** The smallest measurement that is not below that part of them; null without any. */
  percentile(part: number): number | null;
  readonly counts: Float64Array;
}

export function createSketch(): Sketch {
  const counts = new Float64Array(CELLS);
  return {
    counts,
    add(cells) {
      for (const cell in cells) {
        const place = Math.min(LAST, Math.max(NOTHING, Number(cell))) - NOTHING;
        counts[place] = (counts[place] as number) + (cells[cell] as number);
      }
    },
    addAll(other, sign) {
      for (let place = 0; place < CELLS; place += 1) {
        counts[place] = (counts[place] as number) + sign * (other.counts[place] as number);
      }
    },
    percentile(part) {
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (total <= 0) return null;
      let left = Math.max(1, Math.ceil(total * part));
      const place = counts.findIndex((count) => (left -= count) <= 0);
      return place === -1 ? null : valueOf(place + NOTHING);
    },
  };
}

/** The middle of a cell, with three digits: it is no more exact. */
const valueOf = (cell: number): number =>
  cell <= NOTHING ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(3));
