import { expect, test } from 'vitest';

import { sortRows } from './sort-rows.ts';

const ROWS = [
  { name: 'tool 10', spent: 2 },
  { name: 'Tool 9', spent: null },
  { name: 'agent', spent: 7 },
];
const VALUES = {
  name: ({ name }: (typeof ROWS)[number]) => name,
  spent: ({ spent }: (typeof ROWS)[number]) => spent,
};
const namesBy = (by: string, order: 'asc' | 'desc'): readonly string[] =>
  sortRows(ROWS, { by, order }, VALUES).map(({ name }) => name);

test('sorts names as people do, and figures by size', () => {
  expect(namesBy('name', 'asc')).toEqual(['agent', 'Tool 9', 'tool 10']);
  expect(namesBy('name', 'desc')).toEqual(['tool 10', 'Tool 9', 'agent']);
});

test('puts what has no value last, in both orders', () => {
  expect(namesBy('spent', 'desc')).toEqual(['agent', 'tool 10', 'Tool 9']);
  expect(namesBy('spent', 'asc')).toEqual(['tool 10', 'agent', 'Tool 9']);
});

test('leaves rows as they are where nothing sorts them', () => {
  expect(sortRows(ROWS, undefined, VALUES)).toEqual(ROWS);
  expect(sortRows(ROWS, { by: 'gone', order: 'asc' }, VALUES)).toEqual(ROWS);
});
