import { z } from 'zod';

/** A limit on the calls and the tokens of a minute. */
export const rateLimitSchema = z.object({
  /** Name or hash of a key; `*` is every key, each counted separately. */
  key: z.string(),
  /** Id of a model; `*` is all models, counted together. */
  model: z.string(),
  /** Null is no limit. */
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
});
export type StoredRateLimit = z.infer<typeof rateLimitSchema>;

/** A limit on calls under way. A part that is null counts all together, `*` counts each separately. */
export const callLimitSchema = z.object({
  /** Name or hash of a key. */
  key: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  calls_under_way: z.int(),
  /** Null refuses what finds no place. */
  queue: z.object({ length: z.int(), seconds: z.number() }).nullable(),
});
export type StoredCallLimit = z.infer<typeof callLimitSchema>;

/** The response of `GET` and `PUT /admin/v1/rate-limits`: the limits that apply. */
export const rateLimitListSchema = z.object({
  data: z.array(rateLimitSchema.extend({ source: z.enum(['config', 'stored']) })),
  /** Whether limits can be stored: the host has to count them. */
  changeable: z.boolean(),
});
export type RateLimitList = z.infer<typeof rateLimitListSchema>;

/** The response of `GET` and `PUT /admin/v1/call-limits`: the limits that apply, and who holds their places. */
export const callLimitListSchema = z.object({
  data: z.array(
    callLimitSchema.extend({
      source: z.enum(['config', 'stored']),
      /** What has calls under way or waiting, the busiest first, 100 at most. */
      places: z.array(
        z.object({
          key: z.string().nullable(),
          key_name: z.string().nullable(),
          model: z.string().nullable(),
          provider: z.string().nullable(),
          under_way: z.int(),
          waiting: z.int(),
        }),
      ),
      /** The calls of all of them together. */
      under_way: z.int(),
      waiting: z.int(),
    }),
  ),
  /** The number of processes whose calls are counted: all that share one Redis; else the one that responds. */
  instances: z.int().min(1),
  /** Why other processes are not counted at the moment; null where none is missing. */
  missing: z.string().nullable(),
});
export type CallLimitList = z.infer<typeof callLimitListSchema>;

const limitedPart = z.string().min(1).max(200).nullable().default(null);

/** The body of `PUT /admin/v1/call-limits`: all limits that are stored from now on. Closed. */
export const callLimitsRequestSchema = z.strictObject({
  data: z
    .array(
      z.strictObject({
        key: limitedPart,
        model: limitedPart,
        provider: limitedPart,
        calls_under_way: z.int().min(1).max(1_000_000),
        queue: z
          .strictObject({ length: z.int().min(1).max(100_000), seconds: z.number().positive().max(3600) })
          .nullable()
          .default(null),
      }),
    )
    .max(1000),
});

const perMinute = z.int().min(1).max(1_000_000_000_000).nullable().default(null);

/** The body of `PUT /admin/v1/rate-limits`: all limits that are stored from now on. Closed. */
export const rateLimitsRequestSchema = z.strictObject({
  data: z
    .array(
      z.strictObject({
        key: z.string().min(1).max(200).default('*'),
        model: z.string().min(1).max(200).default('*'),
        requests_per_minute: perMinute,
        tokens_per_minute: perMinute,
      }),
    )
    .max(1000),
});

/** What the budgets of a spender have more for a time. */
export const budgetRaiseSchema = z.object({
  /** `key:HASH`, `member:ID` or `workspace:ID`: every limit and budget that counts for it. */
  of: z.string(),
  add_usd: z.number(),
  /** From here on the budgets are as before; ISO 8601. */
  until: z.string(),
  created_at: z.string(),
});
export type BudgetRaise = z.infer<typeof budgetRaiseSchema>;

/** The body of `PUT /admin/v1/budget-raises/{of}`. Closed. */
export const putBudgetRaiseRequestSchema = z.strictObject({
  add_usd: z.number().gt(0).max(1_000_000_000),
  until: z.iso.datetime({ offset: true }),
});

export const budgetRaiseResponseSchema = z.object({ data: budgetRaiseSchema });
export const budgetRaiseListSchema = z.object({ data: z.array(budgetRaiseSchema) });
