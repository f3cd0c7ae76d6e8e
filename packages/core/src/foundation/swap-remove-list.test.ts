import { expect, test } from 'vitest';

import { addTo, type ListedItem, removeFrom } from './swap-remove-list.ts';

interface Call extends ListedItem {
  readonly name: string;
}

const call = (name: string): Call => ({ place: -1, name });
const namesOf = (list: readonly Call[]): string[] => list.map(({ name }) => name).sort();

test('holds what was added and not removed, whatever the order', () => {
  const list: Call[] = [];
  const [a, b, c] = [call('a'), call('b'), call('c')];
  for (const item of [a, b, c]) addTo(list, item);
  removeFrom(list, a);
  expect(namesOf(list)).toEqual(['b', 'c']);
  removeFrom(list, c);
  expect(namesOf(list)).toEqual(['b']);
  addTo(list, a);
  removeFrom(list, b);
  expect(namesOf(list)).toEqual(['a']);
  removeFrom(list, a);
  expect(list).toEqual([]);
});

test('takes an item once, and lets it go once', () => {
  const list: Call[] = [];
  const [a, b] = [call('a'), call('b')];
  addTo(list, a);
  addTo(list, a);
  addTo(list, b);
  expect(namesOf(list)).toEqual(['a', 'b']);
  removeFrom(list, a);
  removeFrom(list, a);
  expect(namesOf(list)).toEqual(['b']);
});
