import { expect, test } from 'vitest';

import { shareConnections, warnOfConnections } from './share-connections.ts';

test.each([
  [10, 1, 10],
  [10, 4, 2],
  [10, 5, 2],
  [10, 8, 2],
])('%i connections are shared out among %i workers as %i each', (maxConnections, workers, each) => {
  expect(shareConnections(maxConnections, workers)).toBe(each);
});

test('workers that open more connections than were allowed are said, with what to change', () => {
  expect(warnOfConnections(10, 8)).toBe(
    'store.maxConnections is 10, but each worker needs 2: these 8 open up to 16. Set it to 16 where the database has ' +
      'room for them, or start at most 5 workers',
  );
  expect(warnOfConnections(10, 5)).toBeUndefined();
});
