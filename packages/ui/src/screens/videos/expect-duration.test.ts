import { expect, test } from 'vitest';

import { estimateProgress, expectDuration } from './job-progress.tsx';

const job = (seconds: number | null, { model = 'm', status = 'completed' } = {}) => ({
  model,
  status,
  created_at: '2026-03-01T10:00:00.000Z',
  ended_at: seconds === null ? null : new Date(Date.parse('2026-03-01T10:00:00Z') + seconds * 1000).toISOString(),
});

test('expects what half of the completed jobs of the same model took', () => {
  const jobs = [job(10), job(90), job(20), job(1, { status: 'failed' }), job(500, { model: 'other' }), job(null)];
  expect(expectDuration('m', jobs)).toBe(20_000);
});

test('expects nothing where nothing has completed', () => {
  expect(expectDuration('m', [job(5, { status: 'expired' })])).toBeNull();
  expect(estimateProgress('2026-03-01T10:00:00Z', null, 0)).toBeNull();
});

test.each([
  [-5, 0],
  [10, 0.5],
  [500, 0.95],
])('takes %i seconds of 20 for a progress of %d', (seconds, progress) => {
  const now = Date.parse('2026-03-01T10:00:00Z') + seconds * 1000;
  expect(estimateProgress('2026-03-01T10:00:00Z', 20_000, now)).toBe(progress);
});
