import { expect, test } from 'vitest';

import { expectEqual, expectMatch, expectRejection, expectThat } from './contract-case.ts';

test.each([
  [1, 1],
  ['a', 'a'],
  [undefined, undefined],
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
  [{ a: 1 }, { a: 1, b: undefined }],
  [{ a: 1, b: undefined }, { a: 1 }],
])('%j equals %j', (actual, expected) => {
  expect(() => expectEqual(actual, expected)).not.toThrow();
});

test.each<[actual: unknown, expected: unknown, message: string]>([
  [1, '1', 'Expected "1", but found 1'],
  [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, 'Expected 2 at a[0].b, but found 1'],
  [{ a: 1, b: 2 }, { a: 1 }, 'Expected undefined at b, but found 2'],
  [{ a: 1 }, { a: 1, b: 2 }, 'Expected 2 at b, but found undefined'],
  [[1], [1, 2], 'Expected [1,2], but found [1]'],
  [{}, [], 'Expected [], but found {}'],
  [null, {}, 'Expected {}, but found null'],
  [{}, { toString: undefined, constructor: 1 }, 'Expected 1 at constructor, but found undefined'],
])('%j does not equal %j, and the error says where', (actual, expected, message) => {
  expect(() => expectEqual(actual, expected)).toThrow(message);
});

test('a shape leaves out what does not matter, at any depth, but no element of an array', () => {
  expect(() => expectMatch({ a: [{ b: 1, c: 2 }], d: 3 }, { a: [{ b: 1 }] })).not.toThrow();
  expect(() => expectMatch({ a: [{ b: 1 }, 2] }, { a: [{ b: 1 }] })).toThrow('Expected [{"b":1}] at a');
  expect(() => expectMatch({ a: { b: 1 } }, { a: { b: 2 } })).toThrow('Expected 2 at a.b, but found 1');
});

test('a rejection is expected with its message', async () => {
  const error = new Error('id a exists');
  expect(await expectRejection(Promise.reject(error), /a exists/)).toBe(error);
  await expect(expectRejection(Promise.reject(error), /b/)).rejects.toThrow('but it was: id a exists');
  await expect(expectRejection(Promise.resolve(1), /b/)).rejects.toThrow('but it resolved');
});

test('a fact that does not hold is named', () => {
  expect(() => expectThat(true, 'all is well')).not.toThrow();
  expect(() => expectThat(false, 'all is well')).toThrow('Expected that all is well');
});
