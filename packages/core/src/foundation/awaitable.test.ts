import { expect, test } from 'vitest';

import { createLazyIterable, iterateOne, whenAllKnown, whenKnown } from './awaitable.ts';

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

async function* count(onLeave: () => void = () => undefined): AsyncGenerator<number> {
  try {
    for (let i = 1; i <= 3; i += 1) yield i;
  } finally {
    onLeave();
  }
}

test('opens its source at the first read, once', async () => {
  let opened = 0;
  const items = createLazyIterable(() => {
    opened += 1;
    return Promise.resolve(count());
  });
  const iterator = items[Symbol.asyncIterator]();
  expect(opened).toBe(0);
  const seen: unknown[] = [];
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) seen.push(next.value);
  expect({ seen, opened }).toEqual({ seen: [1, 2, 3], opened: 1 });
});

test('passes on that the source could not be opened, or broke', async () => {
  await expect(
    createLazyIterable(() => Promise.reject(new Error('no')))
      [Symbol.asyncIterator]()
      .next(),
  ).rejects.toThrow('no');
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw new Error('reset');
  }
  const iterator = createLazyIterable(() => Promise.resolve(broken()))[Symbol.asyncIterator]();
  await iterator.next();
  await expect(iterator.next()).rejects.toThrow('reset');
});

test('leaves the source when its reader leaves, and opens none for a reader that never read', async () => {
  let hasLeft = false;
  const iterator = createLazyIterable(() => Promise.resolve(count(() => (hasLeft = true))))[Symbol.asyncIterator]();
  await iterator.next();
  expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  expect(hasLeft).toBe(true);

  let opened = 0;
  const unread = createLazyIterable(() => {
    opened += 1;
    return Promise.resolve(count());
  })[Symbol.asyncIterator]();
  expect(await unread.return?.()).toEqual({ done: true, value: undefined });
  expect(opened).toBe(0);
});

test('returns one item, to every reader again', async () => {
  const items = iterateOne('x');
  for (let reader = 0; reader < 2; reader += 1) {
    const seen: string[] = [];
    for await (const item of items) seen.push(item);
    expect(seen).toEqual(['x']);
  }
});
