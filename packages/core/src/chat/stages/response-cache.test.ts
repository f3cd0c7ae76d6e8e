import { describe, expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../../test/support/async/virtual-platform.ts';
import {
  API_KEY,
  chunksOf,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  parseFrames,
  readFrames,
} from '../../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEventPieces } from '../../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { createMemoryResponseCache, type ResponseCache } from './response-cache.ts';

const whole = (content: string, extra: object = {}) => ({
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop', ...extra }],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    }),
  ],
});

const STREAM = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Grüße, ' } }] },
  { choices: [{ index: 0, delta: { content: '☕' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
]);

const withHeaders = (headers: Record<string, string>, key = API_KEY) => ({
  headers: { authorization: `Bearer ${key}`, ...headers },
});
const ON = { 'x-service-cache': 'true' };
const ask = (core: CoreGateway, headers: Record<string, string> = ON, body: object = {}, key = API_KEY) =>
  core.chat(body as Record<string, unknown>, withHeaders(headers, key));
const contentOf = (response: Awaited<ReturnType<typeof ask>>) =>
  (jsonOf(response) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

test('repeats a completion for the same request without any call, without cost, as a separate generation', async () => {
  const upstream = createReplayTransport(whole('one'), whole('two'));
  const core = createCoreGateway(upstream);
  const first = await ask(core);
  expect(first.headers).toMatchObject({ 'x-service-cache-status': 'MISS', 'x-service-cache-ttl': '300' });
  await core.platform.advance(2500);
  const again = await ask(core);
  const sourceId = String(jsonOf(first)['id']);
  expect(upstream.exchanges).toHaveLength(1);
  expect(again.headers).toMatchObject({
    'x-service-cache-status': 'HIT',
    'x-service-cache-age': '2',
    'x-service-cache-ttl': '300',
    'x-service-cache-source-id': sourceId,
  });
  expect(contentOf(again)).toBe('one');
  expect(jsonOf(again)).toMatchObject({
    model: 'acme/chat',
    provider: 'Acme',
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 },
  });
  expect(jsonOf(again)['id']).not.toBe(sourceId);
  const [, record] = core.store.appended.map((entry) => entry.record);
  expect(record).toMatchObject({
    costNanoUsd: 0,
    generation: {
      response_cache_source_id: sourceId,
      provider_responses: [],
      provider_name: 'Acme',
      total_cost: 0,
      tokens_prompt: 0,
      cost_known: true,
    },
  });
});

test.each(chunkings(STREAM))('repeats a stream through the same frames, %s', async (_, pieces) => {
  const upstream = createReplayTransport({ pieces });
  const core = createCoreGateway(upstream);
  const textOf = async () => readFrames(await ask(core, ON, { stream: true })).rest();
  const [first, again] = [await textOf(), await textOf()];
  expect(upstream.exchanges).toHaveLength(1);
  const deltas = (text: string) =>
    parseFrames(text).flatMap((frame) =>
      typeof frame === 'object' ? frame.choices.map(({ delta, finish_reason }) => [delta, finish_reason]) : [frame],
    );
  expect(deltas(again)).toEqual(deltas(first));
  expect(parseFrames(again).at(-1)).toBe('done');
  expect(parseFrames(again).at(-2)).toMatchObject({ usage: { total_tokens: 0, cost: 0 } });
  expect(parseFrames(first).at(-2)).toMatchObject({ usage: { total_tokens: 8 } });
});

test('accepts the compatible header names, too, and responds with the names of the request', async () => {
  const core = createCoreGateway(createReplayTransport(whole('one')));
  const compatible = { 'x-openrouter-cache': 'TRUE', 'x-openrouter-cache-ttl': '9999999' };
  expect((await ask(core, compatible)).headers).toMatchObject({
    'x-openrouter-cache-status': 'MISS',
    'x-openrouter-cache-ttl': '86400',
  });
  const both = await ask(core, { ...compatible, ...ON });
  expect(both.headers).toMatchObject({ 'x-openrouter-cache-status': 'HIT', 'x-service-cache-status': 'HIT' });
  expect((await ask(core, {})).headers).not.toHaveProperty('x-service-cache-status');
});

describe('calls upstream again', () => {
  const cases: [string, Record<string, string>, object][] = [
    ['without the header', {}, {}],
    ['with the header false', { 'x-service-cache': 'false' }, {}],
    ['for another message', ON, { messages: [{ role: 'user', content: 'Other' }] }],
    ['for another parameter', ON, { temperature: 0.5 }],
    ['for a stream of what was whole', ON, { stream: true }],
    ['once the response has been cleared', { ...ON, 'x-service-cache-clear': 'true' }, {}],
    ['where the endpoint may not serve any more', ON, { provider: { sort: 'price', ignore: ['acme'] } }],
  ];
  test.each(cases)('%s', async (_, headers, body) => {
    const upstream = createReplayTransport(whole('one'));
    const core = createCoreGateway(upstream);
    await ask(core);
    await ask(core, headers, body);
    expect(upstream.exchanges).toHaveLength(2);
  });

  test('after the time to live', async () => {
    const upstream = createReplayTransport(whole('one'));
    const core = createCoreGateway(upstream);
    const headers = { ...ON, 'x-service-cache-ttl': '10' };
    await ask(core, headers);
    await core.platform.advance(9999);
    await ask(core, headers);
    expect(upstream.exchanges).toHaveLength(1);
    await core.platform.advance(1);
    await ask(core, headers);
    expect(upstream.exchanges).toHaveLength(2);
  });

  test('for another key', async () => {
    const upstream = createReplayTransport(whole('one'));
    const core = createCoreGateway(upstream);
    await ask(core);
    const { key } = jsonOf(await core.post('/api/v1/keys', { name: 'k' }, withHeaders({}, MANAGEMENT_KEY)));
    await ask(core, ON, {}, String(key));
    expect(upstream.exchanges).toHaveLength(2);
  });

  test('when a new guardrail applies, which then checks the new completion', async () => {
    const upstream = createReplayTransport(whole('one'));
    const core = createCoreGateway(upstream);
    const admin = withHeaders({}, MANAGEMENT_KEY);
    const { key, data } = jsonOf(await core.post('/api/v1/keys', { name: 'k' }, admin)) as {
      key: string;
      data: { hash: string };
    };
    await ask(core, ON, {}, key);
    const fields = { name: 'g', content_filters: [{ pattern: 'unheard', action: 'block', label: 'X' }] };
    const guardrail = jsonOf(await core.post('/api/v1/guardrails', fields, admin)) as { data: { id: string } };
    const path = `/api/v1/guardrails/${guardrail.data.id}/assignments/keys`;
    await core.post(path, { key_hashes: [data.hash] }, admin);
    await ask(core, ON, {}, key);
    expect(upstream.exchanges).toHaveLength(2);
  });

  test('when the response before was an error or broke off', async () => {
    const broken = { pieces: ['data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'] };
    const upstream = createReplayTransport(broken, { pieces: STREAM });
    const core = createCoreGateway(upstream);
    expect(await readFrames(await ask(core, ON, { stream: true })).rest()).toContain('"error"');
    expect(await readFrames(await ask(core, ON, { stream: true })).rest()).toContain('☕');
    expect(upstream.exchanges).toHaveLength(2);
  });
});

test('clears without storing the next completion, when only that is requested', async () => {
  const upstream = createReplayTransport(whole('one'));
  const core = createCoreGateway(upstream);
  await ask(core);
  await ask(core, { 'x-openrouter-cache-clear': 'true' });
  expect((await ask(core)).headers).toMatchObject({ 'x-service-cache-status': 'MISS' });
  expect(upstream.exchanges).toHaveLength(3);
});

test('leaves the routing metadata out of what it repeats, streamed too', async () => {
  const core = createCoreGateway(createReplayTransport(whole('one')));
  const headers = { ...ON, 'x-service-experimental-metadata': 'enabled' };
  expect(jsonOf(await ask(core, headers))).toHaveProperty('service_metadata');
  expect(jsonOf(await ask(core, headers))).not.toHaveProperty('service_metadata');
  for (const isRepeated of [false, true]) {
    const chunks = chunksOf(await readFrames(await ask(core, headers, { stream: true })).rest());
    expect(chunks.at(-1)).toHaveProperty('usage');
    expect(chunks.some((chunk) => 'service_metadata' in chunk)).toBe(!isRepeated);
  }
});

test('refuses a time to live that is no number, by the name of its header', async () => {
  const core = createCoreGateway(createReplayTransport(whole('one')));
  const response = await ask(core, { ...ON, 'x-service-cache-ttl': 'soon' });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining('x-service-cache-ttl') } });
});

test('stores no more than its limit: the least recently used completion is removed first', () => {
  const cache = createMemoryResponseCache(createVirtualPlatform(), 100);
  const completion = { sourceId: 'g', endpoint: 'e', batches: '0123456789', ttlMs: 1000 };
  for (let i = 0; i < 10; i += 1) cache.store(`k${i}`, completion);
  expect(cache.find('k0')).toBeDefined();
  cache.store('new', completion);
  expect([cache.find('k0'), cache.find('k1'), cache.size()]).toEqual([{ ...completion, ageMs: 0 }, undefined, 100]);
  cache.store('huge', { ...completion, batches: 'x'.repeat(13) });
  expect(cache.find('huge')).toBeUndefined();
});

test.each(['', 'no JSON', '[[{"choices":[', 'null', '{}', '[5]', '[[null]]', '[[{"object":"of another version"}]]'])(
  'asks upstream where a shared cache holds %j in the place of a completion',
  async (batches) => {
    const stored = createMemoryResponseCache(createVirtualPlatform());
    const odd: ResponseCache = {
      ...stored,
      find(key) {
        const found = stored.find(key);
        return found && { ...found, batches };
      },
    };
    const upstream = createReplayTransport(whole('one'));
    const core = createCoreGateway(upstream, { shared: { responseCache: odd } });
    await ask(core);
    const again = await ask(core);
    expect([again.status, again.headers['x-service-cache-status'], contentOf(again)]).toEqual([200, 'MISS', 'one']);
  },
);

test('keeps nothing of a completion that is longer than the cache stores', async () => {
  const upstream = createReplayTransport({ headers: { 'content-type': 'text/event-stream' }, pieces: STREAM });
  const stored: string[] = [];
  const cacheOf = (maxLength: number): ResponseCache => ({
    maxLength,
    find: () => undefined,
    store: (_, { batches }) => void stored.push(batches),
    forget: () => undefined,
  });
  for (const maxLength of [1000, 100]) {
    const core = createCoreGateway(upstream, { shared: { responseCache: cacheOf(maxLength) } });
    await readFrames(await ask(core, ON, { stream: true })).rest();
  }
  expect(stored).toHaveLength(1);
});
