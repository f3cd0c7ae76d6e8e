import { expect, test } from 'vitest';

import { toMinWidth } from './to-min-width.ts';

test('adds up fixed widths, the least of those that grow, the gaps and the padding', () => {
  expect(toMinWidth([{ width: '120px' }, { width: 'minmax(160px,2fr)' }, { width: '44px' }])).toBe(120 + 160 + 44 + 64);
});

test('counts less between the cells of a tight table', () => {
  expect(toMinWidth([{ width: '120px' }, { width: '44px' }], true)).toBe(120 + 8 + 44 + 24);
});
