import { createGateway, type Generation, type GenerationRecord, type Platform } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import type { GenerationHistogram } from '@model-gateway/core/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { DAY_MS, HOUR_MS } from '../../format/days.ts';
import { setLocale } from '../../messages/locale.ts';
import { createColorBook } from '../../parts/charts/assign-colors.ts';
import { toFiguresQuery } from './figures-query.ts';
import type { OverviewSearch, Split } from './overview-search.ts';
import {
  type Figures,
  toCacheShareSeries,
  toCostSeries,
  toDurationSeries,
  toErrorRateSeries,
  toFirstTokenSeries,
  toRequestSeries,
  toRetrySeries,
  toSavedSeries,
  toSpeedSeries,
} from './to-charts.ts';
import { toLines } from './to-lines.ts';

/** Between the days on which clocks are changed in America and in Europe, so that both are within the 30 days. */
const NOW = Date.parse('2026-04-02T17:41:23.456Z');
const MANAGEMENT_KEY = 'sk-recount-management';
const RECORDS = 2500;
const DAYS = 40;

/** Numbers that look random and are the same in every run. */
function createDraw(): (below: number) => number {
  let state = 4321;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const draw = createDraw();
const pick = <Value>(...values: readonly Value[]): Value => values[draw(values.length)] as Value;

interface Call {
  readonly atMs: number;
  readonly model: string;
  readonly provider: string | null;
  readonly key: string;
  readonly status: 'ok' | 'failed' | 'cancelled' | 'interrupted';
  readonly nanoUsd: number;
  readonly savedNanoUsd: number;
  readonly attempts: number;
  readonly promptTokens: number;
  readonly cachedTokens: number | null;
  readonly tokens: number;
  readonly latencyMs: number;
  readonly durationMs: number;
  readonly isStreamed: boolean;
}

const CALLS: readonly Call[] = Array.from({ length: RECORDS }, () => {
  const promptTokens = draw(3000);
  const cachedTokens = pick(null, 0, draw(promptTokens + 1));
  const latencyMs = 50 + draw(2000);
  return {
    // Half of them in the last day, so that short spans have some, too.
    atMs: NOW - draw(pick(DAYS, 1) * DAY_MS),
    model: `acme/model-${draw(pick(3, 11))}`,
    provider: pick('Acme', 'Beta', null),
    key: `key-${draw(4)}`,
    status: pick('ok', 'ok', 'ok', 'failed', 'cancelled', 'interrupted'),
    nanoUsd: draw(5_000_000),
    savedNanoUsd: cachedTokens === null ? 0 : draw(9000) * 1000 - 1_000_000,
    attempts: pick(1, 1, 1, 2, 3),
    promptTokens,
    cachedTokens,
    tokens: draw(400),
    latencyMs,
    durationMs: latencyMs + draw(pick(60, 9000)),
    isStreamed: draw(4) > 0,
  };
});

const NOTHING: Readonly<Record<string, null>> = Object.fromEntries(
  [
    'request_id upstream_id session_id router http_referer app_id user_agent external_user preset_id workspace_id',
    'native_finish_reason service_tier native_tokens_prompt native_tokens_completion native_tokens_reasoning',
    'native_tokens_completion_images num_media_prompt num_media_completion num_input_audio_prompt num_search_results',
    'num_fetches web_search_engine upstream_inference_cost moderation_latency response_cache_source_id',
  ]
    .join(' ')
    .split(' ')
    .map((name) => [name, null]),
);

const toRecord = (call: Call, index: number): GenerationRecord => ({
  principalId: call.key,
  costNanoUsd: call.nanoUsd,
  generation: {
    ...NOTHING,
    id: `gen-${index}`,
    created_at: new Date(call.atMs).toISOString(),
    model: call.model,
    provider_name: call.provider,
    api_type: 'completions',
    origin: '',
    data_region: 'global',
    is_byok: false,
    streamed: call.isStreamed,
    cancelled: call.status === 'cancelled',
    interrupted: call.status === 'interrupted',
    finish_reason: call.status === 'failed' ? 'error' : 'stop',
    tokens_prompt: call.promptTokens,
    tokens_completion: call.tokens,
    native_tokens_cached: call.cachedTokens,
    cache_discount: call.cachedTokens === null ? null : call.savedNanoUsd / 1e9,
    total_cost: call.nanoUsd / 1e9,
    usage: call.nanoUsd / 1e9,
    latency: call.latencyMs,
    generation_time: call.durationMs,
    provider_responses: Array.from({ length: call.attempts }, () => ({ status: 200 })),
    cost_known: true,
    usage_estimated: false,
  } as Generation,
});

const toHex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** A platform whose clock stands still. */
const platform: Platform = {
  sha256: async (text) => toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  hmacSha256: () => '00',
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  now: () => NOW,
  monotonicNow: () => 0,
  setTimer: () => () => undefined,
  nextTurn: () => Promise.resolve(),
};

const store = createMemoryStore({ maxGenerations: RECORDS });
const gateway = createGateway({
  models: [],
  providers: [],
  platform,
  store,
  bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }],
});

async function readHistogram(query: Readonly<Record<string, string | number>>): Promise<GenerationHistogram> {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const { status, body } = await gateway.handle({
    method: 'GET',
    path: '/admin/v1/generations/histogram',
    query: new URLSearchParams(texts).toString(),
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
    baseUrl: 'https://gateway.example',
    signal: new AbortController().signal,
    readBody: () => Promise.resolve(new Uint8Array()),
  } as never);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text) as GenerationHistogram;
}

const sum = (calls: readonly Call[], read: (call: Call) => number): number =>
  calls.reduce((total, call) => total + read(call), 0);

function percentile(values: readonly (number | null)[], part: number): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.max(0, Math.ceil(known.length * part) - 1)] ?? null;
}

const firstTokenOf = (call: Call): number | null => (call.isStreamed && call.tokens > 0 ? call.latencyMs : null);

function speedOf(call: Call): number | null {
  const ms = call.durationMs - (firstTokenOf(call) ?? 0);
  return call.tokens < 2 || ms < 50 ? null : (call.tokens / ms) * 1000;
}

/** The figures of calls, counted as plainly as can be. */
function recount(calls: readonly Call[]): Figures {
  const ends = (status: Call['status']): number => calls.filter((call) => call.status === status).length;
  const durations = calls.filter(({ status }) => status === 'ok').map(({ durationMs }) => durationMs);
  const told = calls.filter(({ cachedTokens }) => cachedTokens !== null);
  return {
    requests: calls.length,
    failed: ends('failed'),
    cancelled: ends('cancelled'),
    interrupted: ends('interrupted'),
    cost: sum(calls, ({ nanoUsd }) => nanoUsd) / 1e9,
    first_token_p50: percentile(calls.map(firstTokenOf), 0.5),
    first_token_p95: percentile(calls.map(firstTokenOf), 0.95),
    tokens_per_second_p50: percentile(calls.map(speedOf), 0.5),
    duration_p50: percentile(durations, 0.5),
    duration_p95: percentile(durations, 0.95),
    duration_p99: percentile(durations, 0.99),
    retries: sum(calls, ({ attempts }) => attempts - 1),
    prompt_tokens: sum(told, ({ promptTokens }) => promptTokens),
    cached_tokens: sum(told, ({ cachedTokens }) => cachedTokens ?? 0),
    cache_saved: sum(calls, ({ savedNanoUsd }) => savedNanoUsd) / 1e9,
  };
}

/** The day of a moment on a clock, by other means than the overview's. */
const dayIn = (timeZone: string, ms: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms);

const OWN = { from: '2026-03-07T20:13:00.000Z', to: '2026-03-09T05:02:00.000Z' };

/** Spans of the overview, with what is in them. */
const SPANS: readonly (readonly [OverviewSearch, (atMs: number, zone: string) => boolean])[] = [
  [{ range: 'today' }, (atMs, zone) => dayIn(zone, atMs) === dayIn(zone, NOW)],
  [{ range: '1h' }, (atMs) => atMs >= NOW - HOUR_MS],
  [{}, (atMs) => atMs >= NOW - DAY_MS],
  [{ range: '7d' }, (atMs) => atMs >= NOW - 7 * DAY_MS],
  [{ range: '30d' }, (atMs) => atMs >= NOW - 30 * DAY_MS],
  [OWN, (atMs) => atMs >= Date.parse(OWN.from) && atMs < Date.parse(OWN.to)],
];

const VALUE_OF: Readonly<Partial<Record<Split, (call: Call) => string | null>>> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  key: ({ key }) => key,
};

const rate = (part: number, whole: number): number | null => (whole === 0 ? null : (part / whole) * 100);

/** What each chart shows of figures, for a line of a split. */
const CHARTS = [
  [toCostSeries, ({ cost }: Figures) => cost],
  [toRequestSeries, ({ requests }: Figures) => requests],
  [toErrorRateSeries, ({ failed, requests }: Figures) => rate(failed, requests)],
  [toDurationSeries('p95'), (figures: Figures) => figures.duration_p95],
  [toDurationSeries('p99'), (figures: Figures) => figures.duration_p99],
  [toFirstTokenSeries('p50'), (figures: Figures) => figures.first_token_p50],
  [toSpeedSeries, (figures: Figures) => figures.tokens_per_second_p50],
  [toRetrySeries, ({ retries }: Figures) => retries],
  [toCacheShareSeries, (figures: Figures) => rate(figures.cached_tokens, figures.prompt_tokens)],
  [toSavedSeries, (figures: Figures) => figures.cache_saved],
] as const;

const environment = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process.env;
const zoneBefore = environment['TZ'];

beforeAll(async () => {
  for (const [index, call] of CALLS.entries()) await store.generations.append(toRecord(call, index), null);
});
afterAll(() => {
  environment['TZ'] = zoneBefore;
  setLocale('en', 'local', []);
});

describe.each(['America/Los_Angeles', 'Europe/Berlin', 'Asia/Kolkata'])('In %s', (timeZone) => {
  describe.each(['local', 'utc'] as const)('with times in the %s zone', (zone) => {
    beforeAll(() => {
      environment['TZ'] = timeZone;
      setLocale('en', zone, []);
    });
    const clock = zone === 'utc' ? 'UTC' : timeZone;

    test.each(SPANS)('the totals of %j are those of a recount', async (search, isIn) => {
      const { query } = toFiguresQuery({ ...search, split: 'none' }, {}, NOW);
      const { totals } = await readHistogram(query);
      const counted = CALLS.filter(({ atMs }) => isIn(atMs, clock));
      expect(counted.length).toBeGreaterThan(20);
      expect(totals).toEqual(recount(counted));
    });

    test.each(SPANS)('every chart and table of %j shows in each bucket what a recount does', async (search, isIn) => {
      for (const split of zone === 'utc' ? (['provider', 'key'] as const) : (['model'] as const)) {
        const { query, span } = toFiguresQuery({ ...search, split }, {}, NOW);
        const figures = { span, split, histogram: await readHistogram(query) };
        const counted = CALLS.filter(({ atMs }) => isIn(atMs, clock));
        const named = new Set(figures.histogram.split?.map(({ value }) => value));
        const lines = toLines(figures, createColorBook());
        for (const [place, line] of lines.entries()) {
          const value = figures.histogram.split?.[place]?.value;
          const own = counted.filter((call) => {
            const found = VALUE_OF[split]?.(call) ?? null;
            return value === undefined ? !named.has(found) : found === value;
          });
          expect(line.totals, line.label).toEqual(recount(own));
          const { bucket_ms: ms } = figures.histogram;
          const starts = figures.histogram.data.map(({ start }) => Date.parse(start));
          const placed = new Map<number, Call[]>(starts.map((start) => [start, []]));
          for (const call of own) placed.get(starts.findLast((start) => start <= call.atMs) ?? 0)?.push(call);
          expect(starts.every((start, at) => at === 0 || start - (starts[at - 1] ?? 0) === ms)).toBe(true);
          const buckets = starts.map((start) => recount(placed.get(start) ?? []));
          for (const [toSeries, read] of CHARTS) {
            const series = toSeries(figures, lines).find(({ key }) => key === line.key);
            const expected = buckets.map((bucket) => read(bucket));
            if (series === undefined) expect(expected.every((one) => one === null)).toBe(true);
            else expect(series.values, line.label).toEqual(expected);
          }
        }
      }
    });
  });
});
