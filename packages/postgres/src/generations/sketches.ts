/**
 * Numbers of measurements by cell, as JSON of runs: the number of a cell, as `gateway.cell_of` gives it out, then the counts
 * of it and of those that follow. A cell may come more than once.
 */
export type Cells = string;

const CELL_WIDTH = 0.04;
const GROWTH = Math.exp(CELL_WIDTH);
/** The cell of what is not above 0.001. */
const ZERO_CELL = -200;

/** The cell of a day in milliseconds, and of more than anything makes tokens, with all that is beyond. */
const LAST_CELL = 460;
const CELLS = LAST_CELL - ZERO_CELL + 1;

/**
 * Counts measurements of several buckets in cells, of which percentiles are within 2 in 100. They are in one array: a chart
 * has hundreds of buckets, and as many arrays would keep the garbage collector busy.
 */
export interface Sketches {
  add(bucket: number, cells: Cells): void;
  /** Takes others of as many buckets away. */
  subtract(other: Sketches): void;
  clear(): void;
  /** All buckets in one. */
  toTotal(): Sketches;
  /** The smallest measurement of a bucket that is not below that part of them; null without any. */
  percentile(bucket: number, part: number): number | null;
  /** Undefined without any. */
  readonly counts: Float64Array | undefined;
  /** The cells that have been counted in, its end excluded: most measurements are in a few of all. */
  readonly used: Range;
}

interface Range {
  from: number;
  to: number;
}

/** Creates empty ones, or those of counts. */
export function createSketches(
  buckets: number,
  { counts: given, used = { from: CELLS, to: 0 } }: Partial<Pick<Sketches, 'counts' | 'used'>> = {},
): Sketches {
  let counts = given;
  return {
    get counts() {
      return counts;
    },
    used,
    add(bucket, cells) {
      counts ??= new Float64Array(buckets * CELLS);
      for (const run of JSON.parse(cells) as number[][]) addRun(counts, bucket * CELLS, run, used);
    },
    subtract(other) {
      if (other.counts === undefined) return;
      counts ??= new Float64Array(buckets * CELLS);
      widen(used, other.used);
      for (let start = 0; start < counts.length; start += CELLS) {
        for (let place = start + other.used.from; place < start + other.used.to; place += 1) {
          counts[place] = (counts[place] as number) - (other.counts[place] as number);
        }
      }
    },
    clear() {
      counts?.fill(0);
      Object.assign(used, { from: CELLS, to: 0 });
    },
    toTotal() {
      const total = counts && new Float64Array(CELLS);
      for (let start = 0; counts && total && start < counts.length; start += CELLS) {
        for (let cell = used.from; cell < used.to; cell += 1) {
          total[cell] = (total[cell] as number) + (counts[start + cell] as number);
        }
      }
      return createSketches(1, { counts: total, used: { ...used } });
    },
    percentile(bucket, part) {
      return counts === undefined
        ? null
        : toPercentile(counts.subarray(bucket * CELLS, (bucket + 1) * CELLS), used, part);
    },
  };
}

function widen(used: Range, { from, to }: Range): void {
  used.from = Math.min(used.from, from);
  used.to = Math.max(used.to, to);
}

/** A chart adds hundreds of thousands of cells. */
function addRun(counts: Float64Array, start: number, run: readonly number[], used: Range): void {
  const first = (run[0] ?? 0) - ZERO_CELL;
  for (let at = 1; at < run.length; at += 1) {
    const place = start + first + at - 1;
    counts[place] = (counts[place] as number) + (run[at] ?? 0);
  }
  widen(used, { from: first, to: first + run.length - 1 });
}

/** The middle of a cell, with four digits: it is less exact than that. */
const valueOfCell = (cell: number): number =>
  cell <= ZERO_CELL ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(4));

function toPercentile(counts: Float64Array, { from, to }: Range, part: number): number | null {
  let total = 0;
  for (let cell = from; cell < to; cell += 1) total += counts[cell] as number;
  if (total <= 0) return null;
  let left = Math.max(1, Math.ceil(total * part));
  for (let cell = from; cell < to; cell += 1) {
    left -= counts[cell] as number;
    if (left <= 0) return valueOfCell(cell + ZERO_CELL);
  }
  return null;
}
