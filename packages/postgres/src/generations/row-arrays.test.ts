import { expect, test } from 'vitest';

import { type ColumnType, createRowArrays, type RowArrays } from './row-arrays.ts';

const HEADER_BYTES = 20;

/** The bytes of one column after its header, of which each call puts a row. */
function bytesOf(type: ColumnType, puts: readonly ((rows: RowArrays) => void)[]): Buffer {
  const rows = createRowArrays([type]);
  for (const put of puts) {
    rows.row();
    put(rows);
  }
  return rows.end()[0]?.subarray(HEADER_BYTES) ?? Buffer.alloc(0);
}

const oneText = (text: string): RowArrays => {
  const rows = createRowArrays(['text']);
  rows.row();
  rows.text(text);
  return rows;
};

test('each column is an array of its type with an element a row', () => {
  const rows = createRowArrays(['bigint', 'text']);
  for (const value of [1, 2, 3]) {
    rows.row();
    rows.bigint(value);
    rows.text(value === 2 ? null : `text ${value}`);
  }
  const [numbers, texts] = rows.end();
  const headerOf = (bytes: Buffer | undefined) => [0, 4, 8, 12, 16].map((at) => bytes?.readInt32BE(at));
  expect([headerOf(numbers), headerOf(texts)]).toEqual([
    [1, 1, 20, 3, 1],
    [1, 1, 25, 3, 1],
  ]);
  expect(texts?.subarray(HEADER_BYTES + 10, HEADER_BYTES + 14).readInt32BE()).toBe(-1);
});

test('two sets of rows at once have memory of their own, and a later one has that of a released one', () => {
  const first = oneText('first');
  const [firstBytes] = first.end();
  const second = oneText('second');
  expect(String(second.end()[0])).toContain('second');
  expect(String(firstBytes)).toContain('first');

  first.release();
  const third = oneText('third');
  const fourth = oneText('fourth');
  expect(third.end()[0]?.buffer).toBe(firstBytes?.buffer);
  expect(String(third.end()[0])).not.toContain('first');
  expect(fourth.end()[0]?.buffer).not.toBe(firstBytes?.buffer);
});

test('a text that is longer than all memory before it is whole', () => {
  const long = 'ü'.repeat(100_000);
  expect(String(bytesOf('text', [(rows) => rows.text(long)]).subarray(4))).toBe(long);
});

test('texts are written as an array that quotes what has a meaning there', () => {
  const bytes = bytesOf('text', [(rows) => rows.texts([]), (rows) => rows.texts(['a,b', 'c"d', String.raw`e\f`])]);
  expect(String(bytes)).toContain('{}');
  expect(String(bytes)).toContain(String.raw`{"a,b","c\"d","e\\f"}`);
});

test.each([0, 1, -1, 2 ** 31, 2 ** 32 - 1, -(2 ** 32), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1.6])(
  'the whole number of %d is written in eight bytes',
  (value) => {
    const bytes = bytesOf('bigint', [(rows) => rows.bigint(value)]);
    expect(bytes.readInt32BE(0)).toBe(8);
    expect(bytes.readBigInt64BE(4)).toBe(BigInt(Math.round(value)));
  },
);

test.each([2 ** 53, 1e19, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
  '%d is written as the largest exact number',
  (value) => {
    const bytes = bytesOf('bigint', [(rows) => rows.bigint(value), (rows) => rows.bigint(-value)]);
    expect([bytes.readBigInt64BE(4), bytes.readBigInt64BE(16)]).toEqual([2n ** 53n - 1n, 1n - 2n ** 53n]);
  },
);

test('days that alternate are each written as what they are', () => {
  const days = ['2000-01-02', '2000-01-02', '1999-12-31', '2026-11-23'];
  const bytes = bytesOf(
    'date',
    days.map((day) => (rows: RowArrays) => rows.date(day)),
  );
  expect([4, 12, 20, 28].map((at) => bytes.readInt32BE(at))).toEqual([1, 1, -1, 9823]);
});
