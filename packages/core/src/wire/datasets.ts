import { z } from 'zod';

import { wholeNumber } from './fields.ts';

const day = z.iso.date('must be a day, e.g. 2026-03-01');

const window = {
  /** The first day, in UTC. Default: 30 days with the last. */
  start_date: day.optional(),
  /** The last day. Default: yesterday, which is the last whole one. */
  end_date: day.optional(),
};

/** Makes the schema of a filter by what this gateway does not know of calls. It is refused, as it would be misleading. */
const unknownFilter = (reason: string) => z.undefined({ error: `cannot be used: ${reason}` }).optional();

const UNCLASSIFIED = 'this gateway does not classify what calls are about';
const UNSORTED = 'this gateway does not sort apps into categories';

export const RANKING_MODALITIES = ['text', 'image', 'image_output', 'audio', 'tool_calling'] as const;
export type RankingModality = (typeof RANKING_MODALITIES)[number];

/** Sizes of prompts by the most tokens that each has, the smallest first. */
export const CONTEXT_BUCKETS = { '1K': 1e3, '10K': 1e4, '100K': 1e5, '1M': 1e6, '10M': 1e7 } as const;
export type ContextBucket = keyof typeof CONTEXT_BUCKETS;
const BUCKET_NAMES = Object.keys(CONTEXT_BUCKETS) as [ContextBucket, ...ContextBucket[]];

const PERIODS = ['day', 'week', 'month'] as const;
export type RankingPeriod = (typeof PERIODS)[number];

/** The query of `GET /datasets/rankings-daily`. */
export const rankingsQuerySchema = z.object({
  ...window,
  period: z.enum(PERIODS).default('day'),
  modality: z.enum(RANKING_MODALITIES).optional(),
  context_bucket: z.enum(BUCKET_NAMES).optional(),
  category: unknownFilter(UNCLASSIFIED),
  language_type: unknownFilter(UNCLASSIFIED),
});

const windowMetaSchema = z.object({
  as_of: z.string(),
  version: z.literal('v1'),
  start_date: z.string(),
  end_date: z.string(),
});

export const rankingsSchema = z.object({
  data: z.array(
    z.object({
      /** The day, or the first day of the week or the month. */
      date: z.string(),
      /** `other`: all models beyond the first 50 together. */
      model_permaslug: z.string(),
      /** The tokens of prompts and completions, as decimal text. */
      total_tokens: z.string(),
    }),
  ),
  meta: windowMetaSchema,
});
export type ModelRanking = z.infer<typeof rankingsSchema>['data'][number];

/** The query of `GET /datasets/app-rankings`. */
export const appRankingsQuerySchema = z.object({
  ...window,
  sort: z.enum(['popular', 'trending']).default('popular'),
  limit: wholeNumber(1, 100).default(50),
  offset: wholeNumber(0, 100).default(0),
  category: unknownFilter(UNSORTED),
  subcategory: unknownFilter(UNSORTED),
});

export const appRankingsSchema = z.object({
  data: z.array(
    z.object({
      rank: z.int(),
      /** Made from the name, so that it stays the same. */
      app_id: z.int(),
      app_name: z.string(),
      total_tokens: z.string(),
      total_requests: z.int(),
    }),
  ),
  meta: windowMetaSchema,
});
export type AppRanking = z.infer<typeof appRankingsSchema>['data'][number];

/** Numbers of calls in a session, by the fewest that each range has. */
export const TURN_RANGES = { '1-turn': 1, '2-9-turns': 2, '10-49-turns': 10, '50-plus-turns': 50 } as const;
export type TurnRange = keyof typeof TURN_RANGES;
const RANGE_NAMES = Object.keys(TURN_RANGES) as [TurnRange, ...TurnRange[]];

/** The query of `GET /datasets/session-cost`. */
export const sessionCostQuerySchema = z.object({
  app_slug: z.string().optional(),
  model: z.string().optional(),
  turn_range: z.enum(RANGE_NAMES).optional(),
  limit: wholeNumber(1, 500).default(100),
  offset: wholeNumber(0, 5000).default(0),
});

export const sessionCostSchema = z.object({
  data: z.array(
    z.object({
      app_slug: z.string(),
      app_name: z.string(),
      turn_range: z.enum(RANGE_NAMES),
      model_permaslug: z.string(),
      median_session_cost_usd: z.number(),
    }),
  ),
  meta: z.object({
    as_of: z.string(),
    version: z.literal('v1'),
    window_days: z.int(),
    window_end_date: z.string(),
  }),
});
export type SessionCost = z.infer<typeof sessionCostSchema>['data'][number];
