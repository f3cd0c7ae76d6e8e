import type { GuardrailHitsRow, Store, VideoJob } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { toVideoJob } from '../support/stores/video-jobs.ts';
import { missingPostgres } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore, openTwoStores } from './support/postgres-stores.ts';

const ODD = 'a\0b\\u0000 \ud800 \udc00 "\u{1F600}';
const DAY_MS = 24 * 60 * 60 * 1000;

const lease = (ownerId: string, untilMs: number): VideoJob['lease'] => ({ ownerId, token: 1, untilMs });

describe.skipIf(missingPostgres)('The rows of two processes', () => {
  test('add up what both have counted of a guardrail', async () => {
    const { one, other } = await openTwoStores();
    const day = new Date().toISOString().slice(0, 10);
    const empty: GuardrailHitsRow = { id: `g ${day}`, guardrailId: 'g', day, hours: {}, refusals: [] };
    const add = (row: GuardrailHitsRow): GuardrailHitsRow => ({
      ...row,
      hours: { 3: { blocked: (row.hours[3]?.blocked ?? 0) + 1 } },
    });
    const additions = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? one : other).guardrailHits.update(empty.id, add, empty),
    );
    await Promise.all(additions);
    expect(await other.guardrailHits.list()).toEqual([{ ...empty, hours: { 3: { blocked: 60 } } }]);
  });

  test('take one claim of those made at once, and give its text to all', async () => {
    const { one, other } = await openTwoStores();
    const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other));
    const claims = await Promise.all(
      stores.map(async ({ entries }, index) => entries?.claim('k', String(index), 60_000)),
    );
    const first = claims.indexOf(undefined);
    expect(claims).toEqual(claims.map((_, index) => (index === first ? undefined : String(first))));
    expect(await one.entries?.get('k')).toBe(String(first));
  });

  test('give what is taken to one of those that take it at once', async () => {
    const { one, other } = await openTwoStores();
    await one.entries?.put('k', 'v', 60_000);
    const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other));
    const taken = await Promise.all(stores.map(async ({ entries }) => entries?.take('k')));
    expect(taken.filter((value) => value !== undefined)).toEqual(['v']);
    expect(await other.entries?.get('k')).toBeUndefined();
  });

  test('are all removed that have expired, however many there are', async () => {
    const { url } = await openTwoStores();
    await runStatement(
      url,
      `insert into gateway.entries (id, value, expires_at)
       select 'old ' || n, '"v"', now() - interval '1 second' from generate_series(1, 12000) n`,
    );
    // It sweeps as it starts.
    await openStore(url);
    const count = async () => runStatement(url, 'select count(*)::int as rows from gateway.entries');
    await eventually(async () => expect(await count()).toEqual([{ rows: 0 }]));
  });

  test('forget an entry that has expired, and let it be claimed again', async () => {
    const { url, one, other } = await openTwoStores();
    for (const id of ['get', 'take', 'claim']) await one.entries?.put(id, 'old', 60_000);
    await runStatement(url, "update gateway.entries set expires_at = now() - interval '1 second'");
    expect(await other.entries?.get('get')).toBeUndefined();
    expect(await other.entries?.take('take')).toBeUndefined();
    expect(await other.entries?.claim('claim', 'new', 60_000)).toBeUndefined();
    expect(await one.entries?.claim('claim', 'newer', 60_000)).toBe('new');
    await one.entries?.put('claim', 'newest', 60_000);
    expect(await other.entries?.get('claim')).toBe('newest');
  });

  test('renew and take an entry only while it is the one that was meant', async () => {
    const { url, one, other } = await openTwoStores();
    await one.entries?.put('k', 'mine', 60_000);
    expect(await other.entries?.renew('k', 'mine', 60_000)).toBe(true);
    expect(await other.entries?.renew('k', 'of another', 60_000)).toBe(false);
    expect(await other.entries?.take('k', 'of another')).toBeUndefined();
    expect(await other.entries?.take('k', 'mine')).toBe('mine');
    expect(await one.entries?.renew('k', 'mine', 60_000)).toBe(false);
    await one.entries?.put('k', 'mine', 60_000);
    await runStatement(url, "update gateway.entries set expires_at = now() - interval '1 second'");
    expect(await one.entries?.renew('k', 'mine', 60_000)).toBe(false);
  });

  test('are swept when they have expired or are beyond retention', async () => {
    const { url, one } = await openTwoStores();
    const now = Date.now();
    await one.entries?.put('k', 'v', 60_000);
    await one.videoJobs.insert(toVideoJob('old', { status: 'completed', updatedAt: now - 9 * DAY_MS }));
    await one.videoJobs.insert(toVideoJob('open', { updatedAt: now - 9 * DAY_MS }));
    const waiting = { url: 'https://a.example', body: null, attempts: 1, nextAttemptAt: 0, lastResult: null };
    const announcing = { status: 'failed', updatedAt: 0, delivery: { ...waiting, state: 'waiting' } } as const;
    await one.videoJobs.insert(toVideoJob('announcing', announcing));
    const attempt = { destinationId: 'd', generationIds: ['g'], tookMs: 1, hasArrived: true, result: 'HTTP 200' };
    await one.deliveries.append({ ...attempt, sentAt: now - 9 * DAY_MS });
    await runStatement(url, "update gateway.entries set expires_at = now() - interval '1 second'");
    const short = await openStore(url, { retentionDays: 7 });
    expect((await short.videoJobs.list()).map(({ id }) => id)).toEqual(['open', 'announcing']);
    const left = 'select (select count(*) from gateway.entries) + (select count(*) from gateway.deliveries) as n';
    await expect.poll(() => runStatement(url, left)).toEqual([{ n: '0' }]);
    await expect.poll(async () => (await one.videoJobs.list()).length).toBe(2);

    await one.videoJobs.insert(toVideoJob('old', { status: 'completed', updatedAt: now - 9 * DAY_MS }));
    const day = new Date(now - 9 * DAY_MS).toISOString().slice(0, 10);
    await one.guardrailHits.insert({ id: `g ${day}`, guardrailId: 'g', day, hours: {}, refusals: [] });
    const countIn = async ({ videoJobs, guardrailHits }: Store) => [
      (await videoJobs.page?.({ limit: 9 }))?.totalCount,
      (await guardrailHits.listDays?.({ to: day }))?.length,
    ];
    expect(await countIn(one)).toEqual([3, 1]);
    expect(await countIn(short)).toEqual([2, 0]);
  });

  test('keep every text that callers can send', async () => {
    const { one, other } = await openTwoStores();
    await one.entries?.put(ODD, ODD, 60_000);
    expect(await other.entries?.get(ODD)).toBe(ODD);
    expect(await other.entries?.get(ODD.replace('\0', '\\u0000'))).toBeUndefined();
    const job = toVideoJob('v', { principalId: ODD, user: ODD, idempotency: { key: ODD, bodyHash: 'h' } });
    await one.videoJobs.insert(job);
    expect(await other.videoJobs.get('v')).toEqual(job);
    expect(await other.videoJobs.findByIdempotencyKey?.(ODD, ODD)).toEqual(job);
    const delivery = { destinationId: ODD, generationIds: [ODD], sentAt: 5, tookMs: 1, hasArrived: true, result: ODD };
    await one.deliveries.append(delivery);
    expect(await other.deliveries.of(ODD, 5)).toEqual([delivery]);
  });
});

describe.skipIf(missingPostgres)('The video jobs of two processes', () => {
  test('are changed by what stands there when the turn comes, so that no change is lost', async () => {
    const { one, other } = await openTwoStores();
    await one.videoJobs.insert(toVideoJob('v', { reservedNanoUsd: 0 }));
    const changes = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? one : other).videoJobs.update('v', (job) => ({
        ...job,
        reservedNanoUsd: job.reservedNanoUsd + 1,
      })),
    );
    await Promise.all(changes);
    expect((await one.videoJobs.get('v'))?.reservedNanoUsd).toBe(60);
    await expect(other.videoJobs.insert(toVideoJob('v'))).rejects.toThrow(/id v exists/);
    expect(await other.videoJobs.update('w', (job) => job)).toBeUndefined();
    expect(await other.videoJobs.remove('v')).toBe(true);
    expect(await one.videoJobs.remove('v')).toBe(false);
  });

  test('change nothing when the change throws', async () => {
    const { one } = await openTwoStores();
    const job = toVideoJob('v');
    await one.videoJobs.insert(job);
    const refuse = (): never => {
      throw new RangeError('not so');
    };
    await expect(one.videoJobs.update('v', refuse)).rejects.toThrow(/not so/);
    expect(await one.videoJobs.get('v')).toEqual(job);
  });

  test('are found by whether work is left and who owns it', async () => {
    const { one, other } = await openTwoStores();
    const jobs = [
      toVideoJob('free'),
      toVideoJob('held', { lease: lease('a', 2000) }),
      toVideoJob('orphaned', { lease: lease('b', 1000) }),
      toVideoJob('ended', { status: 'completed' }),
      toVideoJob('due', { status: 'completed', content: 'due' }),
    ];
    for (const job of jobs) await one.videoJobs.insert(job);
    const idsOf = async (query: { freeAtMs?: number; limit: number }): Promise<string[]> =>
      ((await other.videoJobs.listWorking?.(query)) ?? []).map(({ id }) => id);
    expect(await idsOf({ limit: 9 })).toEqual(['free', 'held', 'orphaned', 'due']);
    expect(await idsOf({ freeAtMs: 1500, limit: 9 })).toEqual(['free', 'orphaned', 'due']);
    expect(await idsOf({ limit: 2 })).toEqual(['free', 'held']);
    expect((await other.videoJobs.listNewest?.(2))?.map(({ id }) => id)).toEqual(['due', 'ended']);
    await one.videoJobs.update('free', (job) => ({ ...job, status: 'failed' }));
    expect(await idsOf({ freeAtMs: 1500, limit: 9 })).toEqual(['orphaned', 'due']);
  });

  test('are found by the newest order with an idempotency key, of one caller', async () => {
    const { one, other } = await openTwoStores();
    const idempotency = { key: 'k', bodyHash: 'h' };
    for (const id of ['first', 'second']) await one.videoJobs.insert(toVideoJob(id, { principalId: 'p', idempotency }));
    await one.videoJobs.insert(toVideoJob('of another', { principalId: 'q', idempotency }));
    expect((await other.videoJobs.findByIdempotencyKey?.('p', 'k'))?.id).toBe('second');
    expect(await other.videoJobs.findByIdempotencyKey?.('p', 'other')).toBeUndefined();
  });
});
