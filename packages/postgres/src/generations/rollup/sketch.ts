/**
 * Numbers of measurements by cell: the number of the cell, as `gateway.cell_of` gives it out, less that of the first one in
 * two bytes, the number of measurements in four. A cell may come more than once.
 */
export type Cells = Buffer;
const CELL_BYTES = 6;

const WIDTH = 0.04;
const GROWTH = Math.exp(WIDTH);
/** The cell of what is not above 0.001. */
const NOTHING = -200;

/** Of a day in milliseconds, and of more than anything makes tokens. */
const LAST = 460;
const CELLS = LAST - NOTHING + 1;

/** Counts measurements in cells, of which percentiles are within 2 in 100. */
export interface Sketch {
  add(cells: Cells): void;
  addAll(other: Sketch, sign: 1 | -1): void;
  /** The smallest measurement that is not below that part of them; null without any. */
  percentile(part: number): number | null;
  /** Undefined without any. */
  readonly counts: Float64Array | undefined;
}

/** Creates an empty one. Most charts have hundreds of them, of which many stay empty. */
export function createSketch(): Sketch {
  let counts: Float64Array | undefined;
  return {
    get counts() {
      return counts;
    },
    add(cells) {
      for (let at = 0; at < cells.length; at += CELL_BYTES) {
        counts ??= new Float64Array(CELLS);
        const place = Math.min(LAST - NOTHING, cells.readUInt16BE(at));
        counts[place] = (counts[place] as number) + cells.readInt32BE(at + 2);
      }
    },
    addAll({ counts: added }, sign) {
      if (added === undefined) return;
      counts ??= new Float64Array(CELLS);
      for (let place = 0; place < CELLS; place += 1) {
        counts[place] = (counts[place] as number) + sign * (added[place] as number);
      }
    },
    percentile(part) {
      if (counts === undefined) return null;
      let total = 0;
      for (let place = 0; place < CELLS; place += 1) total += counts[place] as number;
      if (total <= 0) return null;
      let left = Math.max(1, Math.ceil(total * part));
      for (let place = 0; place < CELLS; place += 1) {
        left -= counts[place] as number;
        if (left <= 0) return valueOf(place + NOTHING);
      }
      return null;
    },
  };
}

/** The middle of a cell, with four digits: it is less exact than that. */
const valueOf = (cell: number): number =>
  cell <= NOTHING ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(4));
