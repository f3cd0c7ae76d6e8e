import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import type { CreateRateCounter } from '../limits/rate-limits.ts';
import type { ProviderKeyOptions } from '../providers/create-provider.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import type { ProviderKeyState, ProviderStateList } from '../wire/providers.ts';
import type { RoutingExplanation } from '../wire/routing-explanation.ts';

const PRICING = { prompt: '0.000001', completion: '0.000002' };
const MODELS: readonly ModelDefinition[] = [
  { id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing: PRICING }] },
];
const ADMIN = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };
const FIVE = ['one', 'two', 'three', 'four', 'five'];

async function setUp(
  keys: readonly ProviderKeyOptions[],
  hold?: () => Promise<void> | undefined,
  createCounter?: CreateRateCounter,
) {
  const upstream = await createKeyedProvider('acme', keys, hold);
  const rateLimits = createCounter && { rules: [], createCounter };
  const core = createCoreGateway([upstream.provider], { models: MODELS, rateLimits });
  const keyStates = async (): Promise<Record<string, ProviderKeyState>> => {
    const { data } = jsonOf(await core.get('/admin/v1/providers', MANAGEMENT_KEY)) as unknown as ProviderStateList;
    return Object.fromEntries((data[0]?.keys ?? []).map((state) => [state.name, state]));
  };
  const lastKey = (): string | undefined => core.store.appended.at(-1)?.record.generation.provider_key;
  const inSession = (session: string) => core.chat({ session_id: session });
  return { ...upstream, ...core, keyStates, lastKey, inSession };
}

const RATE_LIMITED = { status: 429, headers: { 'retry-after': '30' } };

/** 10,000 where there is time: each is a whole call with its record. */
const CALLS = process.env['TEST_FULL'] ? 10_000 : 2000;
/** All of them take 200 seconds of virtual time. */
const PAUSE_MS = 200_000 / CALLS;

test('serves thousands of calls over five keys, one of them exhausted and one revoked, and fails none', async () => {
  const { inSession, answer, asked, keyStates, lastKey, platform } = await setUp(keysNamed(...FIVE));
  answer('sk-of-two', RATE_LIMITED);
  answer('sk-of-three', { status: 401 });
  const keyOfSession = new Map<string, string>();
  const refusedAt: number[] = [];
  let stuck = 0;
  let followed = 0;
  for (let i = 0; i < CALLS; i += 1) {
    const session = `session ${i % 200}`;
    const before = asked.length;
    const { status } = await inSession(session);
    expect(status).toBe(200);
    if (asked.slice(before).includes('sk-of-two')) refusedAt.push(platform.monotonicNow());
    const served = lastKey() as string;
    const former = keyOfSession.get(session);
    if (former !== undefined) followed += 1;
    if (former === served) stuck += 1;
    keyOfSession.set(session, served);
    await platform.advance(PAUSE_MS);
  }
  expect(asked.filter((key) => key === 'sk-of-three')).toHaveLength(1);
  // 200 seconds: asked again when its 30 seconds are over, and not a second before.
  const pauses = refusedAt.slice(1).map((at, index) => at - (refusedAt[index] ?? 0));
  expect(pauses.length).toBeGreaterThanOrEqual(5);
  for (const pause of pauses) {
    expect(pause).toBeGreaterThanOrEqual(30_000);
    expect(pause).toBeLessThan(31_000);
  }
  expect(stuck / followed).toBeGreaterThanOrEqual(0.98);
  // The other three share what is left.
  for (const name of ['one', 'four', 'five']) {
    expect([...keyOfSession.values()].filter((served) => served === name).length).toBeGreaterThan(40);
  }
  const states = await keyStates();
  expect(states['two']).toMatchObject({ state: 'resting', last_error: { status: 429 } });
  expect(states['three']).toMatchObject({ state: 'disabled', disabled: { status: 401 }, calls: 1, failed: 1 });
  expect(states['one']).toMatchObject({ state: 'ready', failed: 0, last_error: null, under_way: 0 });
  expect(states['one']?.cost).toBeCloseTo((states['one']?.calls ?? 0) * 0.00007, 9);
  expect(states['one']?.tokens).toBe((states['one']?.calls ?? 0) * 50);
}, 60_000);

test('asks with the next key within the endpoint, and records each by its name and never by the key', async () => {
  const { chat, answer, store, logged } = await setUp(keysNamed('one', 'two'));
  for (const key of ['sk-of-one', 'sk-of-two']) answer(key, { status: 402 });
  const response = await chat();
  expect(response.status).toBe(502);
  const { provider_responses: attempts, provider_key: served } = store.appended.at(-1)?.record.generation ?? {};
  expect(attempts?.map(({ key }) => key).toSorted()).toEqual(['one', 'two']);
  expect(attempts?.map(({ again, status }) => [again, status])).toEqual([
    [undefined, 402],
    ['other_key', 402],
  ]);
  expect(served).toBeUndefined();
  expect(JSON.stringify([store.appended, logged, jsonOf(response)])).not.toContain('sk-of-');
});

test('goes on to another endpoint only when every key has been refused', async () => {
  const acme = await createKeyedProvider('acme', keysNamed('one', 'two'));
  const beta = await createKeyedProvider('beta', keysNamed('other'));
  const endpoints = [...(MODELS[0]?.endpoints ?? []), { provider: 'beta', providerModel: 'chat-b' }];
  const core = createCoreGateway([acme.provider, beta.provider], { models: [{ id: 'acme/chat', endpoints }] });
  acme.answer('sk-of-one', { status: 429, headers: { 'retry-after': '600' } });
  for (let i = 0; i < 20; i += 1) expect(jsonOf(await core.chat())['provider']).toBe('ACME');
  acme.answer('sk-of-two', { status: 429, headers: { 'retry-after': '600' } });
  expect(jsonOf(await core.chat())['provider']).toBe('BETA');
  expect(acme.asked.filter((key) => key === 'sk-of-one')).toHaveLength(1);
});

test('says when the first key is free again where all of them rest, and asks none before', async () => {
  const { chat, answer, asked, platform } = await setUp(keysNamed('one', 'two'));
  answer('sk-of-one', { status: 429, headers: { 'retry-after': '40' } });
  answer('sk-of-two', { status: 429, headers: { 'retry-after': '90' } });
  const refused = await chat();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40']);
  expect(asked).toHaveLength(2);
  await platform.advance(15_000);
  const again = await chat();
  expect([again.status, again.headers['retry-after']]).toEqual([429, '25']);
  expect(asked).toHaveLength(2);
  answer('sk-of-one', 'serve');
  await platform.advance(25_000);
  expect((await chat()).status).toBe(200);
  expect(asked).toHaveLength(3);
});

test('finds a key that works again where all are disabled, by one call a minute', async () => {
  const { chat, answer, asked, platform, keyStates } = await setUp(keysNamed('one', 'two'));
  for (const key of ['sk-of-one', 'sk-of-two']) answer(key, { status: 401 });
  expect((await chat()).status).toBe(502);
  expect(asked).toHaveLength(2);
  for (let i = 0; i < 10; i += 1) expect((await chat()).status).toBe(502);
  // Each was probed once.
  expect(asked).toHaveLength(4);
  for (const key of ['sk-of-one', 'sk-of-two']) answer(key, 'serve');
  await platform.advance(60_000);
  expect((await chat()).status).toBe(200);
  expect(
    Object.values(await keyStates())
      .map(({ state }) => state)
      .toSorted(),
  ).toEqual(['disabled', 'ready']);
});

test('sends nothing with a key that is disabled by hand, also where no other is left', async () => {
  const off = { name: 'one', key: 'sk-of-one', disabled: true };
  const { chat, asked, answer, keyStates } = await setUp([off, ...keysNamed('two')]);
  for (let i = 0; i < 20; i += 1) expect((await chat()).status).toBe(200);
  expect(asked).not.toContain('sk-of-one');
  expect((await keyStates())['one']?.state).toBe('off');
  answer('sk-of-two', { status: 401 });
  expect((await chat()).status).toBe(502);
  expect(asked).not.toContain('sk-of-one');
  const alone = await setUp([off]);
  expect(jsonOf(await alone.chat())).toMatchObject({
    error: { message: 'ACME: every key of the gateway is disabled' },
  });
  expect(alone.asked).toEqual([]);
});

test('uses a key again when management says so', async () => {
  const { chat, answer, keyStates, post } = await setUp(keysNamed('one', 'two'));
  answer('sk-of-one', { status: 401 });
  for (let i = 0; i < 20; i += 1) expect((await chat()).status).toBe(200);
  expect((await keyStates())['one']?.state).toBe('disabled');
  const enabled = await post('/admin/v1/providers/acme/keys/one/enable', {}, ADMIN);
  expect(jsonOf(enabled)).toMatchObject({ data: { name: 'one', state: 'ready', disabled: null } });
  expect((await post('/admin/v1/providers/acme/keys/three/enable', {}, ADMIN)).status).toBe(404);
});

test('shares calls by the weights of the keys', async () => {
  const [light, heavy] = keysNamed('light', 'heavy') as [ProviderKeyOptions, ProviderKeyOptions];
  const { inSession, asked } = await setUp([light, { ...heavy, weight: 3 }]);
  for (let i = 0; i < 800; i += 1) await inSession(`session ${i}`);
  const share = asked.filter((key) => key === 'sk-of-heavy').length / 800;
  expect(share).toBeGreaterThan(0.7);
  expect(share).toBeLessThan(0.8);
});

test('sends no more calls with a key at once than it may have', async () => {
  const gate = createDeferred<void>();
  const [one, two] = keysNamed('one', 'two') as [ProviderKeyOptions, ProviderKeyOptions];
  const keys = [
    { ...one, callsUnderWay: 2 },
    { ...two, callsUnderWay: 3 },
  ];
  const { chat, asked, keyStates } = await setUp(keys, () => gate.promise);
  const calls = Array.from({ length: 5 }, () => chat());
  await new Promise(setImmediate);
  expect(asked.toSorted()).toEqual(['sk-of-one', 'sk-of-one', 'sk-of-two', 'sk-of-two', 'sk-of-two']);
  expect(Object.values(await keyStates()).map(({ state }) => state)).toEqual(['busy', 'busy']);
  const sixth = await chat();
  expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '1']);
  gate.resolve();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(Object.values(await keyStates()).map(({ under_way: underWay }) => underWay)).toEqual([0, 0]);
});

/** Counters of a minute that lasts until the test ends it. */
function createMinute() {
  const used = new Map<string, number>();
  const createCounter: CreateRateCounter = ({ name, limitPerMinute }) => {
    const add = (points: number): number => {
      const sum = (used.get(name) ?? 0) + points;
      used.set(name, sum);
      return sum;
    };
    return {
      take: async () => ({ isExceeded: add(1) > limitPerMinute, resetInMs: 40_000 }),
      look: async () => ({ isExceeded: add(0) >= limitPerMinute, resetInMs: 40_000 }),
      add: async (_, points) => void add(points),
    };
  };
  return { createCounter, end: () => used.clear() };
}

test.each([
  ['requests', { requestsPerMinute: 2 }],
  // A call takes 50.
  ['tokens', { tokensPerMinute: 51 }],
])('sends nothing more with a key whose %s of the minute are used, until the next minute', async (_, limits) => {
  const minute = createMinute();
  const keys = keysNamed('one', 'two').map((key) => ({ ...key, ...limits }));
  const { chat, asked, platform } = await setUp(keys, undefined, minute.createCounter);
  for (let call = 0; call < 4; call += 1) expect((await chat()).status).toBe(200);
  expect(asked.toSorted()).toEqual(['sk-of-one', 'sk-of-one', 'sk-of-two', 'sk-of-two']);
  const refused = await chat();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40']);
  minute.end();
  await platform.advance(40_000);
  expect((await chat()).status).toBe(200);
  expect(asked).toHaveLength(5);
});

test('explains which key a call would be sent with, and why', async () => {
  const { chat, answer, post, asked } = await setUp(keysNamed('one', 'two', 'three'));
  const explain = async (body: object = { session_id: 'mine' }) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const response = await post('/admin/v1/explain', { model: 'acme/chat', messages, ...body }, ADMIN);
    const { data } = jsonOf(response) as unknown as { readonly data: RoutingExplanation };
    return data.endpoints[0]?.keys ?? [];
  };
  const chosen = (await explain()).find((key) => key.chosen);
  expect(chosen?.reason).toBe('sticky');
  expect((await explain({})).filter((key) => key.chosen)).toMatchObject([{ reason: 'weight' }]);
  answer(`sk-of-${chosen?.name}`, { status: 401 });
  while (!asked.includes(`sk-of-${chosen?.name}`)) await chat();
  const now = await explain();
  expect(now.find(({ name }) => name === chosen?.name)).toMatchObject({ state: 'disabled', chosen: false });
  expect(now.filter((key) => key.chosen)).toHaveLength(1);
});
