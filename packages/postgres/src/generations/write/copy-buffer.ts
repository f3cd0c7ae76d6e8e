/** Rows in the binary form that `copy` takes, which needs no escaping. Fields are put in the order of the columns. */
export interface CopyBuffer {
  /** Begins a row; all its fields follow. */
  row(fields: number): void;
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
  texts(values: readonly string[]): void;
  /** Ends the rows. The buffer takes no more of them. */
  end(): Buffer;
  /** Leaves the memory to the next buffer. Not before nobody reads the bytes of `end` any more. */
  release(): void;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const FIRST_CAPACITY_BYTES = 64 * 1024;
// The memory of a larger batch is released after it.
const KEPT_CAPACITY_BYTES = 4 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** PostgreSQL counts days from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const TEXT_OID = 25;
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_SMALLINT = 2 ** 15 - 1;
const MAX_BIGINT = Number.MAX_SAFE_INTEGER;

/** Memory of a former buffer: the system takes longer to hand out new memory than it takes to fill it. */
let spare: Buffer | undefined;
/** The day of the row before, which the next one nearly always has, too. */
let lastDay = { text: '2000-01-01', number: 0 };

export function createCopyBuffer(): CopyBuffer {
  let bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_CAPACITY_BYTES);
  spare = undefined;
  let length = SIGNATURE.copy(bytes);

  const reserve = (size: number): void => {
    if (length + size <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, length + size));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  const int32 = (value: number): void => {
    length = bytes.writeInt32BE(value, length);
  };
  const none = (): void => {
    reserve(4);
    int32(-1);
  };
  const text = (value: string | null): void => {
    if (value === null) return none();
    // UTF-8 takes at most three bytes for a code unit.
    reserve(4 + value.length * 3);
    const written = bytes.write(value, length + 4, 'utf8');
    int32(written);
    length += written;
  };
  const isInteger = (value: number | null): value is number =>
    value !== null && Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;

  return {
    row(fields) {
      reserve(2);
      length = bytes.writeInt16BE(fields, length);
    },
    text,
    date(day) {
      reserve(8);
      int32(4);
      if (day !== lastDay.text) lastDay = { text: day, number: (Date.parse(day) - EPOCH_MS) / DAY_MS };
      int32(lastDay.number);
    },
    integer(value) {
      if (!isInteger(value)) return none();
      reserve(8);
      int32(4);
      int32(value);
    },
    smallint(value) {
      reserve(6);
      int32(2);
      length = bytes.writeInt16BE(Math.min(value, MAX_SMALLINT), length);
    },
    bigint(value) {
      reserve(12);
      int32(8);
      const whole = Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, -MAX_BIGINT), MAX_BIGINT));
      int32(Math.floor(whole / 2 ** 32));
      length = bytes.writeUInt32BE(whole >>> 0, length);
    },
    double(value) {
      if (value === null) return none();
      reserve(12);
      int32(8);
      length = bytes.writeDoubleBE(value, length);
    },
    boolean(value) {
      reserve(5);
      int32(1);
      length = bytes.writeUInt8(value ? 1 : 0, length);
    },
    texts(values) {
      reserve(24);
      const lengthAt = length;
      length += 4;
      int32(values.length === 0 ? 0 : 1);
      int32(0);
      int32(TEXT_OID);
      if (values.length > 0) {
        int32(values.length);
        int32(1);
        for (const value of values) text(value);
      }
      bytes.writeInt32BE(length - lengthAt - 4, lengthAt);
    },
    end() {
      reserve(2);
      length = bytes.writeInt16BE(-1, length);
      return bytes.subarray(0, length);
    },
    release() {
      if (bytes.length <= KEPT_CAPACITY_BYTES) spare = bytes;
    },
  };
}
