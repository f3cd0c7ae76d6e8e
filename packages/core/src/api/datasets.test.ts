import { expect, test } from 'vitest';

import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import type { Generation } from '../wire/generation.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const dayBefore = (days: number): string => new Date(VIRTUAL_EPOCH_MS - days * DAY_MS).toISOString().slice(0, 10);

interface Past extends Partial<Generation> {
  readonly daysAgo: number;
  readonly tokens: number;
  readonly principalId?: string;
}

/** A gateway that has made these calls, in the middle of their days. */
async function withPast(calls: readonly Past[]): Promise<CoreGateway> {
  const core = createCoreGateway(createScriptedTransport());
  const own = await core.platform.sha256(API_KEY);
  for (const [index, { daysAgo, tokens, principalId = own, ...generation }] of calls.entries()) {
    const record = toRecord(`gen-${index}`, { principalId });
    const created_at = `${dayBefore(daysAgo)}T12:00:00.000Z`;
    const cost = generation.total_cost ?? 0;
    await core.store.generations.append(
      {
        ...record,
        costNanoUsd: cost * 1e9,
        generation: { ...record.generation, created_at, tokens_prompt: tokens, tokens_completion: 0, ...generation },
      },
      null,
    );
  }
  return core;
}

const dataOf = async ({ get }: CoreGateway, path: string, key = MANAGEMENT_KEY) =>
  jsonOf(await get(`/api/v1/datasets/${path}`, key)) as {
    readonly data: readonly Readonly<Record<string, unknown>>[];
    readonly meta: Readonly<Record<string, unknown>>;
  };

test('ranks models by the tokens of each day, and those beyond the first fifty together', async () => {
  const many = Array.from({ length: 52 }, (_, index) => ({ daysAgo: 2, tokens: 100 - index, model: `m/${index}` }));
  const core = await withPast([{ daysAgo: 1, tokens: 7, model: 'm/new' }, ...many, { daysAgo: 0, tokens: 1e6 }]);
  const { data, meta } = await dataOf(core, 'rankings-daily');
  expect(data).toHaveLength(52);
  expect(data[0]).toEqual({ date: dayBefore(2), model_permaslug: 'm/0', total_tokens: '100' });
  expect(data[50]).toEqual({ date: dayBefore(2), model_permaslug: 'other', total_tokens: String(50 + 49) });
  expect(data[51]).toEqual({ date: dayBefore(1), model_permaslug: 'm/new', total_tokens: '7' });
  expect(meta).toMatchObject({ version: 'v1', start_date: dayBefore(30), end_date: dayBefore(1) });
});

test('shows holders of API keys what they made, and management everything', async () => {
  const core = await withPast([
    { daysAgo: 1, tokens: 5, model: 'm/own' },
    { daysAgo: 1, tokens: 6, model: 'm/foreign', principalId: 'another' },
  ]);
  const slugs = async (key: string) =>
    (await dataOf(core, 'rankings-daily', key)).data.map((row) => row['model_permaslug']);
  expect(await slugs(API_KEY)).toEqual(['m/own']);
  expect(await slugs(MANAGEMENT_KEY)).toEqual(['m/foreign', 'm/own']);
});

test.each([
  ['period=month', ['2026-01-01', '2026-02-01']],
  ['period=week', ['2026-01-26', '2026-02-02']],
  ['context_bucket=1K', ['2026-01-31']],
  ['context_bucket=10K', ['2026-02-02']],
  ['modality=tool_calling', ['2026-02-02']],
  ['modality=audio', []],
])('narrows a ranking by %s', async (query, dates) => {
  const ago = (date: string): number => Math.round((Date.parse(dayBefore(0)) - Date.parse(date)) / DAY_MS);
  const core = await withPast([
    { daysAgo: ago('2026-01-31'), tokens: 1000 },
    { daysAgo: ago('2026-02-02'), tokens: 1001, finish_reason: 'tool_calls' },
  ]);
  const { data } = await dataOf(core, `rankings-daily?start_date=2026-01-01&end_date=2026-02-28&${query}`);
  expect(data.map((row) => row['date'])).toEqual(dates);
});

test('ranks apps by their tokens, or by their growth over the average of three spans before', async () => {
  const core = await withPast([
    { daysAgo: 1, tokens: 100, origin: 'https://steady.example' },
    ...[11, 21, 31].map((daysAgo) => ({ daysAgo, tokens: 100, origin: 'https://steady.example' })),
    { daysAgo: 2, tokens: 60, origin: 'https://growing.example' },
    { daysAgo: 12, tokens: 30, origin: 'https://growing.example' },
    { daysAgo: 1, tokens: 1000 },
  ]);
  const span = `app-rankings?start_date=${dayBefore(10)}&end_date=${dayBefore(1)}`;
  const { data: popular } = await dataOf(core, span);
  const [steady, growing] = popular;
  expect(steady).toMatchObject({ rank: 1, total_tokens: '100', total_requests: 1, app_id: expect.any(Number) });
  expect(growing).toMatchObject({ rank: 2, total_tokens: '60' });
  const { data: trending } = await dataOf(core, `${span}&sort=trending`);
  expect(trending).toEqual([{ ...growing, rank: 1 }]);
  expect((await dataOf(core, `${span}&offset=1`)).data).toEqual([growing]);
});

test('shows the median cost of sessions by app, model and number of calls', async () => {
  const app = { origin: 'https://agent.example', tokens: 1, daysAgo: 1 };
  const core = await withPast([
    { ...app, session_id: 'a', total_cost: 1, model: 'm/one' },
    { ...app, session_id: 'b', total_cost: 3, model: 'm/one' },
    { ...app, session_id: 'c', total_cost: 2, model: 'm/one' },
    { ...app, session_id: 'c', total_cost: 2, model: 'm/one' },
    { ...app, session_id: 'c', total_cost: 2, model: 'm/two' },
    { ...app, total_cost: 50, model: 'm/one' },
  ]);
  const { data, meta } = await dataOf(core, 'session-cost');
  const name = data[0]?.['app_name'];
  const shared = { app_name: name, app_slug: expect.stringMatching(/^[a-z-]+$/), model_permaslug: 'm/one' };
  expect(data).toEqual([
    { ...shared, turn_range: '1-turn', median_session_cost_usd: 2 },
    { ...shared, turn_range: '2-9-turns', median_session_cost_usd: 6 },
  ]);
  expect(meta).toMatchObject({ window_days: 30, window_end_date: dayBefore(1) });
  expect((await dataOf(core, 'session-cost?turn_range=2-9-turns&limit=5')).data).toHaveLength(1);
  expect((await dataOf(core, 'session-cost?model=m/two')).data).toEqual([]);
});

test.each([
  ['rankings-daily?category=programming', 'category: cannot be used: this gateway does not classify'],
  ['app-rankings?subcategory=game', 'subcategory: cannot be used: this gateway does not sort apps'],
  ['rankings-daily?start_date=yesterday', 'start_date: must be a day'],
  ['app-rankings?start_date=2026-03-02&end_date=2026-03-01', 'start_date: must not be after end_date'],
  ['rankings-daily?start_date=2020-01-01', 'start_date: must leave at most 366 days'],
  ['session-cost?turn_range=3', 'turn_range'],
])('refuses %s', async (path, message) => {
  const { get } = createCoreGateway(createScriptedTransport());
  const response = await get(`/api/v1/datasets/${path}`);
  expect([response.status, response.body]).toEqual([400, expect.stringContaining(message)]);
});

test.each([
  ['GET', '/api/v1/benchmarks', 404, 'collects no benchmarks'],
  ['GET', '/api/v1/classifications/task', 404, 'does not classify'],
])('says why %s %s is not there', async (_, path, status, reason) => {
  const { get } = createCoreGateway(createScriptedTransport());
  const response = await get(path);
  expect([response.status, response.body]).toEqual([status, expect.stringContaining(reason)]);
});
