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

/**
 * Counts measurements of several buckets in cells, of which percentiles are within 2 in 100. They are in one array: a chart
 * has hundreds of buckets, and as many arrays would keep the garbage collector busy.
 */
export interface Sketches {
  add(bucket: number, cells: Cells): void;
  /** Adds others of as many buckets, or takes them away. */
  addAll(other: Sketches, sign: 1 | -1): void;
  /** All buckets in one. */
  toTotal(): Sketches;
  /** The smallest measurement of a bucket that is not below that part of them; null without any. */
  percentile(bucket: number, part: number): number | null;
  /** Undefined without any. */
  readonly counts: Float64Array | undefined;
}

/** Creates empty ones, or those of counts. */
export function createSketches(buckets: number, given?: Float64Array): Sketches {
  let counts = given;
  return {
    get counts() {
      return counts;
    },
    add(bucket, cells) {
      counts ??= new Float64Array(buckets * CELLS);
      const start = bucket * CELLS;
      for (let at = 0; at < cells.length; at += CELL_BYTES) {
        const place = start + Math.min(CELLS - 1, cells.readUInt16BE(at));
        counts[place] = (counts[place] as number) + cells.readInt32BE(at + 2);
      }
    },
    addAll({ counts: added }, sign) {
      if (added === undefined) return;
      counts ??= new Float64Array(buckets * CELLS);
      for (let place = 0; place < counts.length; place += 1) {
        counts[place] = (counts[place] as number) + sign * (added[place] as number);
      }
    },
    toTotal() {
      const total = counts && new Float64Array(CELLS);
      for (let start = 0; counts && total && start < counts.length; start += CELLS) {
        for (let cell = 0; cell < CELLS; cell += 1) {
          total[cell] = (total[cell] as number) + (counts[start + cell] as number);
        }
      }
      return createSketches(1, total);
    },
    percentile(bucket, part) {
      return counts === undefined ? null : toPercentile(counts, bucket * CELLS, part);
    },
  };
}

/** The middle of a cell, with four digits: it is less exact than that. */
const valueOf = (cell: number): number =>
  cell <= NOTHING ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(4));

function toPercentile(counts: Float64Array, start: number, part: number): number | null {
  let total = 0;
  for (let cell = 0; cell < CELLS; cell += 1) total += counts[start + cell] as number;
  if (total <= 0) return null;
  let left = Math.max(1, Math.ceil(total * part));
  for (let cell = 0; cell < CELLS; cell += 1) {
    left -= counts[start + cell] as number;
    if (left <= 0) return valueOf(cell + NOTHING);
  }
  return null;
}
