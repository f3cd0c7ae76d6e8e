import { z } from 'zod';

import { momentSchema, wholeNumber } from './fields.ts';
import { GENERATION_SORTS, SORT_ORDERS } from './generation-fields.ts';
import { generationContentSchema, generationSchema } from './generation.ts';
import { GENERATION_STATUSES } from './statuses.ts';

/** The fields by which a histogram of generations can be split. */
const GENERATION_SPLITS = ['model', 'provider', 'key', 'member', 'app', 'session'] as const;

export type GenerationSplit = (typeof GENERATION_SPLITS)[number];

const digits = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);

const usd = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'must be USD as a decimal number, e.g. 0.05')
  .transform(Number);

const MAX_VALUES = 50;

const separated = z
  .string()
  .min(1, 'must not be empty')
  .max(10_000)
  .transform((text) => text.split(',').filter((value) => value !== ''));

/** One value or several, separated by commas. */
const values = separated.refine((list) => list.length <= MAX_VALUES, `must be at most ${MAX_VALUES} values`);

/** A generation in the form of lists: its record, and fields that are derived from it. */
export const generationRowSchema = generationSchema.extend({
  status: z.enum(GENERATION_STATUSES),
  /** Hash of the key that made the call, or the principal's id in a host's own authentication. */
  key_hash: z.string(),
  user_id: z.string().nullable(),
  /** Number of endpoints that were called: the length of `provider_responses`; 0 where it is null. */
  attempts: z.int(),
  /** The beginning of what the user said last; null where it is not stored, absent unless `fields` names it. */
  prompt_preview: z.string().nullable().optional(),
});
export type GenerationRow = z.infer<typeof generationRowSchema>;

/** A line of an export. The content is null where none is stored, and absent unless the query requests it. */
export const exportedGenerationSchema = generationRowSchema
  .extend({
    /** The name of the key; null where it has none any more. */
    key_name: z.string().nullable(),
    content: generationContentSchema.nullable().optional(),
  })
  .describe('One line.');
export type ExportedGeneration = z.infer<typeof exportedGenerationSchema>;

/** Members of a row; a query that names some receives no others. */
const fields = separated
  .pipe(
    z
      .array(
        z.enum(generationRowSchema.keyof().options, {
          error: ({ input }) => `${JSON.stringify(input)} is not a known field`,
        }),
      )
      .min(1, 'must not be empty'),
  )
  .transform((names) => [...new Set(names)])
  .optional();
export type RowFields = z.infer<typeof fields>;

/** The filters of lists, histograms and exports of generations. All of them have to match. */
const filterShape = {
  /** Began at this moment or later. */
  from: momentSchema.optional(),
  /** Began before this moment. */
  to: momentSchema.optional(),
  model: values.optional(),
  /** Slugs or names. */
  provider: values.optional(),
  /** Hashes of keys. */
  key: values.optional(),
  /** Ids of members. */
  member: values.optional(),
  /** As histograms name them. */
  app: values.optional(),
  session: z.string().min(1).max(256).optional(),
  status: values
    .pipe(z.array(z.enum(GENERATION_STATUSES, `must be one of ${GENERATION_STATUSES.join(', ')}`)))
    .optional(),
  /** USD, both included. */
  min_cost: usd.optional(),
  max_cost: usd.optional(),
  /** Conditions on any field, such as `attempts>1 -status:ok app:"My tool" latency>=2s`. */
  where: z.string().max(2000, 'must have at most 2000 characters').optional(),
};

/** The filters by themselves, as the members of an object, each written as in a query. Closed. */
export const generationFilterSchema = z.strictObject(filterShape);

/** Searched in ids, apps, users and, where it is stored, in the request and the completion; case does not matter. */
const text = z.string().trim().min(2, 'must have at least 2 characters').max(200).optional();

/** The query of `GET /admin/v1/generations`. */
export const generationListQuerySchema = z.strictObject({
  ...filterShape,
  /** Ids of generations: these alone, in one page, without any other filter. */
  id: values.optional(),
  text,
  limit: digits.pipe(z.int().min(1).max(200)).default(50),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(2000).optional(),
  fields,
  /** Default: by time. Not together with a text or ids. */
  sort: z.enum(GENERATION_SORTS, `must be one of ${GENERATION_SORTS.join(', ')}`).default('time'),
  order: z.enum(SORT_ORDERS, 'must be asc or desc').default('desc'),
});

export type GenerationListQuery = z.infer<typeof generationListQuerySchema>;

/** The query of `GET /admin/v1/generations/feed`. */
export const generationFeedQuerySchema = z.strictObject({ fields });

/** The query of `GET /admin/v1/generations/histogram`. */
export const generationHistogramQuerySchema = z.strictObject({
  ...filterShape,
  buckets: digits.pipe(z.int().min(1).max(400)).default(60),
  /**
   * Where the first bucket begins and the last one ends, by default `from` and `to`: buckets of full hours may reach
   * beyond a span, outside of which nothing is counted.
   */
  begin: momentSchema.optional(),
  end: momentSchema.optional(),
  /** Adds counts by status, model, provider and key. */
  facets: z.enum(['true', 'false']).default('false'),
  /** Adds the same figures for each of the first values. */
  split: z.enum(GENERATION_SPLITS, `must be one of ${GENERATION_SPLITS.join(', ')}`).optional(),
  /** By what values come first. */
  rank: z.enum(['requests', 'cost'], 'must be requests or cost').default('requests'),
  /** How many values come first; with `buckets`, at most 3,200 figures in all. */
  parts: digits.pipe(z.int().min(1).max(200)).default(8),
  /** Adds the totals of the span of the same length before; of a span that is not over, of as much as has passed. */
  compare: z.enum(['true', 'false']).default('false'),
});

/** The query of `GET /admin/v1/generations/export`. */
export const generationExportQuerySchema = z.strictObject({
  ...filterShape,
  text,
  format: z.enum(['ndjson', 'csv'], 'must be ndjson or csv').default('ndjson'),
  /** Adds the request and the completion; NDJSON alone. */
  content: z.enum(['true', 'false']).default('false'),
});

export type GenerationFilterQuery = Omit<
  z.infer<typeof generationHistogramQuerySchema>,
  'buckets' | 'begin' | 'end' | 'facets' | 'split' | 'rank' | 'parts' | 'compare'
>;

/**
 * Where the time was over before all of a span was looked at: the moment from which on all calls are in. Absent
 * otherwise.
 */
const searchedFromSchema = z.string().optional();

/** From then on no calls are missing; retention has dropped some before. Absent where that was before the span. */
const completeFromSchema = z.string().optional();

export const generationListSchema = z.object({
  /** Newest first, or as the query says. Whole rows, unless `fields` selects a part. */
  data: z.array(generationRowSchema.partial()),
  /** Null at the end. A page may be short, even empty, before that. */
  next_cursor: z.string().nullable(),
  /** Names of the keys in `data`, by their hashes; a deleted key has none. */
  key_names: z.record(z.string(), z.string()),
  /** About how many there are in all; absent where the list is narrowed. */
  total_estimate: z.int().optional(),
  /** The extent of a text search: the number of records, newest first, and the beginning of the oldest of them. */
  searched: z.object({ records: z.int(), back_to: z.string().nullable() }).optional(),
  /** In sorted lists alone. */
  searched_from: searchedFromSchema,
});
export type GenerationList = z.infer<typeof generationListSchema>;

/** The commonest first, at most 50. */
const countsSchema = z.array(z.object({ value: z.string(), requests: z.int() }));

const figuresSchema = z.object({
  requests: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  interrupted: z.int(),
  /** USD. */
  cost: z.number(),
  /** Milliseconds to the first token of streams, in the middle and of 95 in 100; null without such a stream. */
  first_token_p50: z.number().nullable(),
  first_token_p95: z.number().nullable(),
  /** In the middle; null where no call tells. */
  tokens_per_second_p50: z.number().nullable(),
  /** Milliseconds that whole calls took which ended well, of 50, 95 and 99 in 100; null without such a call. */
  duration_p50: z.number().nullable(),
  duration_p95: z.number().nullable(),
  duration_p99: z.number().nullable(),
  /** Attempts beyond the first of each call. */
  retries: z.int(),
  /** Prompt tokens of calls whose providers tell how many of them came from a cache, and those that did. */
  prompt_tokens: z.int(),
  cached_tokens: z.int(),
  /** USD: the sum of `cache_discount`. */
  cache_saved: z.number(),
});

/** Figures of some of the calls, in all and for each bucket of `data`. */
const partShape = { totals: figuresSchema, data: z.array(figuresSchema) };

export const generationHistogramSchema = z.object({
  data: z.array(figuresSchema.extend({ start: z.string() })),
  totals: figuresSchema,
  from: z.string(),
  to: z.string(),
  bucket_ms: z.int(),
  searched_from: searchedFromSchema,
  complete_from: completeFromSchema,
  /** The values that come first; `value` is null for calls without one, `name` where the value has none of its own. */
  split: z.array(z.object({ value: z.string().nullable(), name: z.string().nullable(), ...partShape })).optional(),
  /** All other values together, and how many these are; null without any. */
  other: z
    .object({ values: z.int(), ...partShape })
    .nullable()
    .optional(),
  /** The span before. */
  before: z
    .object({
      from: z.string(),
      to: z.string(),
      totals: figuresSchema,
      searched_from: searchedFromSchema,
      complete_from: completeFromSchema,
    })
    .optional(),
  /** A value is counted under all other filters but those of its own kind. */
  facets: z
    .object({
      total: z.int(),
      status: countsSchema,
      model: countsSchema,
      provider: countsSchema,
      key: countsSchema,
    })
    .optional(),
});
export type GenerationHistogram = z.infer<typeof generationHistogramSchema>;

/** The query of `GET /admin/v1/generations/sessions`: the filters of lists, of which one call of a session has to match. */
export const sessionListQuerySchema = z.strictObject({
  ...filterShape,
  limit: wholeNumber(1, 100).default(50),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(2000).optional(),
});

/** Calls with the same session id, added up. */
const sessionSchema = z.object({
  session_id: z.string(),
  first_generation_id: z.string(),
  /** The beginning of what the user said in the first call; null where it is not stored. */
  first_prompt: z.string().nullable(),
  started_at: z.string(),
  /** When its latest call began. */
  last_call_at: z.string(),
  ended_at: z.string(),
  requests: z.int(),
  /** Number of its calls that the filters match. */
  matching: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  interrupted: z.int(),
  /** USD. */
  cost: z.number(),
  /** Whether the cost of every call is known. */
  cost_known: z.boolean(),
  /** The values with the most calls first. */
  models: z.array(z.string()),
  key_hashes: z.array(z.string()),
});
export type SessionRow = z.infer<typeof sessionSchema>;

export const sessionListSchema = z.object({
  /** The one with the latest call first. */
  data: z.array(sessionSchema),
  next_cursor: z.string().nullable(),
  /** Names of the keys in `data`, by their hashes. */
  key_names: z.record(z.string(), z.string()),
  searched_from: searchedFromSchema,
});
export type SessionList = z.infer<typeof sessionListSchema>;

/** The activity of one endpoint on one day, as `GET /activity` lists it. Costs are USD. */
const activityItemSchema = z.object({
  /** The day in UTC, `YYYY-MM-DD`. */
  date: z.string(),
  model: z.string(),
  model_permaslug: z.string(),
  endpoint_id: z.string(),
  provider_name: z.string(),
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  reasoning_tokens: z.int(),
  usage: z.number(),
  byok_usage_inference: z.number(),
  /** Only when grouped by workspace. */
  workspace_id: z.string().optional(),
});
export type ActivityItem = z.infer<typeof activityItemSchema>;

/** The query of `GET /activity`. */
export const activityQuerySchema = z.object({
  date: z.iso.date('must be a date, e.g. 2026-03-01').optional(),
  api_key_hash: z.string().optional(),
  user_id: z.string().optional(),
  workspace_id: z.string().optional(),
  group_by: z.literal('workspace').optional(),
});

export const activityListSchema = z.object({
  data: z.array(activityItemSchema),
  /** From then on no calls are missing; retention has dropped some before. Absent where that was before the first day. */
  complete_from: z.string().optional(),
});
