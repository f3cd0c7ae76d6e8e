import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createJsonFileStore } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform } from '../support/async/virtual-platform.ts';
import { createAsk, expectSameNumbers, makeRecords } from '../support/stores/analytics-recount.ts';
import { toRecord } from '../support/stores/generation-records.ts';

const RECORDS = makeRecords(600);

test('analytics of a store in memory have the numbers of a recount, and of /activity', async () => {
  const store = createMemoryStore();
  for (const record of RECORDS) await store.generations.append(record, null);
  await expectSameNumbers(store, RECORDS);
});

test('analytics of a store in JSON files have the numbers of a recount, and of /activity', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-analytics-'));
  const store = await createJsonFileStore({ dir, retentionDays: Number.POSITIVE_INFINITY });
  onTestFinished(async () => {
    await store.close();
    await rm(dir, { recursive: true });
  });
  await Promise.all(RECORDS.map((record) => store.generations.append(record, null)));
  await expectSameNumbers(store, RECORDS);
});

const at = (time: string, model = 'acme/chat') =>
  toRecord(`gen-${time}-${model}`, { generation: { created_at: `2026-01-${time}:00.000Z`, model } });

async function fill(...records: ReturnType<typeof at>[]) {
  const store = createMemoryStore();
  for (const record of records) await store.generations.append(record, null);
  return createAsk(store);
}

const rowsOf = ({ body }: { body: Record<string, unknown> }) =>
  (body['data'] as { data: Record<string, unknown>[] }).data;

test('names every metric, dimension, operator and granularity that a query may use', async () => {
  const ask = await fill();
  const { body } = await ask('GET', '/analytics/meta');
  const meta = body['data'] as Record<string, { name: string }[]>;
  expect(meta['operators']).toContainEqual({ name: 'not_in', value_type: 'array' });
  expect(meta['granularities']?.map(({ name }) => name)).toEqual(['minute', 'hour', 'day', 'week', 'month']);
  for (const { name } of meta['metrics'] ?? []) {
    expect((await ask('POST', '/analytics/query', { metrics: [name] })).status).toBe(200);
  }
  for (const { name } of meta['dimensions'] ?? []) {
    expect((await ask('POST', '/analytics/query', { metrics: ['p50_latency'], dimensions: [name] })).status).toBe(200);
  }
});

test('shows the last seven days without a time range, the newest span first, and says when there is more', async () => {
  const ask = await fill(at('01T10:00'), at('02T01:00'), at('02T02:00', 'acme/other'), at('02T03:00'));
  const query = { metrics: ['request_count'], granularity: 'day' };
  expect(rowsOf(await ask('POST', '/analytics/query', query))).toEqual([
    { date__day: '2026-01-02T00:00:00.000Z', request_count: 3 },
    { date__day: '2026-01-01T00:00:00.000Z', request_count: 1 },
  ]);
  const first = await ask('POST', '/analytics/query', { ...query, limit: 1 });
  expect(first.body['data']).toMatchObject({ metadata: { row_count: 1, truncated: true } });
  const asc = { ...query, order_by: { field: 'date', direction: 'asc' }, limit: 1 };
  expect(rowsOf(await ask('POST', '/analytics/query', asc))).toMatchObject([{ request_count: 1 }]);
  const grouped = { ...query, dimensions: ['model'], group_limit: 1 };
  const { body } = await ask('POST', '/analytics/query', grouped);
  expect(body['data']).toEqual({
    data: [
      { date__day: '2026-01-02T00:00:00.000Z', model: 'acme/chat', request_count: 2 },
      { date__day: '2026-01-02T00:00:00.000Z', model: 'acme/other', request_count: 1 },
    ],
    metadata: { row_count: 2, query_time_ms: 0, truncated: true },
  });
});

test('orders by a metric, by a dimension, and by what is not asked for, with what is not known last', async () => {
  const slow = toRecord('slow', {
    generation: { created_at: '2026-01-02T01:00:00.000Z', model: 'acme/slow', latency: 9 },
  });
  const ask = await fill(at('02T01:00', 'acme/b'), at('02T01:30', 'acme/a'), at('02T01:40', 'acme/a'), slow);
  const order = async (field: string, direction: string, metrics = ['p50_latency']) =>
    rowsOf(
      await ask('POST', '/analytics/query', { metrics, dimensions: ['model'], order_by: { field, direction } }),
    ).map(({ model }) => model);
  expect(await order('p50_latency', 'asc')).toEqual(['acme/slow', 'acme/a', 'acme/b']);
  expect(await order('p50_latency', 'desc')).toEqual(['acme/slow', 'acme/a', 'acme/b']);
  expect(await order('model', 'asc')).toEqual(['acme/a', 'acme/b', 'acme/slow']);
  expect(await order('request_count', 'desc')).toEqual(['acme/a', 'acme/b', 'acme/slow']);
});

test('shows keys, members and workspaces by their names, and warns of a hash that no key has', async () => {
  const store = createMemoryStore();
  const ask = createAsk(store);
  const { body } = await ask('POST', '/keys', { name: 'Build server' });
  const { hash } = body['data'] as { hash: string };
  await store.members.insert({ id: 'mo', email: '', first_name: 'Mo', last_name: 'Berg', role: 'org:member' });
  const generation = { created_at: '2026-01-02T01:00:00.000Z' };
  await store.generations.append(toRecord('gen-1', { principalId: hash, userId: 'mo', generation }), null);
  const query = { metrics: ['request_count'], dimensions: ['api_key_id', 'user'] };
  const filters = [{ field: 'api_key_id', operator: 'in', value: [hash, 'gone'] }];
  expect((await ask('POST', '/analytics/query', { ...query, filters })).body['data']).toMatchObject({
    data: [{ api_key_id: 'Build server', user: 'Mo Berg', request_count: 1 }],
    warnings: ['There is no key with the hash gone now; only past calls of it are counted'],
  });
});

const RANGE = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
const filterOf = (field: string, operator: string, value: unknown, more: object = {}) => ({
  filters: [{ field, operator, value, ...more }],
});

test.each([
  ['metrics', { metrics: [] }],
  ['metrics.1', { metrics: ['request_count', 'visits'] }],
  ['dimensions.0', { dimensions: ['colour'] }],
  ['dimensions', { dimensions: ['model', 'user', 'app'] }],
  ['dimensions', { dimensions: ['model', 'model'] }],
  ['granularity', { granularity: 'year' }],
  ['granularity', { granularity: 'minute', time_range: { ...RANGE, end: '2026-02-01T00:00:00Z' } }],
  ['time_range.end', { time_range: { start: RANGE.end, end: RANGE.start } }],
  ['time_range', { time_range: { ...RANGE, end: '2027-06-01T00:00:00Z' } }],
  ['time_range.start', { time_range: { ...RANGE, start: 'yesterday' } }],
  ['order_by.field', { order_by: { field: 'date', direction: 'asc' } }],
  ['order_by.field', { order_by: { field: 'total_usage', direction: 'asc' } }],
  ['limit', { limit: 10_001 }],
  ['group_limit', { group_limit: 0 }],
  ['filters.0.field', filterOf('colour', 'eq', 'x')],
  ['filters.0.operator', filterOf('model', 'like', 'x')],
  ['filters.0.value', filterOf('model', 'in', 'x')],
  ['filters.0.value', filterOf('model', 'eq', ['x'])],
  ['filters.0.include_unset', filterOf('provider', 'eq', 'x', { include_unset: true })],
  ['filters.0.include_unset', filterOf('model', 'in', ['x'], { include_unset: true })],
  ['filters', { filters: Array.from({ length: 21 }, () => filterOf('model', 'eq', 'x').filters[0]) }],
  ['classifier_dimensions', { classifier_dimensions: { classifier_id: 'x' } }],
])('refuses a query with a wrong %s, naming it', async (path, change) => {
  const ask = await fill();
  const { status, body } = await ask('POST', '/analytics/query', { metrics: ['request_count'], ...change });
  expect([status, body['error']]).toMatchObject([400, { metadata: { issues: [{ path }] } }]);
});

test('refuses a query that takes longer than ten seconds', async () => {
  const store = createMemoryStore();
  await Promise.all(makeRecords(300).map((record) => store.generations.append(record, null)));
  const platform = createVirtualPlatform();
  let elapsed = 0;
  const ask = createAsk(store, { ...platform, monotonicNow: () => (elapsed += 20_000) });
  const time_range = { start: '2025-11-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
  const { status, body } = await ask('POST', '/analytics/query', { metrics: ['p50_latency'], time_range });
  expect([status, body['error']]).toMatchObject([408, { message: expect.stringContaining('10 seconds') }]);
});
