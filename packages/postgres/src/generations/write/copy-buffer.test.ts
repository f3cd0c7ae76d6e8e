import { expect, test } from 'vitest';

import { createCopyBuffer } from './copy-buffer.ts';

const HEADER_BYTES = 19;
const bytesOf = (put: (rows: ReturnType<typeof createCopyBuffer>) => void): Buffer => {
  const rows = createCopyBuffer();
  put(rows);
  return rows.end().subarray(HEADER_BYTES, -2);
};

test('two buffers at once have memory of their own, and a later one has that of a released one', () => {
  const first = createCopyBuffer();
  first.text('first');
  const firstBytes = first.end();
  const second = createCopyBuffer();
  second.text('second');
  expect(second.end().toString()).toContain('second');
  expect(firstBytes.toString()).toContain('first');

  first.release();
  const third = createCopyBuffer();
  const fourth = createCopyBuffer();
  third.text('third');
  fourth.text('fourth');
  expect(third.end().buffer).toBe(firstBytes.buffer);
  expect(third.end().toString()).not.toContain('first');
  expect(fourth.end().buffer).not.toBe(firstBytes.buffer);
});

test.each([0, 1, -1, 2 ** 31, 2 ** 32 - 1, -(2 ** 32), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1.6])(
  'the whole number of %d is written in eight bytes',
  (value) => {
    const bytes = bytesOf((rows) => rows.bigint(value));
    expect(bytes.readInt32BE(0)).toBe(8);
    expect(bytes.readBigInt64BE(4)).toBe(BigInt(Math.round(value)));
  },
);

test.each([2 ** 53, 1e19, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
  '%d is written as the largest exact number',
  (value) => {
    const bytes = bytesOf((rows) => {
      rows.bigint(value);
      rows.bigint(-value);
    });
    expect([bytes.readBigInt64BE(4), bytes.readBigInt64BE(16)]).toEqual([2n ** 53n - 1n, 1n - 2n ** 53n]);
  },
);

test('days that alternate are each written as what they are', () => {
  const bytes = bytesOf((rows) => {
    for (const day of ['2000-01-02', '2000-01-02', '1999-12-31', '2026-11-23']) rows.date(day);
  });
  expect([4, 12, 20, 28].map((at) => bytes.readInt32BE(at))).toEqual([1, 1, -1, 9823]);
});
