import { describe, expect, test } from 'vitest';

import { DEFAULT_WORKSPACE_ID } from '../../packages/core/src/auth/keys.ts';
import type { KeyBody } from '../../packages/core/src/wire/keys.ts';
import { toKey, toRecord } from '../support/stores/generation-records.ts';
import { createVideoProcess } from '../support/videos/video-processes.ts';
import { missingPostgres } from './support/engines.ts';
import { openStore } from './support/postgres-stores.ts';
import { openProxiedDatabase } from './support/proxied-database.ts';

const KEYS = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
const BOSS = { kind: 'management', id: 'boss', name: 'boss' } as const;
/** Less than one statement sends: its text, what it asks for, and what says where it begins and ends. */
const STATEMENT_BYTES = 200;

/** A gateway with keys of which each has spent something else, today and three days before. */
async function openSpendingKeys() {
  const { proxied, proxy } = await openProxiedDatabase();
  const store = await openStore(proxied);
  const { call, platform } = createVideoProcess(store);
  const append = async (principalId: string, daysAgo: number, costNanoUsd: number): Promise<void> => {
    const atMs = platform.now() - daysAgo * DAY_MS;
    const generation = { created_at: new Date(atMs).toISOString() };
    const id = `gen-${Math.floor(atMs / 1000)}-${principalId}`;
    await store.generations.append(toRecord(id, { principalId, costNanoUsd, generation }), null);
  };
  for (let number = 0; number < KEYS; number += 1) {
    await store.keys.insert(toKey(`k${number}`, { workspaceId: DEFAULT_WORKSPACE_ID }));
  }
  await Promise.all(
    Array.from({ length: KEYS }, async (_, number) => {
      await append(`k${number}`, 0, number * 1e9);
      await append(`k${number}`, 3, 1e12);
    }),
  );
  const list = async (): Promise<readonly KeyBody[]> => {
    const { status, body } = await call('GET', '/api/v1/keys', undefined, BOSS);
    expect(status).toBe(200);
    return (JSON.parse(body as string) as { readonly data: readonly KeyBody[] }).data;
  };
  return { store, proxy, list };
}

describe.skipIf(missingPostgres)('What keys have spent, at PostgreSQL', () => {
  test('is asked for a page of keys at once, and each key has its own sums', async () => {
    const { proxy, list } = await openSpendingKeys();
    await list();
    const before = proxy.passed.toServer;
    const beganAt = performance.now();
    const keys = await list();
    const tookMs = performance.now() - beganAt;
    const bytes = proxy.passed.toServer - before;
    const spent = keys.map(({ hash, usage, usage_daily }) => [hash, usage, usage_daily]);
    expect(spent).toEqual(Array.from({ length: KEYS }, (_, number) => [`k${number}`, 1000 + number, number]));
    expect(bytes).toBeLessThan(KEYS * STATEMENT_BYTES);
    console.info(`${KEYS} keys listed in ${tookMs.toFixed(1)} ms with ${bytes} bytes to the database`);
  });

  test('is not known while the database is away, and is as soon as it is back', async () => {
    const { store, proxy, list } = await openSpendingKeys();
    proxy.cut();
    const asked = await Promise.allSettled(
      ['k1', 'k2'].map((principalId) => Promise.resolve(store.generations.spent({ principalId }))),
    );
    for (const each of asked) expect(each).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    proxy.pass();
    await expect
      .poll(() =>
        list().then(
          ({ length }) => length,
          () => 0,
        ),
      )
      .toBe(KEYS);
  });
});
