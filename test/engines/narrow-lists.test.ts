import type { GuardrailHitsRow } from '@model-gateway/core';
import { describe, expect, onTestFinished, test } from 'vitest';

import { toVideoJob } from '../support/stores/video-jobs.ts';
import { createVideoProcess } from '../support/videos/video-processes.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { openStore, PATIENT } from './support/postgres-stores.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const JOBS = 1000;
const DAYS = 60;
const UNDELIVERED = 200;
/** In each row, and in each refusal of a day. */
const LONG = 'x'.repeat(4000);

/** A gateway at a store that holds much, and the bytes that its database sends it. */
async function openFullStore(now: number) {
  const url = await openDatabase();
  const filler = await openStore(url, PATIENT);
  const delivery = { url: 'https://a.example', attempts: 1, nextAttemptAt: now, lastResult: null } as const;
  await Promise.all(
    Array.from({ length: JOBS }, (_, index) =>
      filler.videoJobs.insert(
        toVideoJob(`v${index}`, {
          createdAt: now - index * 60_000,
          status: index % 2 === 0 ? 'completed' : 'failed',
          user: LONG,
          delivery: { ...delivery, body: '{}', state: index % 4 === 0 ? 'failed' : 'delivered' },
        }),
      ),
    ),
  );
  for (let days = 0; days < DAYS; days += 1) {
    const day = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
    const refusals = Array.from({ length: 10 }, () => ({ ...REFUSAL, at: Date.parse(day) }));
    await filler.guardrailHits.insert({
      id: `g ${day}`,
      guardrailId: 'g',
      day,
      hours: { 0: { blocked: 1 } },
      refusals,
    });
  }
  for (let index = 0; index < UNDELIVERED; index += 1) {
    const destinationId = index < 2 ? 'd' : 'another';
    const state = index % 3 === 0 && destinationId === 'another' ? 'waiting' : 'failed';
    await filler.broadcasts.insert({ ...UNDELIVERED_ONE, id: `b${index}`, destinationId, state, createdAt: now });
  }
  const proxy = await startFaultProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  const store = await openStore(proxy.through(url));
  const { call } = createVideoProcess(store);
  const get = async (path: string): Promise<{ readonly body: unknown; readonly bytes: number }> => {
    const before = proxy.passed.toClient;
    const { status, body } = await call('GET', path);
    expect(status).toBe(200);
    return { body: JSON.parse(body as string), bytes: proxy.passed.toClient - before };
  };
  return { get };
}

const REFUSAL: GuardrailHitsRow['refusals'][number] = {
  at: 0,
  effect: 'blocked',
  rule: LONG,
  principalId: null,
  model: null,
};

const UNDELIVERED_ONE = {
  kind: 'delivery',
  generationIds: ['gen-1'],
  attempts: 1,
  nextAttemptAt: 0,
  lastResult: LONG,
} as const;

describe.skipIf(missingPostgres)('A list of management at PostgreSQL', () => {
  test('reads no more rows than it shows, and counts all of them', async () => {
    const now = Date.now();
    const { get } = await openFullStore(now);
    const ids = (...numbers: readonly number[]) => numbers.map((number) => ({ id: `v${number}` }));
    const videos = await get('/admin/v1/videos?limit=3');
    expect(videos.body).toMatchObject({ data: ids(0, 1, 2), total_count: JOBS });
    const failed = await get('/admin/v1/videos?limit=3&status=failed');
    expect(failed.body).toMatchObject({ data: ids(1, 3, 5), total_count: JOBS / 2 });
    const deliveries = await get('/admin/v1/webhooks/deliveries?limit=3&state=failed');
    const jobs = [0, 4, 8].map((number) => ({ job_id: `v${number}`, state: 'failed' }));
    expect(deliveries.body).toMatchObject({ data: jobs, total_count: JOBS / 4 });
    for (const { bytes } of [videos, failed, deliveries]) expect(bytes).toBeLessThan(10 * LONG.length);

    const day = new Date(now).toISOString().slice(0, 10);
    const hits = await get(`/admin/v1/guardrails/hits?guardrail=g&from=${day}T00:00:00Z&to=${day}T12:00:00Z`);
    expect(hits.body).toMatchObject({ data: [{ guardrail_id: 'g', totals: { blocked: 1 } }] });
    expect(hits.bytes).toBeLessThan(2 * 10 * LONG.length);

    const undelivered = await get('/admin/v1/destinations/deliveries?destination_id=d');
    expect(undelivered.body).toMatchObject({ data: [{ id: 'b1' }, { id: 'b0' }], total_count: 2 });
    expect(undelivered.bytes).toBeLessThan(10 * LONG.length);
    const [newest, waiting, ofOne] = [
      await get('/admin/v1/destinations/deliveries?limit=3'),
      await get('/admin/v1/destinations/deliveries?limit=3&state=waiting'),
      await get('/admin/v1/destinations/deliveries?limit=3&destination_id=another&state=failed'),
    ];
    const rows = (...numbers: readonly number[]) => numbers.map((number) => ({ id: `b${number}` }));
    expect(newest.body).toMatchObject({ data: rows(199, 198, 197), total_count: UNDELIVERED });
    expect(waiting.body).toMatchObject({ data: rows(198, 195, 192), total_count: 66 });
    expect(ofOne.body).toMatchObject({ data: rows(199, 197, 196), total_count: 132 });
    for (const { bytes } of [newest, waiting, ofOne]) expect(bytes).toBeLessThan(10 * LONG.length);
  });
});
