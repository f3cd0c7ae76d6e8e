import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { newExperiment } from '../../../features/playground/experiment.ts';
import { createExperimentStore } from './experiment-store.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('keeps many changes as one, a little after the first, and what has come last at once when asked', async () => {
  const kept: string[] = [];
  const store = createExperimentStore(
    newExperiment(['a/a'], () => 'id'),
    async ({ text }) => {
      kept.push(text);
      return [];
    },
  );
  const type = (text: string): void => store.update((experiment) => ({ ...experiment, text }));
  type('a');
  type('ab');
  expect([kept, store.saving.getState()]).toEqual([[], 'saving']);
  await vi.advanceTimersByTimeAsync(400);
  expect([kept, store.saving.getState()]).toEqual([['ab'], 'saved']);
  type('abc');
  await store.flush();
  await vi.advanceTimersByTimeAsync(1000);
  expect([kept, store.saving.getState()]).toEqual([['ab', 'abc'], 'saved']);
});

test('tells what could not be kept', async () => {
  const store = createExperimentStore(
    newExperiment(['a/a'], () => 'id'),
    async ({ text }) => {
      if (text === 'full') throw new Error('full');
      return ['a.png'];
    },
  );
  store.update((experiment) => ({ ...experiment, text: 'a' }));
  await store.flush();
  expect(store.saving.getState()).toEqual({ leftOut: ['a.png'] });
  store.update((experiment) => ({ ...experiment, text: 'full' }));
  await store.flush();
  expect(store.saving.getState()).toMatchObject({ error: { message: 'full' } });
});
