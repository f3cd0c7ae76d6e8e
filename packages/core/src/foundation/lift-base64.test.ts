import { expect, test } from 'vitest';

import { createBase64Lifter } from './lift-base64.ts';

const isData = (path: readonly string[]): boolean => path.join('.') === 'parts.*.data';

function lift(json: string, size: number) {
  const lifter = createBase64Lifter(isData);
  const bytes = Buffer.from(json);
  const lifted: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) lifted.push(...lifter.push(bytes.subarray(at, at + size)));
  return {
    lifted: Buffer.concat(lifted).toString(),
    rest: JSON.parse(Buffer.from(lifter.end()).toString()) as unknown,
  };
}

const TEXT = 'All of the audio??>>';

test.each([1, 3, 1000])('lifts the texts at the path, and leaves the rest as it was, in pieces of %i', (size) => {
  const data = Buffer.from(TEXT).toString('base64');
  const other = { data: 'no, "this" one\\', 'pa"rts': [{ data: 'nor this' }], list: ['{"parts":[{"data":"'] };
  const json = JSON.stringify({ ...other, parts: [{ type: 'é', data }, { data: 'AAAA'.slice(0, 0) }, 1] });
  expect(lift(json, size)).toEqual({
    lifted: TEXT,
    rest: { ...other, parts: [{ type: 'é', data: '' }, { data: '' }, 1] },
  });
});

test.each([1, 2, 5, 1000])('reads escapes within base64, in pieces of %i', (size) => {
  const json = '{"parts":[{"data":"Pz8\\/Pj4\\u003D"}]}';
  expect(lift(json, size).lifted).toBe(Buffer.from('Pz8/Pj4=', 'base64').toString());
});

test('refuses what is no base64', () => {
  expect(() => lift('{"parts":[{"data":"data:audio/wav,x"}]}', 1000)).toThrow(RangeError);
});
