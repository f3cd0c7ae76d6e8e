import { expect, test } from 'vitest';

import { createSwapRemoveList, type SwapRemoveList } from './timers.ts';

const namesOf = (list: SwapRemoveList<string>): string[] => list.entries.map(({ item }) => item).sort();

test('holds what was added and not removed, whatever the order', () => {
  const list = createSwapRemoveList<string>();
  const [a, b, c] = [list.add('a'), list.add('b'), list.add('c')];
  list.remove(a);
  expect(namesOf(list)).toEqual(['b', 'c']);
  list.remove(c);
  expect(namesOf(list)).toEqual(['b']);
  const again = list.add('a');
  list.remove(b);
  expect(namesOf(list)).toEqual(['a']);
  list.remove(again);
  expect(list.entries).toEqual([]);
});

test('lets an item go once, and not another in its place', () => {
  const list = createSwapRemoveList<string>();
  const a = list.add('a');
  list.add('b');
  expect(namesOf(list)).toEqual(['a', 'b']);
  list.remove(a);
  list.remove(a);
  expect(namesOf(list)).toEqual(['b']);
  list.add('a');
  list.remove(a);
  expect(namesOf(list)).toEqual(['a', 'b']);
});
