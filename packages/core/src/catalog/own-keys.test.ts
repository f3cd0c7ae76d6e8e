import { expect, test } from 'vitest';

import { feeOf, toFeeMillionths, worstFeeOf } from './own-keys.ts';

test.each([
  [10, 50_000, 0, 1],
  [30, 50_000, 2, 2],
  [31, 50_000, 2, 2],
  [29, 50_000, 1, 2],
  [0, 50_000, 0, 0],
  [7, 1_000_000, 7, 7],
  [9_007_199_254_740_991, 999_999, 9_007_190_247_541_736, 9_007_190_247_541_737],
])('the fee for a bill of %i at %i millionths is %i nano-dollars, and %i are held for it', (bill, share, fee, held) => {
  expect([feeOf(bill, { feeMillionths: share }), worstFeeOf(bill, share)]).toEqual([fee, held]);
});

test('calls without an own key have no fee', () => {
  expect([feeOf(1000, { feeMillionths: undefined }), feeOf(1000, undefined)]).toEqual([0, 0]);
});

test('a share is from 0 to 1 with at most six decimal places', () => {
  expect([0, 0.05, 0.073211, 0.000001, 1].map(toFeeMillionths)).toEqual([0, 50_000, 73_211, 1, 1_000_000]);
  for (const share of [-0.1, 1.1, 0.0000001, Number.NaN]) expect(() => toFeeMillionths(share)).toThrow(RangeError);
});
