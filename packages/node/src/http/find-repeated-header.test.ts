import { expect, test } from 'vitest';

import { createRepeatedHeaderFinder, SINGLE_HEADERS } from './find-repeated-header.ts';

const OTHERS = ['Accept', '*/*', 'X-Host', 'x', 'User-Agent', 'test'];

/** `Cookie` is as long as `Origin`. */
const LISTS = { 'the list': SINGLE_HEADERS, 'the list with Cookie': [...SINGLE_HEADERS, 'Cookie'] };
const CASES = Object.entries(LISTS).flatMap(([list, titles]) => titles.map((title) => ({ list, titles, title })));

test.each(CASES)('finds a second $title in $list, however it is written', ({ titles, title }) => {
  const find = createRepeatedHeaderFinder(titles);
  const name = title.toLowerCase();
  const once = titles.flatMap((other) => [other, 'x']);
  expect(find([...OTHERS, ...once, ...OTHERS])).toBeUndefined();
  for (const second of [title, name, title.toUpperCase()]) {
    expect(find([...once, ...OTHERS, second, 'y']), second).toBe(name);
    expect(find([second, 'y', ...OTHERS, ...once]), second).toBe(name);
  }
});

test('allows all other headers any number of times', () => {
  expect(
    createRepeatedHeaderFinder(SINGLE_HEADERS)([...OTHERS, ...OTHERS, 'Cookie', 'a', 'Cookie', 'b']),
  ).toBeUndefined();
});
