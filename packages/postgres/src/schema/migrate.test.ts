import { expect, test } from 'vitest';

import { createTestLogger } from '../../../../test/engines/support/test-logger.ts';
import { applyInTime } from './migrate.ts';

const locked = (): Error => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** Applies a migration whose table is free at the nth try. */
async function applyAt(free: number) {
  const { logger, lines } = createTestLogger();
  let tries = 0;
  let pausedMs = 0;
  const apply = async (): Promise<boolean> => {
    tries += 1;
    if (tries < free) throw locked();
    return true;
  };
  const pause = async (ms: number): Promise<void> => void (pausedMs += ms);
  const isApplied = await applyInTime('0009-own-key-fees', apply, { logger }, pause);
  return { isApplied, lines, pausedMs };
}

test('a migration that waits for a lock says so at once, and again each minute', async () => {
  const message =
    'warn A migration waits for a lock that another session has; is a backup running? {"migration":"0009-own-key-fees"}';
  expect(await applyAt(1)).toEqual({ isApplied: true, lines: [], pausedMs: 0 });
  expect((await applyAt(2)).lines).toEqual([message]);
  expect((await applyAt(25)).lines).toEqual([message]);
  // Half a second of each try is waited for in the database.
  expect(await applyAt(26)).toEqual({ isApplied: true, lines: [message, message], pausedMs: 50_000 });
});

test('a migration that waits for a lock gives up when the store is closed', async () => {
  const ending = new AbortController();
  let tries = 0;
  const apply = async (): Promise<boolean> => {
    tries += 1;
    ending.abort();
    throw locked();
  };
  await expect(applyInTime('0009-own-key-fees', apply, { signal: ending.signal })).rejects.toThrow('aborted');
  expect(tries).toBe(1);
});

test('a migration that fails is not tried again', async () => {
  const apply = (): Promise<boolean> => Promise.reject(new Error('no such table'));
  await expect(applyInTime('0009-own-key-fees', apply, {})).rejects.toThrow('no such table');
});
