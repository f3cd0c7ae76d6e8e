import { expect, test } from 'vitest';

import { addLive, type LiveItem, removeLive } from './swap-remove-list.ts';

interface Call extends LiveItem {
  readonly name: string;
}

const call = (name: string): Call => ({ place: -1, name });
const namesOf = (list: readonly Call[]): string[] => list.map(({ name }) => name).sort();

test('holds what was added and not removed, whatever the order', () => {
  const list: Call[] = [];
  const [a, b, c] = [call('a'), call('b'), call('c')];
  for (const item of [a, b, c]) addLive(list, item);
  removeLive(list, a);
  expect(namesOf(list)).toEqual(['b', 'c']);
  removeLive(list, c);
  expect(namesOf(list)).toEqual(['b']);
  addLive(list, a);
  removeLive(list, b);
  expect(namesOf(list)).toEqual(['a']);
  removeLive(list, a);
  expect(list).toEqual([]);
});

test('takes an item once, and lets it go once', () => {
  const list: Call[] = [];
  const [a, b] = [call('a'), call('b')];
  addLive(list, a);
  addLive(list, a);
  addLive(list, b);
  expect(namesOf(list)).toEqual(['a', 'b']);
  removeLive(list, a);
  removeLive(list, a);
  expect(namesOf(list)).toEqual(['b']);
});
