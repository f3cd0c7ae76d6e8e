import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { createActivityBook } from './activity-book.ts';

const on = (day: string) => toRecord(`gen-${day}`, { generation: { created_at: `${day}T00:00:00.000Z` } });

test('a book drops the days before one, and removed generations', () => {
  const book = createActivityBook();
  for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) book.add(on(day));
  book.forgetBefore('2026-03-02');
  book.subtract(on('2026-03-03'));
  expect(book.sums().map(({ date }) => date)).toEqual(['2026-03-02']);
});

test('sums that were read stay as they were', () => {
  const book = createActivityBook();
  book.add(on('2026-03-01'));
  const [before] = book.sums();
  book.add(on('2026-03-01'));
  expect([before?.requests, book.sums()[0]?.requests]).toEqual([1, 2]);
});
