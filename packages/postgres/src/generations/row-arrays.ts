/** Types of columns, as parameters name them. */
export type ColumnType = keyof typeof OIDS;

/**
 * Rows as an array for each column, in the binary form of parameters, which needs no escaping. Fields are put in the
 * order of the columns.
 */
export interface RowArrays {
  /** Begins a row; all its fields follow. */
  row(): void;
  text(value: string | null): void;
  /** UTC, as in `2026-03-01`. */
  date(day: string): void;
  /** Null for what does not fit: other than whole numbers, and too large ones. */
  integer(value: number | null): void;
  smallint(value: number): void;
  /** The nearest that is exact for what is too large: one absurd amount must not hold up the others of its batch. */
  bigint(value: number): void;
  double(value: number | null): void;
  boolean(value: boolean): void;
  /** As a text that a cast makes an array of: arrays of arrays are of one length. */
  texts(values: readonly string[]): void;
  /** Ends the rows; the array of each column. */
  end(): readonly Buffer[];
  /** Leaves the memory to the next rows. Not as long as the bytes of `end` are read. */
  release(): void;
}

const OIDS = { boolean: 16, bigint: 20, smallint: 21, integer: 23, text: 25, 'double precision': 701, date: 1082 };

/** Number of dimensions, whether there may be nulls, type, length, number of the first element. */
const HEADER_BYTES = 20;
const FIRST_CAPACITY_BYTES = 4 * 1024;
/** The memory of a longer column is released after it. */
const KEPT_CAPACITY_BYTES = 2 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** PostgreSQL counts days from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_SMALLINT = 2 ** 15 - 1;
const MAX_BIGINT = Number.MAX_SAFE_INTEGER;

interface Column {
  bytes: Buffer;
  length: number;
}

/** Memory of former rows: the system takes longer to hand out new memory than it takes to fill it. */
let spare: Column[] | undefined;
/** The day of the row before, which the next one nearly always has, too. */
let lastDay = { text: '2000-01-01', number: 0 };

export function createRowArrays(types: readonly ColumnType[]): RowArrays {
  const columns = spare?.length === types.length ? spare : types.map(createColumn);
  spare = undefined;
  for (const column of columns) column.length = HEADER_BYTES;
  let rows = 0;
  let next = 0;

  /** The column of the next field, with room for it. */
  const take = (size: number): Column => {
    const column = columns[next];
    if (column === undefined) throw new Error(`A row has more fields than the ${types.length} columns`);
    next += 1;
    if (column.length + size > column.bytes.length) enlarge(column, size);
    return column;
  };
  const none = (): void => int32(take(4), -1);
  const text = (value: string | null): void => {
    if (value === null) return none();
    // UTF-8 takes at most three bytes for a code unit.
    const column = take(4 + value.length * 3);
    const written = column.bytes.write(value, column.length + 4, 'utf8');
    int32(column, written);
    column.length += written;
  };
  const isInteger = (value: number | null): value is number =>
    value !== null && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;

  return {
    row() {
      rows += 1;
      next = 0;
    },
    text,
    date(day) {
      const column = take(8);
      int32(column, 4);
      if (day !== lastDay.text) lastDay = { text: day, number: (Date.parse(day) - EPOCH_MS) / DAY_MS };
      int32(column, lastDay.number);
    },
    integer(value) {
      if (!isInteger(value)) return none();
      const column = take(8);
      int32(column, 4);
      int32(column, value);
    },
    smallint(value) {
      const column = take(6);
      int32(column, 2);
      column.length = column.bytes.writeInt16BE(Math.min(value, MAX_SMALLINT), column.length);
    },
    bigint(value) {
      const column = take(12);
      int32(column, 8);
      const whole = Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, -MAX_BIGINT), MAX_BIGINT));
      int32(column, Math.floor(whole / 2 ** 32));
      column.length = column.bytes.writeUInt32BE(whole >>> 0, column.length);
    },
    double(value) {
      if (value === null) return none();
      const column = take(12);
      int32(column, 8);
      column.length = column.bytes.writeDoubleBE(value, column.length);
    },
    boolean(value) {
      const column = take(5);
      int32(column, 1);
      column.length = column.bytes.writeUInt8(value ? 1 : 0, column.length);
    },
    texts(values) {
      const quoted = values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
      text(values.length === 0 ? '{}' : `{${quoted.join(',')}}`);
    },
    end() {
      return columns.map(({ bytes, length }, index) => {
        const header = [1, 1, OIDS[types[index] ?? 'text'], rows, 1];
        for (const [place, value] of header.entries()) bytes.writeInt32BE(value, place * 4);
        return bytes.subarray(0, length);
      });
    },
    release() {
      spare = columns.map((column) => (column.bytes.length <= KEPT_CAPACITY_BYTES ? column : createColumn()));
    },
  };
}

const createColumn = (): Column => ({ bytes: Buffer.allocUnsafeSlow(FIRST_CAPACITY_BYTES), length: HEADER_BYTES });

function enlarge(column: Column, size: number): void {
  const larger = Buffer.allocUnsafeSlow(Math.max(column.bytes.length * 2, column.length + size));
  column.bytes.copy(larger, 0, 0, column.length);
  column.bytes = larger;
}

function int32(column: Column, value: number): void {
  column.length = column.bytes.writeInt32BE(value, column.length);
}
