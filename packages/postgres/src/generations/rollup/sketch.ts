/**
 * Numbers of measurements by cell, in base64, which is shorter on the way than the text that the database makes of bytes. An
 * entry has three bytes, as `gateway.to_sketch` writes them: the number of the cell, as `gateway.cell_of` gives it out, less
 * that of the first one, then the place and the digit of the number of measurements. A cell may come more than once.
 */
export type Cells = string;
const ENTRY_BYTES = 3;
const BASE = 2048;

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
  // One for all that is added, as each is read once.
  let entries = Buffer.alloc(0);
  return {
    get counts() {
      return counts;
    },
    used,
    add(bucket, cells) {
      counts ??= new Float64Array(buckets * CELLS);
      if (entries.length < cells.length) entries = Buffer.alloc(2 * cells.length);
      const length = entries.write(cells, 'base64');
      addEntries(counts, { start: bucket * CELLS, entries, length }, used);
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

interface Added {
  readonly start: number;
  readonly entries: Buffer;
  readonly length: number;
}

/** By bytes, as a chart adds hundreds of thousands of cells: the methods of buffers take three times as long. */
function addEntries(counts: Float64Array, { start, entries, length }: Added, used: Range): void {
  let { from, to } = used;
  for (let at = 0; at < length; at += ENTRY_BYTES) {
    const entry = ((entries[at] as number) << 16) | ((entries[at + 1] as number) << 8) | (entries[at + 2] as number);
    const cell = Math.min(CELLS - 1, entry >> 14);
    const place = (entry >> 12) & 3;
    const digit = (entry & 4095) - BASE;
    counts[start + cell] = (counts[start + cell] as number) + (place === 0 ? digit : digit * BASE ** place);
    if (cell < from) from = cell;
    if (cell >= to) to = cell + 1;
  }
  widen(used, { from, to });
}

/** The middle of a cell, with four digits: it is less exact than that. */
const valueOf = (cell: number): number =>
  cell <= NOTHING ? 0 : Number(((2 * GROWTH ** cell) / (GROWTH + 1)).toPrecision(4));

function toPercentile(counts: Float64Array, { from, to }: Range, part: number): number | null {
  let total = 0;
  for (let cell = from; cell < to; cell += 1) total += counts[cell] as number;
  if (total <= 0) return null;
  let left = Math.max(1, Math.ceil(total * part));
  for (let cell = from; cell < to; cell += 1) {
    left -= counts[cell] as number;
    if (left <= 0) return valueOf(cell + NOTHING);
  }
  return null;
}
