import { createGateway, type GenerationRecord, type Store } from '@model-gateway/core';
import { expect } from 'vitest';

import { createVirtualPlatform, VIRTUAL_EPOCH_MS } from '../async/virtual-platform.ts';
import { bodyOf } from '../gateways/body-of.ts';
import { jsonOf } from '../gateways/core-gateway.ts';
import { toRecord } from './generation-records.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY = 'sk-test-management';
const DEFAULT_WORKSPACE = '00000000-0000-4000-8000-000000000000';

/** Numbers from 0 to 1 that are the same each time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Generations of the last 45 days with all that analytics count, in no order. */
export function makeRecords(count: number): GenerationRecord[] {
  const random = createRandom(7);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  return Array.from({ length: count }, (_, index) => {
    const finish = pick(['stop', 'stop', 'length', 'error', null]);
    const tokens = pick([null, Math.floor(random() * 2000)]);
    const userId = pick([undefined, 'mo', 'ada']);
    return toRecord(`gen-${index}`, {
      principalId: pick(['key-1', 'key-2', 'key-3']),
      ...(userId !== undefined && { userId }),
      costNanoUsd: Math.floor(random() * 5_000_000),
      generation: {
        created_at: new Date(VIRTUAL_EPOCH_MS - Math.floor(random() * 45 * DAY_MS)).toISOString(),
        model: pick(['acme/chat', 'acme/other', 'beta/large']),
        provider_name: pick(['Acme', 'Beta', null]),
        workspace_id: pick([DEFAULT_WORKSPACE, 'w-2']),
        origin: pick(['', 'https://app.example']),
        user_agent: pick([null, 'tool/1.0']),
        external_user: pick([null, 'constructor', 'partner-7']),
        api_type: pick(['completions', 'embeddings']),
        is_byok: pick([true, false, false]),
        cancelled: pick([true, false, false, false]),
        finish_reason: finish,
        tokens_prompt: pick([null, Math.floor(random() * 3000)]),
        tokens_completion: tokens,
        native_tokens_reasoning: pick([null, Math.floor(random() * 500)]),
        native_tokens_cached: pick([null, Math.floor(random() * 900)]),
        latency: pick([null, Math.floor(random() * 4000)]),
        generation_time: pick([null, 50 + Math.floor(random() * 9000)]),
        response_cache_source_id: pick([null, null, 'gen-0']),
        ...(random() < 0.2 && {
          pipeline: [{ type: 'guardrail', name: 'x', guardrail_scope: 'member', summary: 'x' } as never],
        }),
      },
    });
  });
}

/** Questions of each metric, dimension, operator and granularity, those that days answer and those that they do not. */
const DAYS = { start: '2025-12-05T00:00:00Z', end: '2026-01-01T00:00:00Z' };
const HOURS = { start: '2025-12-20T05:30:00Z', end: '2025-12-22T07:15:00Z' };
const SUMMED = ['request_count', 'tokens_total', 'reasoning_tokens', 'total_usage', 'credits_usage', 'byok_usage'];
const FACTS = ['error_count', 'cancelled_count', 'cached_tokens', 'avg_latency', 'p50_latency', 'p99_throughput'];
const RATES = ['error_rate', 'cache_hit_rate', 'guardrail_invoked_rate', 'response_cached_rate', 'avg_throughput'];
const RECORDS = ['guardrail_invoked_count', 'response_cached_count', 'byok_request_count', 'p90_latency'];
const ALL = [...SUMMED, ...FACTS, ...RATES, ...RECORDS, 'tokens_prompt', 'tokens_completion', 'openrouter_usage'];
const DIMENSIONS = ['model', 'provider', 'api_key_id', 'user', 'workspace', 'app', 'origin', 'finish_reason'];

interface Question {
  readonly metrics: readonly string[];
  readonly dimensions?: readonly string[];
  readonly granularity?: string;
  readonly time_range: { readonly start: string; readonly end: string };
  readonly filters?: readonly {
    readonly field: string;
    readonly operator: string;
    readonly value: string | readonly string[];
    readonly include_unset?: boolean;
  }[];
}

const filter = (field: string, operator: string, value: string | readonly string[], more: object = {}) => ({
  filters: [{ field, operator, value, ...more }],
});

const QUESTIONS: readonly Question[] = [
  { metrics: ALL, time_range: DAYS },
  { metrics: SUMMED, time_range: DAYS },
  ...['day', 'week', 'month'].flatMap((granularity) =>
    [SUMMED, ALL].map((metrics) => ({ metrics, granularity, dimensions: ['model', 'provider'], time_range: DAYS })),
  ),
  ...['minute', 'hour', 'day'].map((granularity) => ({ metrics: ALL, granularity, time_range: HOURS })),
  ...[...DIMENSIONS, 'external_user', 'status', 'api_type'].map((dimension) => ({
    metrics: ['request_count', 'total_usage', 'p50_latency'],
    dimensions: [dimension],
    time_range: HOURS,
  })),
  ...[
    filter('model', 'eq', 'acme/chat'),
    filter('model', 'neq', 'acme/chat'),
    filter('provider', 'in', ['Acme']),
    filter('provider', 'in', ['Acme'], { include_unset: true }),
    filter('provider', 'not_in', ['Acme']),
    filter('provider', 'not_in', ['Acme'], { include_unset: true }),
    filter('provider', 'eq', ''),
    filter('api_key_id', 'in', ['key-1', 'key-3']),
    filter('api_key_id', 'neq', 'key-1'),
    filter('model', 'gte', 'acme/other'),
    filter('model', 'lt', 'acme/other'),
    { filters: [...filter('api_key_id', 'eq', 'key-1').filters, ...filter('workspace', 'eq', 'w-2').filters] },
    { filters: [...filter('api_key_id', 'eq', 'key-1').filters, ...filter('api_key_id', 'in', ['key-2']).filters] },
  ].map((filters) => ({ metrics: SUMMED, dimensions: ['model'], time_range: DAYS, ...filters })),
];

/** Asks a gateway on a store with these generations all questions, and compares each with a count of its own. */
export async function expectSameNumbers(store: Store, records: readonly GenerationRecord[]): Promise<void> {
  const ask = createAsk(store);
  let rows = 0;
  for (const question of QUESTIONS) {
    const { status, body } = await ask('POST', '/analytics/query', question);
    expect([JSON.stringify(question), status]).toEqual([JSON.stringify(question), 200]);
    const { data, metadata } = body.data as { data: object[]; metadata: { truncated: boolean } };
    expect(metadata.truncated).toBe(false);
    expect([question, toLines(data)]).toEqual([question, toLines(recount(records, question))]);
    rows += data.length;
  }
  expect(rows).toBeGreaterThan(200);
  const day = { start: '2025-12-31T00:00:00Z', end: '2026-01-01T00:00:00Z' };
  const question = {
    metrics: ['request_count', 'credits_usage', 'byok_usage'],
    dimensions: ['model'],
    time_range: day,
  };
  const { body: activity } = await ask('GET', '/activity?date=2025-12-31');
  const sums = new Map<string, number[]>();
  for (const { model, requests, usage, byok_usage_inference: byok } of activity.data as Record<string, never>[]) {
    const [a = 0, b = 0, c = 0] = sums.get(model ?? '') ?? [];
    sums.set(model ?? '', [a + (requests ?? 0), b + (usage ?? 0), c + (byok ?? 0)]);
  }
  const found = (await ask('POST', '/analytics/query', question)).body.data as { data: Record<string, number>[] };
  for (const { model, request_count: requests, credits_usage: usage, byok_usage: byok } of found.data) {
    const [a, b, c] = sums.get(String(model)) ?? [];
    expect([requests, usage?.toFixed(9), byok?.toFixed(9)]).toEqual([a, b?.toFixed(9), c?.toFixed(9)]);
  }
  expect(found.data.length).toBe(sums.size);
}

/** Asks as a management key does. */
export function createAsk(store: Store, platform = createVirtualPlatform()) {
  const bootstrapKeys = [{ key: KEY, kind: 'management', name: 'admin' }] as const;
  const gateway = createGateway({ store, platform, providers: [], models: [], bootstrapKeys });
  return async (method: string, path: string, body?: object) => {
    const [pathname = '', query = ''] = path.split('?');
    const response = await gateway.handle({
      method,
      path: `/api/v1${pathname}`,
      query,
      headers: { authorization: `Bearer ${KEY}` },
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...bodyOf(body && JSON.stringify(body)),
    });
    return { status: response.status, body: jsonOf(response) };
  };
}

const toLines = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();

const LABELS: Readonly<Record<string, string>> = { [DEFAULT_WORKSPACE]: 'Default' };

/** The same by hand: a list of generations for each row, read again for each metric. */
function recount(records: readonly GenerationRecord[], question: Question): object[] {
  const { dimensions = [], filters = [], granularity, time_range: range, metrics } = question;
  const groups = new Map<string, { row: Record<string, unknown>; of: GenerationRecord[] }>();
  for (const record of records) {
    const at = record.generation.created_at;
    if (Date.parse(at) < Date.parse(range.start) || Date.parse(at) >= Date.parse(range.end)) continue;
    if (!filters.every((one) => isChosen(valueOf(record, one.field), one))) continue;
    const row: Record<string, unknown> = {};
    if (granularity !== undefined) row[`date__${granularity}`] = beginOf(at, granularity);
    for (const dimension of dimensions) {
      const value = valueOf(record, dimension);
      row[dimension] = dimension === 'workspace' ? (LABELS[value ?? ''] ?? value) : value;
    }
    const id = JSON.stringify(row);
    const group = groups.get(id) ?? { row, of: [] };
    groups.set(id, group);
    group.of.push(record);
  }
  return [...groups.values()].map(({ row, of }) => ({
    ...row,
    ...Object.fromEntries(metrics.map((metric) => [metric, measure(metric, of)])),
  }));
}

function valueOf({ generation, principalId, userId }: GenerationRecord, dimension: string): string | null {
  const values: Record<string, string | null> = {
    model: generation.model,
    provider: generation.provider_name,
    api_key_id: principalId,
    user: userId ?? null,
    workspace: generation.workspace_id,
    app: generation.origin || (generation.user_agent?.split('/')[0] ?? null),
    origin: generation.origin || null,
    finish_reason: generation.finish_reason,
    external_user: generation.external_user,
    status: statusOf(generation),
    api_type: generation.api_type,
  };
  return values[dimension] ?? null;
}

const statusOf = ({ cancelled, finish_reason: reason }: GenerationRecord['generation']): string =>
  cancelled === true ? 'cancelled' : reason === 'error' ? 'failed' : 'ok';

/** Tokens a second, from the first to the last: all of these calls are streams. */
function speedOf({ tokens_completion: tokens, generation_time: ms, latency }: GenerationRecord['generation']) {
  if (tokens === null || tokens < 2) return null;
  const takenMs = (ms ?? 0) - (latency ?? 0);
  return takenMs < 50 ? null : (tokens / takenMs) * 1000;
}

function isChosen(value: string | null, one: NonNullable<Question['filters']>[number]): boolean {
  const wanted = [one.value].flat();
  const text = value ?? '';
  if (one.operator === 'eq') return text === wanted[0];
  if (one.operator === 'neq') return text !== wanted[0];
  if (one.operator === 'gte') return text >= (wanted[0] ?? '');
  if (one.operator === 'lt') return text < (wanted[0] ?? '');
  if (value === null) return one.include_unset === true;
  return wanted.includes(value) === (one.operator === 'in');
}

function beginOf(at: string, granularity: string): string {
  const date = new Date(at);
  if (granularity === 'month') return `${at.slice(0, 7)}-01T00:00:00.000Z`;
  if (granularity === 'hour') return `${at.slice(0, 13)}:00:00.000Z`;
  if (granularity === 'minute') return `${at.slice(0, 16)}:00.000Z`;
  const daysBack = granularity === 'week' ? (date.getUTCDay() === 0 ? 6 : date.getUTCDay() - 1) : 0;
  return `${new Date(date.getTime() - daysBack * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

function measure(metric: string, of: readonly GenerationRecord[]): number | null {
  const generations = of.map(({ generation }) => generation);
  const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, one) => all + (one ?? 0), 0);
  const count = (matches: (one: (typeof generations)[number]) => boolean): number => generations.filter(matches).length;
  const usd = (byok: boolean | null): number =>
    sum(of.flatMap((one) => (byok === null || one.generation.is_byok === byok ? one.costNanoUsd : []))) / 1e9;
  const latencies = generations.flatMap(({ latency }) => latency ?? []).toSorted((a, b) => a - b);
  const speeds = generations.flatMap((one) => speedOf(one) ?? []).toSorted((a, b) => a - b);
  const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values) / values.length);
  const at = (values: readonly number[], part: number) =>
    values[Math.max(0, Math.ceil(values.length * part) - 1)] ?? null;
  const told = generations.filter(({ native_tokens_cached: cached }) => cached !== null);
  const prompts = sum(told.map(({ tokens_prompt: prompt }) => prompt));
  const cached = sum(told.map((one) => one.native_tokens_cached));
  const guarded = count(({ pipeline }) => pipeline !== undefined);
  const reused = count(({ response_cache_source_id: source }) => source !== null);
  const failed = count((one) => statusOf(one) === 'failed');
  const figures: Record<string, number | null> = {
    request_count: of.length,
    error_count: failed,
    cancelled_count: count((one) => statusOf(one) === 'cancelled'),
    tokens_prompt: sum(generations.map((one) => one.tokens_prompt)),
    tokens_completion: sum(generations.map((one) => one.tokens_completion)),
    tokens_total: sum(generations.flatMap((one) => [one.tokens_prompt, one.tokens_completion])),
    reasoning_tokens: sum(generations.map((one) => one.native_tokens_reasoning)),
    cached_tokens: cached,
    total_usage: usd(null),
    credits_usage: usd(false),
    openrouter_usage: usd(false),
    byok_usage: usd(true),
    byok_request_count: count(({ is_byok: isByok }) => isByok),
    guardrail_invoked_count: guarded,
    response_cached_count: reused,
    avg_latency: mean(latencies),
    p50_latency: at(latencies, 0.5),
    p90_latency: at(latencies, 0.9),
    avg_throughput: mean(speeds),
    p99_throughput: at(speeds, 0.99),
    error_rate: failed / of.length,
    cache_hit_rate: prompts === 0 ? null : cached / prompts,
    guardrail_invoked_rate: guarded / of.length,
    response_cached_rate: reused / of.length,
  };
  return figures[metric] ?? null;
}
