import { expect, test } from 'vitest';

import { addUpSearch, toPercent } from './search-bar.tsx';

test('adds up how far the pages of a search have come', () => {
  const pages = [
    { searched: { records: 500, back_to: '2026-03-02T00:00:00Z' } },
    { searched: { records: 120, back_to: '2026-03-01T00:00:00Z' } },
    { searched: { records: 0, back_to: null } },
  ];
  expect(addUpSearch(pages)).toEqual({ records: 620, backTo: '2026-03-01T00:00:00Z' });
  expect(addUpSearch([{}])).toEqual({ records: 0, backTo: null });
});

test('says 100 % at the end alone', () => {
  expect(toPercent(50, 200, false)).toBe(25);
  // Calls that end meanwhile are looked at, too.
  expect(toPercent(230, 200, false)).toBe(99);
  expect(toPercent(0, 0, false)).toBe(99);
  expect(toPercent(3, undefined, false)).toBeNull();
  expect(toPercent(3, 200, true)).toBe(100);
});
