import { expect, test } from 'vitest';

import { type AdminGateway, createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';

const PATH = '/admin/v1/generations/histogram';
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2, 2, minute)).toISOString();
const UNCACHED = { retries: 0, prompt_tokens: 0, cached_tokens: 0, cache_saved: 0 };
const SPEEDLESS = {
  first_token_p50: null,
  first_token_p95: null,
  tokens_per_second_p50: null,
  duration_p50: null,
  duration_p95: null,
  duration_p99: null,
  ...UNCACHED,
};
const TIMED = { ...UNCACHED, duration_p50: 2300, duration_p95: 2300, duration_p99: 2300 };
const STREAM = { streamed: true, latency: 300, tokens_completion: 100, generation_time: 2300 };

type Figures = Readonly<Record<string, number | null>>;
interface Part {
  readonly value: string | null;
  readonly name: string | null;
  readonly totals: Figures;
  readonly data: readonly Figures[];
}

/** Four generations of the third hour; the clock shows 03:04:05. */
async function setUp(): Promise<AdminGateway & { keyHash: string }> {
  const admin = createAdminGateway();
  const { hash } = await admin.dataOf('POST', '/keys', { name: 'batch' });
  const append = (minute: number, changes: Parameters<typeof toRecord>[1]) =>
    admin.store.generations.append(
      toRecord(`gen-${minute}`, { ...changes, generation: { created_at: at(minute), ...changes?.generation } }),
      null,
    );
  await append(0, { costNanoUsd: 1_000_000, generation: { ...STREAM, session_id: 's1' } });
  await append(1, { costNanoUsd: 2_000_000, generation: { finish_reason: 'error' } });
  await append(2, { principalId: hash, userId: 'ada', generation: { model: 'acme/other' } });
  await append(4, { principalId: hash, generation: { cancelled: true, finish_reason: null, provider_name: null } });
  return { ...admin, keyHash: hash };
}

test('counts by time with totals, by default over the last 24 hours', async () => {
  const { call } = await setUp();
  const { body } = await call('GET', `${PATH}?from=${at(0)}&to=${at(6)}&buckets=3`);
  expect(body).toEqual({
    data: [
      {
        start: at(0),
        requests: 2,
        failed: 1,
        cancelled: 0,
        interrupted: 0,
        cost: 0.003,
        first_token_p50: 300,
        first_token_p95: 300,
        tokens_per_second_p50: 50,
        ...TIMED,
      },
      { start: at(2), requests: 1, failed: 0, cancelled: 0, interrupted: 0, cost: 0.000001, ...SPEEDLESS },
      { start: at(4), requests: 1, failed: 0, cancelled: 1, interrupted: 0, cost: 0.000001, ...SPEEDLESS },
    ],
    totals: {
      requests: 4,
      failed: 1,
      cancelled: 1,
      interrupted: 0,
      cost: 0.003002,
      first_token_p50: 300,
      first_token_p95: 300,
      tokens_per_second_p50: 50,
      ...TIMED,
    },
    from: at(0),
    to: at(6),
    bucket_ms: 120_000,
  });
  const today = (await call('GET', `${PATH}?status=failed&buckets=24`)).body;
  const rows = today['data'] as { requests: number }[];
  expect([rows.length, rows.reduce((sum, { requests }) => sum + requests, 0)]).toEqual([24, 1]);
});

test.each([
  ['model', ['acme/chat-1 3', 'acme/other 1']],
  ['provider', ['Acme 3', 'null 1']],
  ['key', ['key-1 2', '(batch) 2']],
  ['member', ['null 3', '(Ada Lovelace) 1']],
  ['app', ['null 4']],
  ['session', ['null 3', 's1 1']],
])('divides by %s, with names for people', async (split, expected) => {
  const { call } = await setUp();
  await call('POST', '/admin/v1/members', { user_id: 'ada', name: 'Ada Lovelace' });
  const { body } = await call('GET', `${PATH}?from=${at(0)}&to=${at(6)}&buckets=3&split=${split}`);
  const parts = body['split'] as Part[];
  expect(
    parts.map(({ value, name, totals }) => `${name === null ? value : `(${name})`} ${totals['requests']}`),
  ).toEqual(expected);
  expect(parts.map(({ data }) => data.length)).toEqual(parts.map(() => 3));
  expect(body['other']).toBeNull();
});

test('counts in buckets that reach beyond the span what is in the span alone', async () => {
  const { call } = await setUp();
  const { body } = await call(
    'GET',
    `${PATH}?from=${at(1)}&to=${at(3)}&begin=${at(0)}&end=${at(6)}&buckets=3&compare=true`,
  );
  const {
    data,
    totals,
    from,
    to,
    bucket_ms: bucketMs,
    before,
  } = body as {
    readonly data: readonly { readonly start: string; readonly requests: number }[];
    readonly totals: Figures;
    readonly from: string;
    readonly to: string;
    readonly bucket_ms: number;
    readonly before: { readonly from: string; readonly to: string };
  };
  expect(data.map(({ start, requests }) => [start, requests])).toEqual([
    [at(0), 1],
    [at(2), 1],
    [at(4), 0],
  ]);
  expect([totals['requests'], from, to, bucketMs]).toEqual([2, at(1), at(3), 120_000]);
  expect([before.from, before.to]).toEqual([at(-1), at(1)]);
});

test.each([
  ['begin', `from=${at(1)}&to=${at(3)}&begin=${at(2)}`],
  ['end', `from=${at(1)}&to=${at(3)}&end=${at(2)}`],
])('refuses buckets that leave out a part of the span: %s', async (path, query) => {
  const { call } = await setUp();
  const { status, body } = await call('GET', `${PATH}?${query}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { metadata: { issues: [{ path }] } } });
});

test('tells eight values apart, by requests or by cost, and adds up the others', async () => {
  const { call, store } = createAdminGateway();
  for (let index = 0; index < 10; index += 1) {
    const generation = { created_at: at(index), model: `m${index}` };
    await store.generations.append(toRecord(`gen-${index}`, { costNanoUsd: index * 1e6, generation }), null);
  }
  const read = async (rank: string) => {
    const { body } = await call('GET', `${PATH}?from=${at(0)}&to=${at(10)}&buckets=2&split=model&${rank}`);
    const other = body['other'] as Part & { values: number };
    return [(body['split'] as Part[]).map(({ value }) => value).join(' '), other.values, other.totals['requests']];
  };
  expect(await read('rank=cost')).toEqual(['m9 m8 m7 m6 m5 m4 m3 m2', 2, 2]);
  await store.generations.append(toRecord('gen-more', { generation: { created_at: at(1), model: 'm0' } }), null);
  expect(await read('')).toEqual(['m0 m9 m8 m7 m6 m5 m4 m3', 2, 2]);
  expect(await read('parts=9')).toEqual(['m0 m9 m8 m7 m6 m5 m4 m3 m2', 1, 1]);
});

test('compares with the span of the same length before, under the same filters', async () => {
  const { call } = await setUp();
  const query = `from=${at(2)}&to=${at(4)}&buckets=1&compare=true`;
  const { body } = await call('GET', `${PATH}?${query}`);
  expect(body['before']).toMatchObject({ from: at(0), to: at(2), totals: { requests: 2, cost: 0.003 } });
  const { body: failed } = await call('GET', `${PATH}?${query}&status=failed`);
  expect(failed['before']).toMatchObject({ totals: { requests: 1, cost: 0.002 } });
});

test('compares a span that is not over with as much of the span before as has passed', async () => {
  const { call } = await setUp();
  // The clock shows 03:04:05, and the span ends at 05:00.
  const from = at(60);
  const { body } = await call('GET', `${PATH}?from=${from}&to=${at(180)}&buckets=1&compare=true`);
  expect(body['before']).toMatchObject({ from: at(-60), to: '2026-01-02T01:04:05.001Z', totals: { requests: 0 } });
  const { body: longer } = await call('GET', `${PATH}?from=${from}&to=${at(120)}&buckets=1&compare=true`);
  expect(longer['before']).toMatchObject({ from: at(0), to: '2026-01-02T02:04:05.001Z', totals: { requests: 4 } });
});

test.each([
  [`from=${at(2)}&to=${at(2)}`, 'from: must be before to'],
  ['split=colour', 'split: must be one of model, provider, key, member, app, session'],
  ['rank=speed', 'rank: must be requests or cost'],
  ['buckets=60&parts=54', 'parts: must be at most 53 with so many buckets'],
  ['compare=yes', 'compare'],
])('refuses %s and says why', async (query, message) => {
  const { call } = createAdminGateway();
  const { status, body } = await call('GET', `${PATH}?${query}`);
  expect([status, (body['error'] as { message: string }).message]).toEqual([400, expect.stringContaining(message)]);
});
