import { expect, test } from 'vitest';

import { flattenJson } from './json-tree.tsx';

test('lists what is open, with paths that can be pasted', () => {
  const lines = flattenJson({ a: [1, { 'b c': null }], d: {} }, () => true);
  expect(lines.map(({ path, depth, size }) => [path, depth, size])).toEqual([
    ['$', 0, 2],
    ['$.a', 1, 2],
    ['$.a[0]', 2, null],
    ['$.a[1]', 2, 1],
    ['$.a[1]["b c"]', 3, null],
    ['$.d', 1, 0],
  ]);
});

test('does not look into what is closed', () => {
  const hostile = {
    inner: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('looked');
        },
      },
    ),
  };
  expect(() => flattenJson([hostile], ({ depth }) => depth < 1)).not.toThrow();
});

test('lists as many items as a body has', () => {
  expect(
    flattenJson(
      Array.from({ length: 300_000 }, () => 0),
      () => true,
    ),
  ).toHaveLength(300_001);
});

test('goes as deep as a body does', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 5000; level += 1) deep = [deep];
  expect(flattenJson(deep, () => true)).toHaveLength(5001);
});
