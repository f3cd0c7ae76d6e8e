import { expect, test } from 'vitest';

import { toBars } from './attempt-bars.ts';

test('lays attempts one after the other, the response after the last', () => {
  const { bars, totalMs } = toBars({
    provider_responses: [
      { status: 429, latency: 250 },
      { status: 200, latency: 250 },
    ],
    generation_time: 750,
    latency: 250,
  });
  expect(totalMs).toBe(1000);
  expect(bars).toEqual([
    { start: 0, waited: 25, streamed: 0 },
    { start: 25, waited: 25, streamed: 50 },
  ]);
});

test('shows attempts that took no time, and none where no provider was called', () => {
  expect(toBars({ provider_responses: [{ status: null }], generation_time: null, latency: null }).bars).toEqual([
    { start: 0, waited: 0.5, streamed: 0 },
  ]);
  expect(toBars({ provider_responses: null, generation_time: null, latency: null }).bars).toEqual([]);
});
