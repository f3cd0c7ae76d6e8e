import { expect, test } from 'vitest';

import { whenAllKnown, whenKnown } from './awaitable.ts';

const join = (...texts: readonly string[]): string => texts.join('+');

test('goes on at once with values that are there, without a promise', () => {
  expect(whenKnown('a', (text) => join(text))).toBe('a');
  expect(whenAllKnown(['a', 'b'], join)).toBe('a+b');
  expect(whenAllKnown([], join)).toBe('');
});

test('waits for the promises among the values', async () => {
  await expect(whenKnown(Promise.resolve('a'), (text) => Promise.resolve(join(text)))).resolves.toBe('a');
  await expect(whenAllKnown(['a', Promise.resolve('b')], join)).resolves.toBe('a+b');
});

test('does not go on after a rejection, and hands it over', async () => {
  const used: string[] = [];
  const use = (...texts: readonly string[]): number => used.push(...texts);
  const error = new Error('the store is closed');
  await expect(whenKnown(Promise.reject(error), use)).rejects.toBe(error);
  await expect(whenAllKnown(['a', Promise.reject(error)], use)).rejects.toBe(error);
  expect(used).toEqual([]);
});
