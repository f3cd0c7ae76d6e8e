import type { GatewayOptions } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { respondWell, type RawUpstream, startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const ROUNDS = process.env['TEST_FULL'] === '1' ? 100 : 5;
const PARALLEL = 200;

interface AdminResponse {
  readonly key: string;
  readonly data: { readonly id: string; readonly hash: string } & Readonly<Record<string, unknown>>;
}

interface Setup extends FaultGateway {
  readonly upstream: RawUpstream;
  admin(method: string, path: string, body?: object): Promise<AdminResponse>;
  /** A key with these fields, under a guardrail with those. */
  newKey(fields?: object, guardrail?: object): Promise<{ key: string; hash: string }>;
  /** Asks for what costs ten cents, and reads the response. */
  spend(key: string, body?: object): Promise<{ status: number; body: string }>;
}

/** A gateway each of whose calls costs ten cents, whatever is said. */
async function start(options: Partial<GatewayOptions> = {}, failing = false): Promise<Setup> {
  const upstream = await startRawUpstream((request) => {
    if (failing) request.socket.write(toRawResponse(400, { error: { message: 'no' } }));
    else respondWell(request);
  });
  const endpoint = { providerModel: 'm', pricing: { prompt: '0', completion: '0', request: '0.1' } };
  const gateway = await startFaultGateway([upstream], {
    gateway: { models: [{ id: 'test/model', endpoints: [{ provider: 'up0', ...endpoint }] }], ...options },
  });
  const admin: Setup['admin'] = async (method, path, body) => {
    const response = await fetch(`${gateway.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(300);
    return JSON.parse(text) as AdminResponse;
  };
  return {
    ...gateway,
    upstream,
    admin,
    async newKey(fields = {}, guardrail) {
      const { key, data } = await admin('POST', '/keys', { name: 'k', ...fields });
      const { hash } = data;
      if (guardrail !== undefined) {
        const { data: created } = await admin('POST', '/guardrails', { name: 'g', ...guardrail });
        await admin('POST', `/guardrails/${created.id}/assignments/keys`, { key_hashes: [hash] });
      }
      return { key, hash };
    },
    async spend(key, body = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await gateway.ask(
        {},
        {
          headers,
          body: JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content: 'Hi' }], ...body }),
        },
      );
      return { status: response.status, body: await response.text() };
    },
  };
}

/** Streamed and whole in turn. */
async function race({ spend }: Setup, key: string): Promise<Record<number, number>> {
  const responses = await Promise.all(Array.from({ length: PARALLEL }, (_, n) => spend(key, { stream: n % 2 === 0 })));
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test(
  `142: of ${PARALLEL} parallel calls those reach upstream that there is room for, ${ROUNDS} times over`,
  { timeout: 600_000 },
  async () => {
    const setup = await start();
    const { upstream, newKey, admin } = setup;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = upstream.requests.length;
      const limited = await newKey({ limit: 1.05 });
      expect(await race(setup, limited.key)).toEqual({ 200: 10, 402: PARALLEL - 10 });
      expect(upstream.requests.length - before).toBe(10);
      expect((await admin('GET', `/keys/${limited.hash}`)).data).toMatchObject({ usage: 1, limit_remaining: 0.05 });

      const guarded = await newKey({}, { limit_usd: 1.05 });
      expect(await race(setup, guarded.key)).toEqual({ 200: 10, 403: PARALLEL - 10 });
      expect(upstream.requests.length - before).toBe(20);
    }
  },
);

test('142: a refusal says what is spent and what the call may cost, and a guardrail no more than that', async () => {
  const { spend, newKey } = await start();
  const { key } = await newKey({ limit: 0.15 }, { limit_usd: 0.15, reset_interval: 'daily' });
  expect((await spend(key)).status).toBe(200);
  const limited = await spend(key);
  expect(limited.status).toBe(402);
  expect(JSON.parse(limited.body)).toMatchObject({
    error: {
      code: 402,
      metadata: { error_type: 'payment_required', limit_usd: 0.15, spent_usd: 0.1, required_usd: 0.1 },
    },
  });
  const { key: guarded } = await newKey({}, { limit_usd: 0.05 });
  const refused = JSON.parse((await spend(guarded)).body) as object;
  expect(refused).toMatchObject({ error: { code: 403, metadata: { error_type: 'permission_denied' } } });
  expect(refused).not.toHaveProperty('openrouter_metadata');
});

test('142: one guardrail on two keys lets each of them spend its limit', async () => {
  const { spend, newKey, admin } = await start();
  const one = await newKey({}, { limit_usd: 0.15 });
  const { data } = await admin('GET', '/guardrails/assignments/keys');
  const [assignment] = data as unknown as { guardrail_id: string }[];
  const two = await newKey();
  await admin('POST', `/guardrails/${assignment?.guardrail_id}/assignments/keys`, { key_hashes: [two.hash] });
  const statuses: number[] = [];
  for (const { key } of [one, one, two, two]) statuses.push((await spend(key)).status);
  expect(statuses).toEqual([200, 403, 200, 403]);
});

test('142: what a member may spend counts over all of their keys, and what a key may for it alone', async () => {
  const { spend, newKey, admin, listener } = await start();
  const joined = await fetch(`${listener.url}/admin/v1/members`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'mo', email: 'mo@example.com' }),
  });
  expect(joined.status).toBe(201);
  const { data } = await admin('POST', '/guardrails', { name: 'of members', limit_usd: 0.35 });
  await admin('POST', `/guardrails/${data.id}/assignments/members`, { member_user_ids: ['mo'] });
  const one = await newKey({ creator_user_id: 'mo' }, { limit_usd: 0.15 });
  const two = await newKey({ creator_user_id: 'mo' });
  const other = await newKey();
  const statuses: number[] = [];
  for (const { key } of [one, one, two, two, two, other]) statuses.push((await spend(key)).status);
  expect(statuses).toEqual([200, 403, 200, 200, 403, 200]);
});

test('142: the credits of the account bound all keys together, and only what is paid with them', async () => {
  const setup = await start({ account: { creditsUsd: 0.25 } });
  const { key } = await setup.newKey();
  expect(await race(setup, key)).toEqual({ 200: 2, 402: PARALLEL - 2 });
  expect(setup.upstream.requests).toHaveLength(2);
  expect((await setup.admin('GET', '/credits')).data).toMatchObject({ total_credits: 0.25, total_usage: 0.2 });
  expect((await setup.spend(TEST_KEY)).status).toBe(402);
});

test('144: what failed holds nothing, so that the next call has its room', async () => {
  const { spend, newKey } = await start({}, true);
  const { key } = await newKey({ limit: 0.1 }, { limit_usd: 0.1 });
  for (let call = 0; call < 5; call += 1) expect((await spend(key)).status).toBe(400);
});

test.each([
  ['daily', '2026-01-02T23:59:59.999Z', '2026-01-03T00:00:00.000Z'],
  ['weekly', '2026-01-04T23:59:59.999Z', '2026-01-05T00:00:00.000Z'],
  ['monthly', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  ['monthly', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z'],
])('138: a %s budget is used up until %s and resets at %s', async (interval, before, after) => {
  let now = Date.parse(before) - 60_000;
  const { spend, newKey } = await start({ platform: { ...createNodePlatform(), now: () => now } });
  const limited = await newKey({ limit: 0.15, limit_reset: interval });
  const guarded = await newKey({}, { limit_usd: 0.15, reset_interval: interval });
  const forever = await newKey({}, { limit_usd: 0.15 });
  const statuses = async (): Promise<number[]> => {
    const found: number[] = [];
    for (const { key } of [limited, guarded, forever]) found.push((await spend(key)).status);
    return found;
  };
  expect(await statuses()).toEqual([200, 200, 200]);
  now = Date.parse(before);
  expect(await statuses()).toEqual([402, 403, 403]);
  now = Date.parse(after);
  expect(await statuses()).toEqual([200, 200, 403]);
});

test('145: a limit refuses calls with an unknown cost', async () => {
  const { spend, newKey, upstream } = await start({
    models: [{ id: 'test/model', endpoints: [{ provider: 'up0', providerModel: 'm' }] }],
  });
  const { key } = await newKey({}, { limit_usd: 100 });
  const { status, body } = await spend(key, { max_tokens: 1 });
  expect([status, JSON.parse(body)]).toMatchObject([
    404,
    { error: { metadata: { excluded: [{ rule: 'cost_unknown' }] } } },
  ]);
  expect(upstream.requests).toEqual([]);
  expect((await spend(TEST_KEY)).status).toBe(200);
});
