import { expect, test } from 'vitest';

import { createWebPlatform } from '../../foundation/platform.ts';
import { createStatementLimit } from './slice-store.ts';

const LIMIT_MS = 80;
const within = createStatementLimit(createWebPlatform(), LIMIT_MS);

/** Keeps the process from doing anything else. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('a response that came while the process was busy for longer than the limit is read', async () => {
  const response = await new Promise((resolve) => {
    // In this phase of a turn: timers that are due come next, and only then what is to be read.
    setImmediate(() => {
      within(new Promise((read) => setImmediate(read, 'granted'))).then(resolve, resolve);
      block(2 * LIMIT_MS);
    });
  });
  expect(response).toBe('granted');
});

test('a store that does not respond is given up after the limit', async () => {
  const startedAt = performance.now();
  await expect(within(new Promise(() => undefined))).rejects.toThrow('The store did not respond in time');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(LIMIT_MS - 5);
});

test('a failure of the store is told at once', async () => {
  await expect(within(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});
