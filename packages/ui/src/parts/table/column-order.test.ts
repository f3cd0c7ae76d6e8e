import { expect, test } from 'vitest';

import { moveBeside, toOrdered, withWidths } from './column-order.ts';

const COLUMNS = ['time', 'model', 'prompt', 'cost'].map((id) => ({ id, width: '1px' }));
const ordered = (...order: readonly string[]): readonly string[] => toOrdered(COLUMNS, order).map(({ id }) => id);

test('puts columns in the order of the user, who may not know all of them', () => {
  expect(ordered()).toEqual(['time', 'model', 'prompt', 'cost']);
  expect(ordered('cost', 'time', 'model', 'prompt')).toEqual(['cost', 'time', 'model', 'prompt']);
  // A column that came later stays behind its neighbour, and one that is gone is left out.
  expect(ordered('cost', 'model', 'gone', 'time')).toEqual(['cost', 'model', 'prompt', 'time']);
});

test('moves a column before or after another', () => {
  const ids = ['a', 'b', 'c'];
  expect(moveBeside(ids, 'c', { id: 'a', side: 'before' })).toEqual(['c', 'a', 'b']);
  expect(moveBeside(ids, 'a', { id: 'b', side: 'after' })).toEqual(['b', 'a', 'c']);
  expect(moveBeside(ids, 'a', { id: 'a', side: 'after' })).toBe(ids);
  expect(moveBeside(ids, 'x', { id: 'a', side: 'after' })).toBe(ids);
});

test('takes the widths that were chosen, and leaves the others', () => {
  expect(withWidths(COLUMNS.slice(0, 2), { model: 200 })).toEqual([
    { id: 'time', width: '1px' },
    { id: 'model', width: '200px' },
  ]);
});
