import { expect, test } from 'vitest';

import { fitColumns, toFitting, toLeaving, toMinWidth } from './to-fitting.ts';

const COLUMNS = [
  { id: 'name', width: 'minmax(100px,2fr)' },
  { id: 'host', width: '100px', leaves: 2 },
  { id: 'cost', width: '100px' },
  { id: 'type', width: '100px', leaves: 1 },
];

const idsAt = (width: number): readonly string[] => toFitting(COLUMNS, width).map(({ id }) => id);

test('leaves out the columns that matter least until the others fit, and keeps their order', () => {
  expect(idsAt(480)).toEqual(['name', 'host', 'cost', 'type']);
  expect(idsAt(479)).toEqual(['name', 'host', 'cost']);
  expect(idsAt(363)).toEqual(['name', 'cost']);
});

test('keeps the columns that may not leave, however narrow the table is', () => {
  expect(idsAt(10)).toEqual(['name', 'cost']);
});

test('takes the order in which columns leave as a list of their ids', () => {
  const columns = toLeaving(
    COLUMNS.map(({ id, width }) => ({ id, width })),
    ['cost', 'host'],
  );
  expect(toFitting(columns, 479).map(({ id }) => id)).toEqual(['name', 'host', 'type']);
  expect(toFitting(columns, 10).map(({ id }) => id)).toEqual(['name', 'type']);
});

test('takes the narrow form of columns only where those that stay do not fit', () => {
  const columns = [
    { id: 'model', header: 'Model', width: '200px', cell: String },
    { id: 'time', header: 'Time', width: '120px', cell: String, narrow: { width: '60px', cell: () => 'short' } },
  ];
  expect(fitColumns(columns, 368)).toEqual({ columns, isTight: false });
  const narrow = fitColumns(columns, 367);
  expect(narrow.isTight).toBe(true);
  expect(narrow.columns.map(({ width, cell }) => [width, cell('long')])).toEqual([
    ['200px', 'long'],
    ['60px', 'short'],
  ]);
});

test('adds up fixed widths, the least of those that grow, the gaps and the padding', () => {
  expect(toMinWidth([{ width: '120px' }, { width: 'minmax(160px,2fr)' }, { width: '44px' }])).toBe(120 + 160 + 44 + 64);
});

test('counts less between the cells of a tight table', () => {
  expect(toMinWidth([{ width: '120px' }, { width: '44px' }], true)).toBe(120 + 8 + 44 + 24);
});
