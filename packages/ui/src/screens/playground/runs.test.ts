import { expect, test } from 'vitest';

import { createRun } from '../../features/playground/create-run.ts';
import type { ChatPiece } from '../../features/playground/stream-chat.ts';
import { createRuns } from './runs.ts';

/** A stream that ends when it is stopped. */
async function* endless(signal: AbortSignal): AsyncGenerator<ChatPiece> {
  yield { text: 'a' };
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  throw signal.reason;
}

test('each column has a run of its own, and all of them can be stopped and waited for', async () => {
  const draw = (callback: () => void): void => callback();
  const runs = createRuns(() => createRun(draw, () => 0));
  let changes = 0;
  runs.subscribe(() => (changes += 1));
  expect(runs.of('a')).toBe(runs.of('a'));
  expect(runs.of('a')).not.toBe(runs.of('b'));
  const kept: string[] = [];
  for (const id of ['a', 'b'])
    runs.track(
      runs
        .of(id)
        .start(endless)
        .then(() => void kept.push(id)),
    );
  expect(runs.isRunning()).toBe(true);
  await runs.stopAll();
  expect([runs.isRunning(), kept.toSorted(), runs.of('a').getState().status]).toEqual([false, ['a', 'b'], 'stopped']);
  expect(changes).toBeGreaterThan(3);
});
