import { expect, test } from 'vitest';

import { toMoving } from './view-queries.ts';

const failures = { name: 'Failures', search: { status: 'failed' }, hiddenColumns: null };
const others = { ...failures, search: { status: 'cancelled' } };

test('moves up once what this browser had saved, and overwrites nothing of others', () => {
  expect(toMoving({ views: [failures], areViewsMoved: false }, [])).toEqual([failures]);
  expect(toMoving({ views: [failures], areViewsMoved: false }, [failures])).toEqual([]);
  expect(toMoving({ views: [failures], areViewsMoved: false }, [others])).toEqual([
    { ...failures, name: 'Failures 2' },
  ]);
  expect(toMoving({ views: [failures], areViewsMoved: true }, [])).toEqual([]);
});
