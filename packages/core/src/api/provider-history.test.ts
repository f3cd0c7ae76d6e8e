import { expect, test } from 'vitest';

import { type AdminGateway, createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import type { Generation } from '../wire/generation.ts';

type Attempt = NonNullable<Generation['provider_responses']>[number];

const attemptOf = (slug: 'acme' | 'beta', changes: Partial<Attempt> = {}): Attempt => ({
  endpoint_id: `${slug}:chat-1`,
  latency: 100,
  model_permaslug: 'acme/chat',
  provider_name: slug === 'acme' ? 'Acme' : 'Beta',
  status: 200,
  ...changes,
});
const failureOf = (code: number, errorType: string, status: number | null, slug: 'acme' | 'beta' = 'acme'): Attempt =>
  attemptOf(slug, { status, error: { code, error_type: errorType, message: `${errorType} of ${slug}` } });

/** The clock of the gateway shows 03:04:05 of the same day. */
const at = (hour: number, minute = 0): string => new Date(Date.UTC(2026, 0, 2, hour, minute)).toISOString();

interface Call {
  readonly at: string;
  readonly attempts: readonly Attempt[];
  readonly changes?: Partial<Generation>;
  readonly costNanoUsd?: number;
}

async function setUp(calls: readonly Call[]): Promise<AdminGateway> {
  const admin = createAdminGateway();
  for (const [index, { at: created_at, attempts, changes, costNanoUsd = 0 }] of calls.entries()) {
    const generation = { created_at, provider_responses: [...attempts], tokens_completion: 5, ...changes };
    await admin.store.generations.append(toRecord(`gen-${index}`, { costNanoUsd, generation }), null);
  }
  return admin;
}

const read = (admin: AdminGateway, query = '', slug = 'acme') =>
  admin.call('GET', `/admin/v1/providers/${slug}/history${query}`);

test('counts what the attempts of stored calls say of a provider, by hour and by endpoint', async () => {
  const admin = await setUp([
    { at: at(1, 10), attempts: [attemptOf('acme')], costNanoUsd: 2_000_000 },
    { at: at(1, 20), attempts: [failureOf(503, 'provider_overloaded', 503), attemptOf('beta')], costNanoUsd: 9 },
    { at: at(2, 30), attempts: [attemptOf('acme', { latency: 300, endpoint_id: 'acme/fast:chat-1' })] },
  ]);
  const { status, body } = await read(admin);
  expect(status).toBe(200);
  expect(body).toMatchObject({ from: '2026-01-01T04:00:00.000Z', to: at(4), interval: 'hour' });
  const { data } = body as { data: { buckets: { start: string; calls: number }[] } };
  expect(data).toMatchObject({
    slug: 'acme',
    name: 'Acme',
    totals: {
      calls: 3,
      ok: 2,
      failed: 1,
      uptime: (2 / 3) * 100,
      failures: { server_error: 1 },
      latency_p50: 100,
      latency_p95: 300,
      cost: 0.002,
    },
    last_called_at: at(2, 30),
    last_error: { at: at(1, 20), kind: 'server_error', code: 503, status: 503, message: 'provider_overloaded of acme' },
    endpoints: [
      { endpoint_id: 'acme:chat-1', model: 'acme/chat', totals: { calls: 2, failed: 1 } },
      { endpoint_id: 'acme/fast:chat-1', totals: { calls: 1, failed: 0 }, last_error: null },
    ],
  });
  expect(data.buckets).toHaveLength(24);
  expect(data.buckets.filter(({ calls }) => calls > 0)).toMatchObject([
    { start: at(1), calls: 2, failed: 1, uptime: 50 },
    { start: at(2), calls: 1, failed: 0, uptime: 100 },
  ]);
});

test.each<[string, Attempt, object]>([
  ['a rate limit', failureOf(429, 'rate_limit_exceeded', 429), { failures: { rate_limited: 1 }, uptime: null }],
  ['a refused key', failureOf(502, 'provider_unavailable', 401), { failures: { key_refused: 1 }, uptime: 0 }],
  ['an empty account', failureOf(502, 'provider_unavailable', 402), { failures: { key_refused: 1 } }],
  ['a time limit', failureOf(408, 'timeout', null), { failures: { timeout: 1 }, uptime: 0 }],
  ['no connection', failureOf(502, 'provider_unavailable', null), { failures: { connection: 1 }, uptime: 0 }],
  ['a server error', failureOf(502, 'provider_unavailable', 500), { failures: { server_error: 1 }, uptime: 0 }],
  ['a model that is gone', failureOf(404, 'not_found', 404), { failures: { not_found: 1 }, uptime: 0 }],
  ['a stream that broke off', failureOf(502, 'provider_unavailable', 200), { failures: { broke_off: 1 }, uptime: 0 }],
  ['a bad request', failureOf(400, 'invalid_request', 400), { failed: 0, refused: 1, failures: {}, uptime: null }],
  ['moderation', failureOf(403, 'permission_denied', 403), { failed: 0, refused: 1, uptime: null }],
  ['a caller who left', failureOf(499, 'invalid_request', null), { failed: 0, abandoned: 1, uptime: null }],
])('counts %s for what it is', async (_, attempt, expected) => {
  const admin = await setUp([{ at: at(3), attempts: [attempt] }]);
  const { body } = await read(admin);
  expect(body['data']).toMatchObject({ totals: { calls: 1, ok: 0, ...expected } });
});

test('a circuit opened when five calls in a row had failed, and once more when its probe did', async () => {
  const failures = Array.from({ length: 5 }, (_, index) => ({
    at: at(1, index),
    attempts: [failureOf(503, 'provider_overloaded', 503)],
  }));
  const probe = { at: at(2), attempts: [failureOf(503, 'provider_overloaded', 503)] };
  const four = [...failures.slice(1), { at: at(2, 1), attempts: [attemptOf('acme')] }];
  expect((await read(await setUp([...failures, probe]))).body['data']).toMatchObject({ totals: { openings: 2 } });
  expect((await read(await setUp(four))).body['data']).toMatchObject({ totals: { openings: 0 } });
});

test('first tokens are those of streams, and money goes to the provider that was asked last', async () => {
  const admin = await setUp([
    {
      at: at(3),
      attempts: [attemptOf('beta'), attemptOf('acme', { latency: 40 })],
      changes: { latency: 140 },
      costNanoUsd: 1_000_000_000,
    },
    { at: at(3), attempts: [attemptOf('acme', { latency: 900 })], changes: { streamed: false, latency: 900 } },
  ]);
  expect((await read(admin)).body['data']).toMatchObject({
    totals: { cost: 1, first_token_p50: 40, first_token_p95: 40, latency_p95: 900 },
  });
  expect((await read(admin, '', 'beta')).body['data']).toMatchObject({ totals: { calls: 1, cost: 0 } });
});

test('the list has every provider with its totals and buckets, those without a call too', async () => {
  const admin = await setUp([{ at: at(3), attempts: [attemptOf('acme')] }]);
  const { body } = await admin.call('GET', '/admin/v1/providers/history');
  expect(body['data']).toMatchObject([
    { slug: 'acme', totals: { calls: 1 }, last_called_at: at(3), last_error: null },
    { slug: 'beta', totals: { calls: 0, uptime: null, latency_p50: null }, last_called_at: null },
  ]);
  for (const { buckets, ...one } of body['data'] as { buckets: unknown[] }[]) {
    expect(buckets).toHaveLength(24);
    expect(one).not.toHaveProperty('endpoints');
  }
});

test('a span is widened to whole intervals', async () => {
  const admin = await setUp([{ at: at(1, 59), attempts: [attemptOf('acme')] }]);
  const { body } = await read(admin, `?from=${at(1, 30)}&to=${at(2, 10)}&interval=hour`);
  expect(body).toMatchObject({ from: at(1), to: at(3), data: { totals: { calls: 1 } } });
  const minutes = await read(admin, `?from=${at(1, 50)}&to=${at(2, 0)}&interval=minute`);
  expect((minutes.body as { data: { buckets: unknown[] } }).data.buckets).toHaveLength(10);
});

test.each([
  ['?interval=second', 'interval'],
  [`?from=${at(3)}&to=${at(2)}`, 'from'],
  ['?from=2025-01-01T00:00:00Z&interval=minute', 'from'],
  ['?from=yesterday', 'from'],
  ['?since=1', 'since'],
])('refuses %s and names %s', async (query, field) => {
  const admin = await setUp([]);
  const { status, body } = await read(admin, query);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(field);
});

test('a provider that is not there is not found', async () => {
  expect((await read(await setUp([]), '', 'gamma')).status).toBe(404);
});

/** Counts how often generations are read, each time for this long. */
function countScans(admin: AdminGateway, tookMs: number): () => number {
  let scans = 0;
  const { generations } = admin.store;
  const { scan } = generations;
  Object.assign(generations, {
    scan: async (...given: Parameters<typeof scan>) => {
      scans += 1;
      if (tookMs > 0) await admin.platform.advance(tookMs);
      return scan(...given);
    },
  });
  return () => scans;
}

test('a span that takes long is added up once for readers who come within some seconds', async () => {
  const admin = await setUp([{ at: at(3), attempts: [attemptOf('acme')] }]);
  const scans = countScans(admin, 200);
  await Promise.all([read(admin), admin.call('GET', '/admin/v1/providers/history'), read(admin, '', 'beta')]);
  await admin.platform.advance(4000);
  await read(admin);
  expect(scans()).toBe(1);
  await admin.platform.advance(1100);
  await read(admin);
  expect(scans()).toBe(2);
});

test('a call that was made after somebody has looked is seen at the next look', async () => {
  const admin = await setUp([]);
  const scans = countScans(admin, 0);
  await Promise.all([read(admin), read(admin, '', 'beta')]);
  expect(scans()).toBe(1);
  const generation = { created_at: at(3), provider_responses: [attemptOf('acme')] };
  await admin.store.generations.append(toRecord('gen-new', { generation }), null);
  expect((await read(admin)).body).toMatchObject({ data: { totals: { calls: 1 }, last_call_failed: false } });
});
