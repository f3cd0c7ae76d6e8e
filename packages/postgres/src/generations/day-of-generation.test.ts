import { expect, test } from 'vitest';

import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { dayOfBeginning, dayOfGeneration, dayOfId } from './day-of-generation.ts';

test('the day of a generation is that of its id, whenever it began', () => {
  const id = `gen-${Date.UTC(2026, 2, 1, 23, 59, 59) / 1000}-0011`;
  const generation = { created_at: '2026-03-02T00:00:01.000Z' };
  expect(dayOfId(id)).toBe('2026-03-01');
  expect(dayOfGeneration(toRecord(id, { generation }))).toBe('2026-03-01');
  expect(dayOfGeneration(toRecord('gen-7', { generation }))).toBe('2026-03-02');
});

test.each(['gen-1', 'gen-new-1', '', 'gen-99999999999-x', 'xgen-1795467616-x', '__proto__'])(
  'the id %j does not tell a day',
  (id) => expect(dayOfId(id)).toBeUndefined(),
);

test('a beginning that is no time has a day nevertheless', () => {
  expect(dayOfBeginning('soon')).toBe('1970-01-01');
});
