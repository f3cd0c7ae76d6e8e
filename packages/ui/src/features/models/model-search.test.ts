import { expect, test } from 'vitest';

import { hasModelFilters, splitWords, toggleWord, toModelQuery, toModelSearch } from './model-search.ts';

test('reads the filters of an address and leaves out what makes no sense', () => {
  expect(
    toModelSearch({
      q: 'chat',
      context: 'long',
      max_price: '-1',
      max_output_price: 'x',
      zdr: 'maybe',
      output_modalities: 'text,smell',
      sort: 'speed',
      order: 'asc',
      view: 'chart',
      unknown: 'x',
      open: 'a/b',
    }),
  ).toEqual({
    q: 'chat',
    sort: 'speed',
    order: 'asc',
    view: 'chart',
    open: 'a/b',
  });
  expect(toModelSearch({ sort: 'nicest', order: 'asc', output_modalities: 'text,image' })).toEqual({
    output_modalities: 'text,image',
  });
});

test('asks the gateway with its own words, and for models of every kind', () => {
  expect(toModelQuery({ q: 'chat', sort: 'speed', open: 'a/b', compare: 'a/b', usable: 'true' })).toEqual({
    q: 'chat',
    output_modalities: 'all',
  });
  expect(toModelQuery({ output_modalities: 'video' })).toEqual({ output_modalities: 'video' });
});

test('does not take an order for a filter', () => {
  expect(hasModelFilters({ sort: 'speed', view: 'chart', open: 'a/b' })).toBe(false);
  expect(hasModelFilters({ usable: 'true' })).toBe(true);
});

test('puts words into a list and takes them out, up to a limit', () => {
  expect(toggleWord(undefined, 'a')).toBe('a');
  expect(toggleWord('a,b', 'a')).toBe('b');
  expect(toggleWord('a', 'a')).toBeUndefined();
  expect(toggleWord('a,b', 'c', 2)).toBe('a,b');
  expect(splitWords('a,,b')).toEqual(['a', 'b']);
});
