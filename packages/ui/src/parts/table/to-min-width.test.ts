import { expect, test } from 'vitest';

import { toFitting, toMinWidth } from './to-min-width.ts';

test('adds up fixed widths, the least of those that grow, the gaps and the padding', () => {
  expect(toMinWidth([{ width: '120px' }, { width: 'minmax(160px,2fr)' }, { width: '44px' }])).toBe(120 + 160 + 44 + 64);
});

test('leaves out columns in the given order until the rest has room', () => {
  const columns = ['name', 'kind', 'cost', 'end'].map((id) => ({ id, width: '100px' }));
  const idsIn = (widthPx: number) => toFitting(columns, widthPx, ['end', 'kind']).map(({ id }) => id);
  expect(idsIn(480)).toEqual(['name', 'kind', 'cost', 'end']);
  expect(idsIn(479)).toEqual(['name', 'kind', 'cost']);
  expect(idsIn(300)).toEqual(['name', 'cost']);
  // The rest scrolls sideways.
  expect(idsIn(100)).toEqual(['name', 'cost']);
});
