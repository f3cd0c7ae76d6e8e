import type { AuditEntry } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord, openStore } from './support/generation-stores.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const toEntry = (id: string): AuditEntry => ({
  id,
  at: new Date().toISOString(),
  action: 'key.update',
  actor: { kind: 'key', id: 'abc', name: 'admin', member: null, key: 'abc' },
  from: { address: '203.0.113.7', user_agent: null },
  target: { kind: 'key', id, name: id, workspace: null },
  before: null,
  after: { limitUsd: 5 },
  outcome: 'done',
  reason: null,
  count: 1,
});

describe.skipIf(missingPostgres)('An instance whose clock is a year ahead of that of the database', () => {
  test.each(['at its start', 'while it runs'])('deletes nothing that others have, when it is so %s', async (when) => {
    const url = await openDatabase();
    const first = await openStore({ url, retentionDays: 30 });
    const nowMs = Date.now();
    const delivery = { kind: 'delivery', id: 'd1', destinationId: 'd', generationIds: ['g'], state: 'failed' } as const;
    const never = { attempts: 1, nextAttemptAt: nowMs, lastResult: null, createdAt: nowMs };
    await first.broadcasts.insert({ ...delivery, ...never });
    for (const id of ['a1', 'a2']) await first.audit?.append([toEntry(id)]);
    await first.generations.append(makeRecord(), null);
    expect(await first.generations.count()).toBe(1);

    let leadMs = when === 'at its start' ? 400 * DAY_MS : 0;
    const ahead = await openStore({ url, retentionDays: 30, now: () => Date.now() + leadMs });
    leadMs = 400 * DAY_MS;
    await ahead.audit?.retention?.apply();
    await ahead.retention?.changes?.apply();
    expect(ahead.retention?.isHeld()).toBe(true);
    expect(ahead.said).toEqual([expect.stringContaining('ahead of that of the database')]);
    // Its first sweep is over then.
    await ahead.close();

    const { records } = (await first.audit?.page({ filter: {}, limit: 10 })) ?? {};
    expect(records?.map((record) => record.target.id)).toEqual(['a2', 'a1']);
    expect(await first.broadcasts.get('d1')).toBeDefined();
    expect(await first.generations.count()).toBe(1);
  });

  test('records spending that counts as tomorrow, and is part of no later period', async () => {
    const store = await openStore({ url: await openDatabase() });
    await store.generations.append(makeRecord(Date.now() + 365 * DAY_MS), null);
    await store.generations.append(makeRecord(), null);
    const spentSince = async (days: number): Promise<number> =>
      (await store.generations.spent({ since: dayIn(days) })).creditsNanoUsd;
    expect(await spentSince(-1)).toBe(2000);
    expect(await spentSince(3)).toBe(0);
  });
});
