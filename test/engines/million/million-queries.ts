import type { GenerationCondition, GenerationFilter, GenerationRepository } from '@model-gateway/core';

import { FILLED_DAYS } from './fill-generations.ts';

/** A query, and how long it may take: `fast` ones have an index or sums, the others a second. */
export interface MeasuredQuery {
  readonly name: string;
  readonly isFast: boolean;
  /** What there is more of to read among more calls, so that it may take more than 1.5 times as long. */
  readonly grows?: string | undefined;
  /** Resolves with what is left out, if anything. */
  run(generations: GenerationRepository): Promise<{ readonly searchedFromMs?: number | undefined }>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const is = (field: GenerationCondition['field'], value: string): GenerationCondition => ({
  field,
  sign: ':',
  values: [value],
  isNegated: false,
});

const SORTS = [
  'cost',
  'duration',
  'latency',
  'tokens_in',
  'tokens_out',
  'speed',
  'attempts',
  'model',
  'provider',
  'status',
  'time',
] as const;

/** Ten calls fill few of the cells that percentiles are counted in, a thousand many: up to twice the time. */
const MORE_CELLS = 'more cells of measurements are filled';

/** The queries of lists, charts and counts over 30 days that end at a moment. */
export function toMeasuredQueries(endMs: number): readonly MeasuredQuery[] {
  const span = { createdFromMs: endMs - FILLED_DAYS * DAY_MS + 7 * MINUTE_MS, createdBeforeMs: endMs + 1 };
  const list = (name: string, filter: GenerationFilter, isFast = true): MeasuredQuery => ({
    name: `list ${name}`,
    isFast,
    run: async (generations) => {
      await generations.page({ limit: 50, filter: { ...span, ...filter } });
      return {};
    },
  });
  const histogram = (
    name: string,
    [bucketMs, buckets]: readonly [number, number],
    filter: GenerationFilter = {},
    by?: 'model' | 'provider' | 'key' | 'member' | 'app' | 'session',
    isFast = true,
  ): MeasuredQuery => {
    const grows = by !== undefined && isFast ? MORE_CELLS : undefined;
    const startMs = Math.ceil(endMs / HOUR_MS) * HOUR_MS - bucketMs * buckets;
    return {
      name: `histogram ${name}`,
      isFast,
      grows,
      run: async (generations) =>
        generations.histogram({
          filter,
          startMs,
          bucketMs,
          buckets,
          ...(by !== undefined && { split: { by, rank: 'requests', limit: 8 } }),
        }),
    };
  };
  const facets = (name: string, filter: GenerationFilter, isFast = true): MeasuredQuery => ({
    name: `facets ${name}`,
    isFast,
    run: (generations) => Promise.resolve(generations.facets({ ...span, ...filter })),
  });
  const month = [DAY_MS, 30] as const;
  const model = { models: new Set(['maker-7/model-17']) };
  const key = { principalIds: new Set(['key-77']) };
  const since = new Date(endMs - (FILLED_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);

  return [
    list('of 30 days', {}),
    list('model', model),
    list('rare model', { models: new Set(['maker-9/model-39']) }),
    list('5 models', { models: new Set([3, 13, 23, 33, 39].map((n) => `maker-${n % 10}/model-${n}`)) }),
    list('unknown model', { models: new Set(['nobody/none']) }),
    list('provider', { providerNames: new Set(['Provider 3']) }),
    list('key', key),
    list('member', { userIds: new Set(['member-7']) }),
    list('no member', { userIds: new Set(['']) }),
    list('app', { apps: new Set(['https://app-39.example']) }),
    list('session', { sessionId: 'session-500' }),
    list('status failed', { statuses: new Set(['failed']) }),
    list('least cost', { minCostNanoUsd: 8_000_000 }),
    {
      ...list('model and key and status', { ...model, ...key, statuses: new Set(['failed']) }),
      grows: 'all calls of the rarest of the values are looked at',
    },
    ...SORTS.flatMap((sort) =>
      (['asc', 'desc'] as const).map((order): MeasuredQuery => ({
        name: `sorted by ${sort} ${order}`,
        isFast: true,
        run: (generations) => Promise.resolve(generations.sorted({ limit: 50, sort, order, filter: span })),
      })),
    ),
    { name: 'sessions', isFast: true, run: (generations) => Promise.resolve(generations.sessions({ limit: 50 })) },
    histogram('30 days', month),
    histogram('30 days by model', month, {}, 'model'),
    histogram('30 days by provider', month, {}, 'provider'),
    histogram('30 days by key', month, {}, 'key'),
    histogram('30 days by member', month, {}, 'member'),
    histogram('30 days by app', month, {}, 'app'),
    histogram('30 days of a model', month, model),
    histogram('30 days of a key', month, key),
    histogram('30 days of a status', month, { statuses: new Set(['failed']) }),
    histogram('7 days by model', [3 * HOUR_MS, 56], {}, 'model'),
    histogram('7 days by key', [3 * HOUR_MS, 56], {}, 'key'),
    histogram('24 hours by model', [HOUR_MS / 2, 48], {}, 'model'),
    facets('of 30 days', span),
    facets('of a status', { statuses: new Set(['failed']) }),
    facets('of a model', model),
    facets('of a key and a status', { ...key, statuses: new Set(['ok']) }),
    {
      name: 'activity of 30 days',
      isFast: true,
      grows: 'more combinations of day, model, endpoint and workspace occur',
      run: async (generations) => {
        await generations.activity({ since });
        return {};
      },
    },
    {
      name: 'activity of 5 keys',
      isFast: true,
      run: async (generations) => {
        await generations.activity({ since, principalIds: new Set([1, 20, 50, 99, 150].map((n) => `key-${n}`)) });
        return {};
      },
    },
    histogram('1 hour by model', [MINUTE_MS, 60], {}, 'model', false),
    histogram('30 days of a model by key', month, model, 'key', false),
    histogram('30 days by session', month, {}, 'session', false),
    histogram('30 days of a preset', month, { conditions: [is('preset', 'preset-3')] }, undefined, false),
    facets('of a cost', { minCostNanoUsd: 1_000_000 }, false),
    facets('of a preset', { conditions: [is('preset', 'preset-3')] }, false),
    list('agent', { conditions: [is('agent', '*/7.0 (*')] }, false),
    list('unknown agent', { conditions: [is('agent', '*nobody*')] }, false),
    list('1,000 %', { conditions: [is('agent', '%'.repeat(1000))] }, false),
    list('preset', { conditions: [is('preset', 'preset-3')] }, false),
    {
      name: 'sorted by cost of a member and a model',
      isFast: false,
      run: (generations) =>
        Promise.resolve(
          generations.sorted({
            limit: 50,
            sort: 'cost',
            order: 'desc',
            filter: { ...span, ...model, userIds: new Set(['member-7']) },
          }),
        ),
    },
    {
      name: 'sessions of a model',
      isFast: false,
      run: (generations) => Promise.resolve(generations.sessions({ limit: 50, filter: model })),
    },
  ];
}
