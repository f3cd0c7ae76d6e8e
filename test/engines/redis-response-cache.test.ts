import type { CachedCompletion } from '@model-gateway/core';
import { createClient } from '@redis/client';
import { describe, expect, onTestFinished, test } from 'vitest';

import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  parseFrames,
  readFrames,
} from '../support/gateways/core-gateway.ts';
import { createRecordingStore } from '../support/stores/recording-store.ts';
import { chunkings, toEventPieces } from '../support/upstreams/chunkings.ts';
import { createReplayTransport } from '../support/upstreams/scripted-transport.ts';
import { missingRedis, redisUrl } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { medianOf } from './support/median-of.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

let prefixes = 0;
const freshPrefix = () => `test-${process.pid}-cache-${(prefixes += 1)}`;

const openShared = (prefix: string, url = redisUrl(), maxCacheBytes?: number) =>
  openRedisShared({ url, whenDown: 'open', prefix, maxCacheBytes });

/** Two gateways with one store, one Redis and one upstream. */
async function openTwo(upstream: ReturnType<typeof createReplayTransport>, url?: string): Promise<CoreGateway[]> {
  const prefix = freshPrefix();
  const recordingStore = createRecordingStore();
  const shared = [await openShared(prefix, url), await openShared(prefix, url)];
  return shared.map(({ parts }, index) => {
    const core = createCoreGateway(upstream, { recordingStore, shared: parts });
    // They have the same randomness, and the ids of their calls must not be the same.
    core.platform.oversleep(index * 3_600_000);
    return core;
  });
}

const whole = (content: string) => ({
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    }),
  ],
});

const ON = { 'x-service-cache': 'true' };
const STATUS = 'x-service-cache-status';
const ask = (core: CoreGateway, headers: Record<string, string> = ON, body: object = {}, key = API_KEY) =>
  core.chat(body as Record<string, unknown>, { headers: { authorization: `Bearer ${key}`, ...headers } });
/** Storing is not waited for by the call that made the completion. */
const untilHit = (core: CoreGateway, headers = ON, body: object = {}, key = API_KEY) =>
  eventually(async () => {
    const response = await ask(core, headers, body, key);
    expect(response.headers[STATUS]).toBe('HIT');
    return response;
  });

describe.skipIf(missingRedis)('Completions in Redis', () => {
  test('are repeated by another instance as by the one that made them', async () => {
    const [one, other] = (await openTwo(createReplayTransport(whole('Grüße ☕')))) as [CoreGateway, CoreGateway];
    const first = await ask(one);
    expect(first.headers[STATUS]).toBe('MISS');
    // Nobody waits for storing, yet the next call finds it.
    expect((await ask(one)).headers[STATUS]).toBe('HIT');
    const again = await untilHit(other);
    expect(again.headers).toMatchObject({
      'x-service-cache-source-id': jsonOf(first)['id'],
      'x-service-cache-ttl': '300',
      'x-service-cache-age': '0',
    });
    expect(jsonOf(again)).toMatchObject({
      provider: 'Acme',
      choices: [{ message: { content: 'Grüße ☕' } }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 },
    });
    expect(jsonOf(again)['id']).not.toBe(jsonOf(first)['id']);
  });

  const stream = toEventPieces([
    { choices: [{ index: 0, delta: { content: 'Grüße, ' } }] },
    { choices: [{ index: 0, delta: { content: '☕\n' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
  ]);
  test.each(chunkings(stream))('are repeated through the same frames, %s', async (_, pieces) => {
    const [one, other] = (await openTwo(createReplayTransport({ pieces }))) as [CoreGateway, CoreGateway];
    const deltasOf = async (response: Awaited<ReturnType<typeof ask>>) =>
      parseFrames(await readFrames(response).rest()).flatMap((frame) =>
        typeof frame === 'object' ? frame.choices.map(({ delta, finish_reason }) => [delta, finish_reason]) : [frame],
      );
    const first = await deltasOf(await ask(one, ON, { stream: true }));
    expect(await deltasOf(await untilHit(other, ON, { stream: true }))).toEqual(first);
  });

  test('are forgotten for all instances when one is asked to', async () => {
    const [one, other] = (await openTwo(createReplayTransport(whole('one')))) as [CoreGateway, CoreGateway];
    await ask(one);
    await untilHit(other);
    await ask(other, { 'x-service-cache-clear': 'true' });
    expect((await ask(one)).headers[STATUS]).toBe('MISS');
  });

  test('end with their time', async () => {
    const [one, other] = (await openTwo(createReplayTransport(whole('one')))) as [CoreGateway, CoreGateway];
    const headers = { ...ON, 'x-service-cache-ttl': '1' };
    await ask(one, headers);
    await untilHit(other, headers);
    const isOver = async () => {
      // Without the header the call stores nothing.
      const response = await ask(other, { ...headers, 'x-service-cache-ttl': '1' });
      expect(response.headers[STATUS]).toBe('MISS');
    };
    await eventually(isOver);
  });

  test('agree under equal guardrails, whatever else an instance has seen, and differ when one is changed', async () => {
    const [one, other] = (await openTwo(createReplayTransport(whole('one')))) as [CoreGateway, CoreGateway];
    const admin = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };
    const guard = async (pattern: string) => {
      const { key, data } = jsonOf(await one.post('/api/v1/keys', { name: pattern }, admin)) as {
        key: string;
        data: { hash: string };
      };
      const fields = { name: pattern, content_filters: [{ pattern, action: 'block', label: 'X' }] };
      const guardrail = jsonOf(await one.post('/api/v1/guardrails', fields, admin)) as { data: { id: string } };
      const { id } = guardrail.data;
      await one.post(`/api/v1/guardrails/${id}/assignments/keys`, { key_hashes: [data.hash] }, admin);
      return { key, id };
    };
    const [unheard, another] = [await guard('unheard'), await guard('another')];
    // The other instance sees them in another order.
    await ask(other, {}, {}, another.key);
    await ask(one, ON, {}, unheard.key);
    await untilHit(other, ON, {}, unheard.key);

    const change = { content_filters: [{ pattern: 'unspoken', action: 'block', label: 'X' }] };
    const path = `/api/v1/guardrails/${unheard.id}`;
    expect((await one.post(path, change, { ...admin, method: 'PATCH' })).status).toBe(200);
    expect((await ask(other, ON, {}, unheard.key)).headers[STATUS]).toBe('MISS');
    await untilHit(one, ON, {}, unheard.key);
  });

  const completion = (length: number, ttlMs: number): CachedCompletion => ({
    sourceId: 'gen-1',
    endpoint: 'e',
    batches: 'x'.repeat(length),
    ttlMs,
  });

  test('take no more than their room: the one that ends first is removed', async () => {
    const prefix = freshPrefix();
    const cache = (await openShared(prefix, undefined, 1000)).parts.responseCache;
    for (const [name, ttlMs] of [
      ['a', 50_000],
      ['b', 10_000],
      ['c', 60_000],
    ] as const) {
      cache?.store(name, completion(300, ttlMs));
    }
    await eventually(async () => expect(await cache?.find('c')).toBeDefined());
    cache?.store('d', completion(300, 70_000));
    await eventually(async () => expect(await cache?.find('d')).toBeDefined());
    const found = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await cache?.find(name)) !== undefined));
    expect(found).toEqual([true, false, true, true]);
    const client = await createClient({ url: redisUrl() }).connect();
    onTestFinished(() => client.close());
    const sizes = await client.hGetAll(`${prefix}:{cache}:sizes`);
    const total = Object.values(sizes).reduce((sum, size) => sum + Number(size), 0);
    expect(Number(await client.get(`${prefix}:{cache}:bytes`))).toBe(total);
    // One in the place of another counts once.
    cache?.store('a', completion(10, 50_000));
    await eventually(async () => expect((await cache?.find('a'))?.batches).toHaveLength(10));
    expect(Number(await client.get(`${prefix}:{cache}:bytes`))).toBe(total - 290);
  });

  test.each(['ends', 'sizes', 'bytes'])(
    'are stored and take no more than their room after Redis has evicted their %s',
    async (book) => {
      const server = await startOwnRedis();
      const prefix = freshPrefix();
      const cache = (await openShared(prefix, server.url, 1000)).parts.responseCache;
      const client = await createClient({ url: server.url }).connect();
      onTestFinished(() => client.destroy());
      const storeAll = async (names: readonly string[]): Promise<void> => {
        for (const name of names) {
          cache?.store(name, completion(300, 60_000));
          await eventually(async () => expect(await cache?.find(name)).toBeDefined());
        }
      };
      await storeAll(['a', 'b', 'c']);
      await client.del(`${prefix}:{cache}:${book}`);
      await storeAll(['d', 'e', 'f', 'g', 'h', 'i', 'j']);
      const sizes = await client.hGetAll(`${prefix}:{cache}:sizes`);
      const total = Object.values(sizes).reduce((sum, size) => sum + Number(size), 0);
      expect(total).toBeLessThanOrEqual(1000);
      expect(Number(await client.get(`${prefix}:{cache}:bytes`))).toBe(total);
      expect(await client.zCard(`${prefix}:{cache}:ends`)).toBe(Object.keys(sizes).length);
    },
  );

  test('of more than 1 MB are not stored, as they would hold up what is behind them', async () => {
    const cache = (await openShared(freshPrefix())).parts.responseCache;
    cache?.store('huge', completion(1024 * 1024, 60_000));
    cache?.store('large', completion(1024 * 1000, 60_000));
    await eventually(async () => expect(await cache?.find('large')).toBeDefined());
    expect(await cache?.find('huge')).toBeUndefined();
  });

  test.each(['stopped', 'paused'] as const)('are missing without a wait while Redis is %s', async (how) => {
    const server = await startOwnRedis();
    const [one, other] = (await openTwo(createReplayTransport(whole('one')), server.url)) as [CoreGateway, CoreGateway];
    await ask(one);
    await untilHit(other);
    if (how === 'stopped') await server.kill();
    else server.pause();
    const tookMs: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      const startedAt = performance.now();
      expect((await ask(other)).headers[STATUS]).toBe('MISS');
      tookMs.push(performance.now() - startedAt);
    }
    // The first ones wait for 50 ms, in vain; a connection that is silent is given up after five seconds.
    expect(Math.max(...tookMs)).toBeLessThan(4000);
    expect(medianOf(tookMs)).toBeLessThan(400);
    if (how === 'stopped') await server.start();
    else server.resume();
    await untilHit(one);
  });
});
