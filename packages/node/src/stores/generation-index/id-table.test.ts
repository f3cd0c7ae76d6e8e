import { expect, test } from 'vitest';

import { createIdTable } from './id-table.ts';

test('every id leads to its row, and no other id to any', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `gen-1780000000-${(i * 7919) % 20_000}é`);
  const table = createIdTable((row, id) => ids[row] === id);
  for (const [row, id] of ids.entries()) {
    expect(table.find(id)).toBe(-1);
    table.add(id, row);
  }
  expect(ids.map((id) => table.find(id))).toEqual([...ids.keys()]);
  for (const id of ['', 'gen-1780000000-20000é', 'gen-1780000000-7']) expect(table.find(id)).toBe(-1);
});

test('ids of the same hash are told apart', () => {
  // A well-known collision of FNV-1a in 32 bits.
  const ids = ['costarring', 'liquid'];
  const table = createIdTable((row, id) => ids[row] === id);
  table.add('costarring', 0);
  expect(table.find('liquid')).toBe(-1);
  table.add('liquid', 1);
  expect(ids.map((id) => table.find(id))).toEqual([0, 1]);
});
