import { beforeAll, expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createBroadcastBench, toDestination } from '../../../../test/support/broadcast/broadcast-bench.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { type Transport, TransportError, type TransportRequest } from '../foundation/transport.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { Destination } from '../wire/destinations.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Receivers by the host of their address; one without a status does not respond. */
function createReceivers(statusOf: (host: string, call: number) => number | 'dead' | 'silent') {
  const bodies: string[] = [];
  const sent: { readonly host: string; readonly ids: readonly string[] }[] = [];
  const transport: Transport = {
    async send({ url, body, signal }: TransportRequest) {
      const { host } = new URL(url);
      const text = textOf(body);
      bodies.push(text);
      sent.push({ host, ids: idsIn(text) });
      const status = statusOf(host, sent.filter((each) => each.host === host).length - 1);
      if (status === 'dead') throw new TransportError('refused', { phase: 'connect', requestSent: false });
      if (status === 'silent') await new Promise((_, reject) => signal.addEventListener('abort', reject));
      return { status: Number(status), headers: {}, body: emptyBody() };
    },
  };
  const idsTo = (host: string): readonly string[] =>
    sent.filter((each) => each.host === host).flatMap(({ ids }) => ids);
  return { transport, sent, bodies, idsTo };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** The body of a webhook is text. */
function textOf(body: TransportRequest['body']): string {
  if (typeof body !== 'string') throw new TypeError('The body is no text');
  return body;
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/"gen_ai.response.id","value":\{"stringValue":"([^"]+)"/g)].map(([, id = '']) => id);
}

function setUp(
  statusOf: Parameters<typeof createReceivers>[0] = () => 200,
  { store = createMemoryStore(), platform = createVirtualPlatform() } = {},
) {
  const receivers = createReceivers(statusOf);
  const broadcast = { ...createBroadcastOptions(), transport: receivers.transport };
  return { ...receivers, platform, ...createBroadcastBench({ store, platform, broadcast }) };
}

const webhook = (host: string) => ({ type: 'webhook' as const, config: { url: `https://${host}/`, method: 'POST' } });
type Rule = NonNullable<Destination['filter_rules']>['groups'][number]['rules'][number];
const rulesOf = (...rules: Rule[]) => ({ enabled: true, groups: [{ logic: 'and' as const, rules }] });
const isDelivery = (row: object): row is BroadcastDelivery => 'generationIds' in row;

// Modules that are imported on first use take real time to load, which virtual time does not cover.
beforeAll(async () => {
  const [webhookFormat] = createBroadcastOptions().formats;
  await webhookFormat?.toRequests([], { url: 'https://a/', method: 'POST' });
  await import('../guardrails/filters/custom-filter.ts');
});

test('gathers what comes together in one request, and sends it after the call, not during it', async () => {
  const { record, add, platform, sent } = setUp();
  await add('d', webhook('a'));
  for (const id of ['1', '2', '3']) await record(id);
  expect(sent).toEqual([]);
  await platform.advance(20);
  expect(sent).toEqual([{ host: 'a', ids: ['1', '2', '3'] }]);
  await record('4');
  await platform.advance(900);
  expect(sent).toHaveLength(1);
  await record('5');
  await platform.advance(200);
  expect(sent[1]).toEqual({ host: 'a', ids: ['4', '5'] });
});

test('notes in the store when generations were sent to which destination, and what became of it', async () => {
  const { record, add, platform, broadcaster, store } = setUp((host, call) =>
    host === 'down' && call === 0 ? 500 : 200,
  );
  const created_at = new Date(platform.now()).toISOString();
  await add('d', webhook('a'));
  await add('e', webhook('down'));
  await record('1');
  const sentAt = platform.now() + 20;
  await platform.advance(10_000);
  const common = { sent_at: new Date(sentAt).toISOString(), took_ms: 0 };
  expect(await broadcaster.arrivalsOf({ id: '1', created_at })).toEqual([
    { ...common, destination_id: 'd', has_arrived: true, result: 'HTTP 200' },
    { ...common, destination_id: 'e', has_arrived: false, result: 'HTTP 500' },
    { ...common, destination_id: 'e', has_arrived: true, result: 'HTTP 200', sent_at: expect.any(String) },
  ]);
  expect(await broadcaster.arrivalsOf({ id: '2', created_at })).toEqual([]);
  expect(await store.deliveries.of('1', platform.now())).toHaveLength(3);
});

test('a delivery that cannot be noted is not sent again, and that is logged', async () => {
  const store = createMemoryStore();
  const failing = {
    ...store,
    deliveries: { ...store.deliveries, append: () => Promise.reject(new Error('disk full')) },
  };
  const { record, add, platform, sent, logged } = setUp(() => 200, { store: failing });
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(60_000);
  expect(sent).toHaveLength(1);
  expect(logged.join()).toContain('a delivery could not be recorded');
});

test('sends at most 50 calls, or about 250,000 characters, in one request', async () => {
  const { record, add, platform, sent } = setUp();
  await add('d', webhook('a'));
  for (let i = 0; i < 120; i += 1) await record(`n${i}`);
  await platform.advance(2000);
  expect(sent.map(({ ids }) => ids.length)).toEqual([50, 50, 20]);
  for (const id of ['x', 'y', 'z']) await record(id, {}, toContent('x'.repeat(80_000)));
  await platform.advance(2000);
  expect(sent.slice(3).map(({ ids }) => ids)).toEqual([['x', 'y'], ['z']]);
});

test('166: tries a batch again on the schedule of webhooks, with the same ids, until it arrives', async () => {
  const { record, add, platform, idsTo, store } = setUp((_, call) => (call < 3 ? 500 : 200));
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(100);
  const [row] = (await store.broadcasts.list()).filter(isDelivery);
  expect(row).toMatchObject({ state: 'waiting', attempts: 1, lastResult: 'HTTP 500', generationIds: ['1'] });
  await platform.advance(5000);
  expect(idsTo('a')).toHaveLength(2);
  await platform.advance(5 * MINUTE_MS);
  expect(idsTo('a')).toHaveLength(3);
  await platform.advance(30 * MINUTE_MS);
  expect(idsTo('a')).toEqual(['1', '1', '1', '1']);
  await platform.advance(HOUR_MS);
  expect(idsTo('a')).toHaveLength(4);
  expect((await store.broadcasts.list()).filter(isDelivery)).toEqual([]);
});

test('167: what a receiver refuses is not tried again, and does not hold up what comes after it', async () => {
  const { record, add, platform, idsTo, store, logged } = setUp((_, call) => (call === 0 ? 413 : 200));
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(100);
  await record('2');
  await platform.advance(HOUR_MS);
  expect(idsTo('a')).toEqual(['1', '2']);
  expect((await store.broadcasts.list()).filter(isDelivery)).toMatchObject([
    { state: 'failed', attempts: 1, lastResult: 'HTTP 413', generationIds: ['1'] },
  ]);
  expect(logged.join('\n')).toContain('generations were not delivered');
});

test('167: a receiver’s retry-after is respected', async () => {
  const platform = createVirtualPlatform();
  let calls = 0;
  const transport: Transport = {
    async send() {
      calls += 1;
      return { status: calls === 1 ? 429 : 200, headers: { 'retry-after': '600' }, body: emptyBody() };
    },
  };
  const { add, record } = createBroadcastBench({ platform, broadcast: { ...createBroadcastOptions(), transport } });
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(599_000);
  expect(calls).toBe(1);
  await platform.advance(2000);
  expect(calls).toBe(2);
});

test('173: a destination that fails or does not respond delays no other, and its queue is bounded', async () => {
  const { record, add, platform, idsTo, store, broadcaster } = setUp(
    (host) => (host === 'dead' ? 'dead' : host === 'silent' ? 'silent' : 200),
    { store: createMemoryStore({ maxGenerations: 20_000 }) },
  );
  for (const host of ['dead', 'silent', 'well']) await add(host, webhook(host));
  for (let i = 0; i < 10_200; i += 1) {
    await record(`n${i}`, {}, null);
    if (i % 1000 === 999) await platform.advance(1100);
  }
  await platform.advance(5 * MINUTE_MS);
  expect(idsTo('well')).toHaveLength(10_200);
  expect(new Set(idsTo('well')).size).toBe(10_200);
  for (const id of ['dead', 'silent']) expect((await broadcaster.status()).get(id)?.queued).toBeLessThanOrEqual(10_050);
  const given = (await store.broadcasts.list()).filter(isDelivery).filter(({ state }) => state === 'failed');
  expect(given.filter(({ destinationId }) => destinationId === 'dead').map(({ lastResult }) => lastResult)).toEqual([
    'the queue was full',
    'the queue was full',
    'the queue was full',
  ]);
  expect((await broadcaster.status()).get('well')).toMatchObject({ queued: 0, lastFailure: null });
});

test('173: failed deliveries are listed, bounded, and can be sent again', async () => {
  const { record, add, platform, idsTo, store, broadcaster } = setUp((_, call) => (call < 300 ? 400 : 200));
  await add('d', webhook('a'));
  for (let i = 0; i < 300; i += 1) {
    await record(`n${i}`);
    await platform.advance(1100);
  }
  const rows = (await store.broadcasts.list()).filter(isDelivery);
  expect(rows.map(({ generationIds }) => generationIds)).toEqual(
    Array.from({ length: 200 }, (_, i) => [`n${i + 100}`]),
  );
  const renewed = await broadcaster.resend(rows[0]?.id ?? '');
  expect(renewed).toMatchObject({ state: 'waiting', attempts: 0 });
  await platform.advance(100);
  expect(idsTo('a').at(-1)).toBe('n100');
  expect(await store.broadcasts.get(rows[0]?.id ?? '')).toBeUndefined();
  expect(await broadcaster.resend('unknown')).toBeUndefined();
});

test('166: after ten attempts over about three days a batch is given up', async () => {
  const { record, add, platform, idsTo, store } = setUp(() => 503);
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(72 * HOUR_MS);
  expect((await store.broadcasts.list()).filter(isDelivery)).toMatchObject([{ state: 'waiting' }]);
  await platform.advance(8 * HOUR_MS);
  expect((await store.broadcasts.list()).filter(isDelivery)).toMatchObject([
    { state: 'failed', attempts: 10, generationIds: ['1'], lastResult: 'HTTP 503' },
  ]);
  expect(idsTo('a')).toHaveLength(10);
});

test('what a batch is tried again for is the schedule, or that the destination works again, and nothing else', async () => {
  let status = 503;
  const { record, add, platform, idsTo } = setUp(() => status);
  const filter_rules = rulesOf({ field: 'model', operator: 'contains', value: 'acme' });
  await add('d', { ...webhook('a'), filter_rules });
  await record('1');
  await platform.advance(30_000);
  const tries = (): number => idsTo('a').filter((id) => id === '1').length;
  expect(tries()).toBe(2);
  // Calls that are none of its own say nothing about whether it works.
  for (let i = 0; i < 20; i += 1) {
    await record(`other-${i}`, { generation: { model: 'beta' } });
    await platform.advance(5000);
  }
  expect(tries()).toBe(2);
  status = 200;
  await record('2');
  await platform.advance(MINUTE_MS + 5000);
  expect(idsTo('a').slice(-2).toSorted()).toEqual(['1', '2']);
});

test('a batch that alone is refused for now keeps to its schedule, and holds up nothing', async () => {
  const bad = new Set(['1']);
  const platform = createVirtualPlatform();
  const sent: string[] = [];
  const transport: Transport = {
    async send({ body }) {
      const ids = idsIn(textOf(body));
      sent.push(...ids);
      return { status: ids.some((id) => bad.has(id)) ? 500 : 200, headers: {}, body: emptyBody() };
    },
  };
  const { add, record } = createBroadcastBench({ platform, broadcast: { ...createBroadcastOptions(), transport } });
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(1000);
  for (let i = 2; i < 300; i += 1) {
    await record(String(i));
    await platform.advance(1100);
  }
  await platform.advance(MINUTE_MS);
  expect(new Set(sent).size).toBe(299);
  expect(sent.filter((id) => id === '1').length).toBeLessThan(5);
});

test('167: during a receiver’s retry-after, newer generations wait too', async () => {
  const platform = createVirtualPlatform();
  const times: number[] = [];
  const transport: Transport = {
    async send() {
      times.push(platform.monotonicNow());
      return { status: times.length === 1 ? 429 : 200, headers: { 'retry-after': '600' }, body: emptyBody() };
    },
  };
  const { add, record } = createBroadcastBench({ platform, broadcast: { ...createBroadcastOptions(), transport } });
  await add('d', webhook('a'));
  for (const id of ['1', '2', '3']) {
    await record(id);
    await platform.advance(2000);
  }
  await platform.advance(20 * MINUTE_MS);
  expect(times[1]).toBeGreaterThanOrEqual(600_000);
});

test.each([-24 * HOUR_MS, 24 * HOUR_MS])('222: keeps its schedule when the clock is set by %i ms', async (byMs) => {
  const { record, add, platform, idsTo } = setUp((_, call) => (call < 2 ? 500 : 200));
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(100);
  expect(idsTo('a')).toHaveLength(1);
  platform.setWallClock(byMs);
  await record('2');
  await platform.advance(4000);
  expect(idsTo('a')).toHaveLength(1);
  await platform.advance(2000);
  expect(idsTo('a')).toHaveLength(2);
  await platform.advance(6 * MINUTE_MS);
  expect(idsTo('a')).toEqual(['1', '1', '2', '1']);
});

test('222: waits no longer for a stored delivery than the schedule has it, although the clock was set back', async () => {
  const platform = createVirtualPlatform();
  const { add, store } = setUp(() => 200, { platform });
  await store.broadcasts.insert({
    kind: 'delivery',
    id: 'row-1',
    destinationId: 'd',
    generationIds: ['1'],
    state: 'waiting',
    attempts: 1,
    nextAttemptAt: platform.now() + 5000,
    lastResult: 'HTTP 500',
    createdAt: platform.now(),
  });
  platform.setWallClock(-365 * 24 * HOUR_MS);
  await add('d', webhook('a'));
  await platform.advance(27 * HOUR_MS);
  expect((await store.broadcasts.list()).filter(isDelivery)).toEqual([]);
});

test('while a destination is down newer calls are tried once a minute, and stay in the queue', async () => {
  const { record, add, platform, idsTo, broadcaster } = setUp(() => 503);
  await add('d', webhook('a'));
  await record('1');
  await platform.advance(1000);
  await record('2');
  await platform.advance(10 * MINUTE_MS);
  expect(idsTo('a').filter((id) => id === '2')).toHaveLength(10);
  expect((await broadcaster.status()).get('d')).toMatchObject({ queued: 2, lastFailure: { result: 'HTTP 503' } });
});

test('once a destination works again, all that waited goes out at once', async () => {
  let isWell = false;
  const { record, add, platform, idsTo, store } = setUp(() => (isWell ? 200 : 503));
  await add('d', webhook('a'));
  for (let i = 0; i < 60; i += 1) await record(`n${i}`);
  await platform.advance(HOUR_MS);
  isWell = true;
  const before = idsTo('a').length;
  await platform.advance(MINUTE_MS + 5000);
  expect(new Set(idsTo('a').slice(before)).size).toBe(60);
  expect((await store.broadcasts.list()).filter(isDelivery)).toEqual([]);
});

test('174: a destination that is removed or switched off is sent nothing more, at once', async () => {
  const { record, add, platform, sent, store, broadcaster } = setUp(() => 503);
  for (const id of ['gone', 'off']) await add(id, webhook(id));
  await record('1');
  await platform.advance(100);
  expect(sent).toHaveLength(2);
  await store.destinations.remove('gone');
  await store.destinations.update('off', (row) => ({ ...row, enabled: false }));
  await broadcaster.refresh();
  await record('2');
  await platform.advance(80 * HOUR_MS);
  expect(sent).toHaveLength(2);
  const rows = await store.broadcasts.list();
  expect(rows).toMatchObject([{ destinationId: 'off', state: 'waiting' }]);
  expect(await broadcaster.resend(rows[0]?.id ?? '')).toBeUndefined();
});

test.each([
  ['while the process runs', false],
  ['before the process began', true],
])('a destination that was switched off and is deleted %s leaves no deliveries', async (_, isRestarted) => {
  const first = setUp(() => 503);
  const { record, add, platform, store } = first;
  for (const id of ['gone', 'off']) await add(id, webhook(id));
  await record('1');
  await platform.advance(100);
  for (const id of ['gone', 'off']) await store.destinations.update(id, (row) => ({ ...row, enabled: false }));
  await first.broadcaster.refresh();
  await store.destinations.remove('gone');
  if (isRestarted) await setUp(() => 503, { store }).broadcaster.start();
  else await first.broadcaster.refresh();
  expect(await store.broadcasts.list()).toMatchObject([{ destinationId: 'off', state: 'waiting' }]);
});

test('a pause is not made up for, but what waited before it is', async () => {
  let isWell = false;
  const { record, add, platform, idsTo, store, broadcaster } = setUp(() => (isWell ? 200 : 503));
  const switchTo = async (enabled: boolean): Promise<void> => {
    const updated_at = new Date(platform.now()).toISOString();
    await store.destinations.update('d', (row) => ({ ...row, enabled, updated_at }));
    await broadcaster.refresh();
  };
  await add('d', webhook('a'));
  await record('before');
  await platform.advance(10_000);
  await switchTo(false);
  await record('during');
  await platform.advance(10_000);
  isWell = true;
  await switchTo(true);
  await record('after');
  const tries = idsTo('a').length;
  await platform.advance(HOUR_MS);
  expect(idsTo('a').slice(tries).toSorted()).toEqual(['after', 'before']);
});

test('a destination whose settings were mended is tried again at once', async () => {
  const { record, add, platform, idsTo, store, broadcaster } = setUp((host) => (host === 'wrong' ? 'dead' : 200));
  await add('d', webhook('wrong'));
  await record('1');
  await platform.advance(20 * MINUTE_MS);
  await store.destinations.update('d', (row) => ({ ...row, config: { url: 'https://right/', method: 'POST' } }));
  await broadcaster.refresh();
  await platform.advance(100);
  expect(idsTo('right')).toEqual(['1']);
});

test('168: a new process sends what the one before it recorded and did not, and little twice', async () => {
  const store = createMemoryStore();
  const platform = createVirtualPlatform();
  const first = setUp(() => 200, { store, platform });
  await first.add('d', webhook('a'));
  for (const id of ['1', '2']) await first.record(id);
  await platform.advance(10_000);
  await first.record('3');
  // Nothing of the first is closed: it is as if it had been killed.
  const second = setUp(() => 200, { store, platform });
  await second.broadcaster.start();
  await platform.advance(100);
  expect(second.idsTo('a')).toEqual(['3']);
});

test('168: what was waiting for its next attempt keeps its place in the schedule over a restart', async () => {
  const store = createMemoryStore();
  const platform = createVirtualPlatform();
  const first = setUp(() => 503, { store, platform });
  await first.add('d', webhook('a'));
  await first.record('1');
  await platform.advance(6000);
  await first.broadcaster.close(1000);
  const second = setUp(() => 200, { store, platform });
  await second.broadcaster.start();
  await platform.advance(4 * MINUTE_MS);
  expect(second.sent).toEqual([]);
  await platform.advance(2 * MINUTE_MS);
  expect(second.idsTo('a')).toEqual(['1']);
});

test('closing sends what can be sent, and does not wait for a receiver that is down', async () => {
  const { record, add, idsTo, broadcaster } = setUp((host) => (host === 'down' ? 503 : 200));
  for (const host of ['well', 'down']) await add(host, webhook(host));
  for (let i = 0; i < 120; i += 1) await record(`n${i}`);
  await broadcaster.close(5000);
  expect(idsTo('well')).toHaveLength(120);
  expect(idsTo('down')).toHaveLength(50);
});

test('a call that is none of a destination’s by workspace, key, region, sample or rules is not sent there', async () => {
  const { record, add, platform, idsTo } = setUp();
  await add('keys', { ...webhook('keys'), api_key_hashes: ['key-2'] });
  await add('workspace', { ...webhook('workspace'), workspace_id: 'w2' });
  await add('europe', { ...webhook('europe'), regions: ['europe'] });
  await add('both', { ...webhook('both'), regions: ['europe', 'global'] });
  await add('rules', {
    ...webhook('rules'),
    filter_rules: rulesOf({ field: 'model', operator: 'regex', value: '^acme/' }),
  });
  await record('plain');
  await record('key', { principalId: 'key-2' });
  await record('w2', { generation: { workspace_id: 'w2' } });
  await record('eu', { generation: { data_region: 'europe', called_region: 'eu' } });
  await record('us', { generation: { data_region: 'us', called_region: 'us' } });
  await record('beta', { generation: { model: 'beta/chat' } });
  await platform.advance(2000);
  expect(idsTo('keys')).toEqual(['key']);
  expect(idsTo('workspace')).toEqual(['w2']);
  expect(idsTo('europe')).toEqual(['eu']);
  expect(idsTo('both')).toEqual(['plain', 'key', 'eu', 'beta']);
  expect(idsTo('rules')).toEqual(['plain', 'key']);
});

test('a sample takes sessions as a whole, about as many as it should, and others at another destination', async () => {
  const { record, add, platform, idsTo } = setUp();
  for (const host of ['a', 'b']) await add(host, { ...webhook(host), sampling_rate: 0.25 });
  for (let i = 0; i < 800; i += 1) await record(`n${i}`, { generation: { session_id: `s${i % 400}` } }, null);
  await platform.advance(10_000);
  const [a, b] = [idsTo('a'), idsTo('b')];
  for (const ids of [a, b]) {
    expect(ids.length).toBeGreaterThan(130);
    expect(ids.length).toBeLessThan(270);
    const sessions = ids.map((id) => Number(id.slice(1)) % 400);
    for (const session of new Set(sessions)) expect(sessions.filter((each) => each === session)).toHaveLength(2);
  }
  expect(a).not.toEqual(b);
});

test('leaves out what a destination is not to see', async () => {
  const { add, record, platform, bodies } = setUp();
  const facts = { external_user: 'CANARY-user', user_agent: 'CANARY-agent', total_cost: 0.4242, session_id: 'kept' };
  await add('d', {
    ...webhook('a'),
    privacy_mode: true,
    broadcast_generation_cost: false,
    broadcast_generation_identity: false,
    broadcast_generation_request_context: false,
  });
  await record('1', { generation: facts, userId: 'CANARY-member' }, toContent('CANARY-text'));
  await platform.advance(100);
  expect(bodies[0]).toContain('kept');
  expect(bodies[0]).not.toMatch(/CANARY|4242/);
});

test('a call whose content was deleted before its turn goes out without it, one that is gone not at all', async () => {
  const { record, add, platform, sent, store } = setUp(() => 200, { store: createMemoryStore({ maxGenerations: 2 }) });
  await add('d', webhook('a'));
  await add('content', { ...webhook('content'), filter_rules: rulesOf({ field: 'input', operator: 'exists' }) });
  for (const id of ['gone', 'without', 'with']) await record(id);
  await store.generations.deleteContent('without');
  await platform.advance(100);
  expect(sent).toEqual([
    { host: 'a', ids: ['without', 'with'] },
    { host: 'content', ids: ['with'] },
  ]);
});

test('while there is no destination it does not as much as look at a call', async () => {
  const { broadcaster, platform, store } = setUp();
  await broadcaster.start();
  const untouchable = new Proxy(toRecord('1'), {
    get: () => {
      throw new Error('looked at');
    },
  });
  void broadcaster.offer(untouchable);
  expect(platform.pendingTimers).toBe(0);
  expect(await store.broadcasts.list()).toEqual([]);
  await store.destinations.insert(toDestination('d', webhook('a')));
  await broadcaster.refresh();
  expect(() => broadcaster.offer(untouchable)).toThrow('looked at');
});

test('a format that cannot write a call gives up that call alone', async () => {
  const platform = createVirtualPlatform();
  const options = createBroadcastOptions();
  const { transport, idsTo } = createReceivers(() => 200);
  const formats = options.formats.map((format) => ({
    ...format,
    async toRequests(...given: Parameters<typeof format.toRequests>) {
      if (given[0].some(({ generationId }) => generationId === 'odd')) throw new TypeError('odd');
      return format.toRequests(...given);
    },
  }));
  const { add, record, store } = createBroadcastBench({ platform, broadcast: { ...options, formats, transport } });
  await add('d', webhook('a'));
  await record('odd');
  await platform.advance(100);
  await record('even');
  await platform.advance(2000);
  expect(idsTo('a')).toEqual(['even']);
  expect((await store.broadcasts.list()).filter(isDelivery)).toMatchObject([
    { generationIds: ['odd'], state: 'failed', lastResult: 'could not be written for webhook' },
  ]);
});

test('a stored destination of an unknown type waits', async () => {
  const platform = createVirtualPlatform();
  const { add, record, store, broadcaster } = createBroadcastBench({
    platform,
    broadcast: { ...createBroadcastOptions(), formats: [] },
  });
  const { id } = await add('d', webhook('a'));
  await record('1');
  await platform.advance(100);
  expect((await store.broadcasts.list()).filter(isDelivery)[0]?.lastResult).toBe(
    'destinations of type webhook are not available',
  );
  expect(await broadcaster.test(toDestination(id, webhook('a')))).toMatchObject({ isDelivered: false });
});

test('broadcasts a video when it has ended, as it does other calls', async () => {
  const { transport, idsTo, bodies } = createReceivers(() => 200);
  const { provider } = createScriptedVideos();
  const model = {
    id: 'acme/film',
    architecture: { input_modalities: ['text' as const], output_modalities: ['video' as const] },
    endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
  };
  const { gateway, store, platform, post } = createCoreGateway([provider], {
    models: [model],
    broadcast: { ...createBroadcastOptions(), transport },
  });
  await store.destinations.insert(toDestination('d', webhook('a')));
  await gateway.start();
  const body = { model: 'acme/film', prompt: 'a fox', duration: 4 };
  const { status } = await post('/api/v1/videos', body);
  expect(status).toBe(202);
  await platform.advance(HOUR_MS);
  const [record] = store.appended.map((each) => each.record.generation);
  expect(idsTo('a')).toEqual([record?.id]);
  expect(bodies.join()).toContain('a fox');
  await gateway.close();
});

test('where a store is shared, what another process has changed is noticed within half a minute', async () => {
  const store = { ...createMemoryStore(), isShared: true };
  const { record, platform, idsTo, broadcaster } = setUp(() => 200, { store });
  await broadcaster.start();
  await store.destinations.insert(toDestination('d', webhook('a')));
  await platform.advance(30_000);
  await record('1');
  await platform.advance(1000);
  await store.destinations.update('d', (row) => ({ ...row, config: { url: 'https://b/', method: 'POST' } }));
  await platform.advance(30_000);
  await record('2');
  await platform.advance(1000);
  expect([idsTo('a'), idsTo('b')]).toEqual([['1'], ['2']]);
  await broadcaster.close(0);
  expect(platform.pendingTimers).toBe(0);
});
