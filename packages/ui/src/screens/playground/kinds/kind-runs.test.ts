import { expect, test } from 'vitest';

import { createKindRuns } from './kind-runs.ts';

const toTimes = () => {
  let ms = 0;
  return () => (ms += 10);
};

test('the latest result comes first, with its time, and what was entered when it was sent', async () => {
  const runs = createKindRuns<string, number>('', toTimes());
  await runs.start('a/one', 'x', () => Promise.resolve({ result: 1, generationId: 'gen-1' }));
  await runs.start('a/two', 'y', () => Promise.reject(new Error('no')));
  expect(runs.getState().runs).toMatchObject([
    { model: 'a/two', draft: 'y', status: 'failed', outcome: null, elapsedMs: 10 },
    { model: 'a/one', draft: 'x', status: 'done', outcome: { result: 1 }, elapsedMs: 10 },
  ]);
});

test('a run that is stopped, or that another takes the place of, is no failure', async () => {
  const runs = createKindRuns<string, number>('', toTimes());
  const wait = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  const first = runs.start('a/one', 'x', wait);
  const second = runs.start('a/one', 'y', wait);
  await first;
  runs.stop();
  await second;
  expect(runs.getState().runs.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
});
