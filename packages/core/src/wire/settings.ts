import { z } from 'zod';

import { alarmSchema } from './alarms.ts';
import { catalogComparisonSchema } from './catalog-comparison.ts';
import { budgetRaiseSchema, callLimitSchema, rateLimitSchema } from './limits.ts';
import { storedMailSchema } from './mail.ts';
import { storedRetentionSchema } from './retention.ts';
import { routingRulesSchema } from './routing-rules.ts';
import { maxPriceSchema, sortKeySchema } from './routing.ts';
import { sessionLimitsSchema, stoppedSessionSchema } from './session-limits.ts';
import { viewSchema } from './views.ts';

const slugs = z.array(z.string().min(1).max(200)).max(1000);

/** The settings of the whole account. */
const settingsSchema = z.object({
  /** Used when a request names no model. */
  default_model: z.string().min(1).max(200).nullable(),
  providers: z.object({
    /** Calls go to these alone; empty means to all. */
    only: slugs,
    ignore: slugs,
  }),
  privacy: z.object({
    /** Only endpoints that retain no data. */
    zdr: z.boolean(),
    /** Whether endpoints may be used that train on what they are sent. */
    allow_training: z.boolean(),
  }),
  /** Defaults for calls. */
  routing: z.object({
    /** These providers first, in this order; empty balances the load. */
    order: slugs,
    /** Null balances the load. */
    sort: sortKeySchema.nullable(),
    /** Whether another endpoint is asked when the first has failed. */
    allow_fallbacks: z.boolean(),
    /** Whether a stream that breaks off goes on at another endpoint of its model that can continue it. */
    continue_broken_streams: z.boolean(),
    /** Whether prompts are marked for the caches of providers where callers set no marks. */
    automatic_cache_marks: z.boolean(),
    /** Whether such a stream may go on at an endpoint of another model that the call names. */
    continue_with_other_models: z.boolean(),
    /** Whether streams are collected to their end before any of them is sent, so that a break begins anew. */
    hold_streams: z.boolean(),
    /** Whether another model is asked after a refusal by the moderation of a provider. */
    fallback_on_refusal: z.boolean(),
    /** The longest `Retry-After`, in milliseconds, that is waited out at an endpoint, once; 0 waits for none. */
    wait_for_retry_after_ms: z.int().min(0).max(60_000),
    /** How often an endpoint is asked again after 500, 502, 504 or a broken connection. */
    retries_at_endpoint: z.int().min(0).max(2),
    /** Endpoints that charge more are not asked; prices that are not given are not bounded. */
    max_price: maxPriceSchema,
    /** Rules that choose the model of a chat call by what the call is; the first whose conditions all hold. */
    rules: routingRulesSchema,
  }),
  /** How far a session of an agent may go. */
  sessions: sessionLimitsSchema,
  /** USD that all calls together may cost; null means no limit. */
  credits_usd: z.number().min(0).nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

const { default_model, providers, privacy, routing, sessions, credits_usd } = settingsSchema.shape;

/**
 * The body of `PATCH /admin/v1/settings`, and its stored form: absent members remain unchanged. What the configuration
 * says counts. Closed at every level.
 */
export const settingsChangeSchema = z
  .strictObject({
    default_model,
    providers: z.strictObject(providers.shape).partial(),
    privacy: z.strictObject(privacy.shape).partial(),
    routing: z.strictObject({ ...routing.shape, max_price: maxPriceSchema.strict() }).partial(),
    sessions: z.strictObject(sessions.shape).partial(),
    credits_usd,
  })
  .partial();
export type SettingsChange = z.infer<typeof settingsChangeSchema>;

/** Settings as a store has them: those of the account, the limits, how long is kept, and the saved views of those who administer it. */
export const storedSettingsSchema = z.object({
  ...settingsChangeSchema.shape,
  rate_limits: z.array(rateLimitSchema).optional(),
  call_limits: z.array(callLimitSchema).optional(),
  retention: storedRetentionSchema.optional(),
  views: z.array(viewSchema).optional(),
  /** Sessions that have reached a limit, the latest first. */
  stopped_sessions: z.array(stoppedSessionSchema).optional(),
  /** Rules on spend and failures, with the last time that each fired. */
  alarms: z.array(alarmSchema).optional(),
  /** What budgets have more for a time; those that are over are dropped with the next change. */
  budget_raises: z.array(budgetRaiseSchema).optional(),
  /** The server that sends mail, unless the configuration has one. */
  mail: storedMailSchema.optional(),
  /** What the last comparison on the schedule has found. */
  catalog: catalogComparisonSchema.optional(),
});
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

/** The settings with the paths of those that the configuration says, which are changed there alone. */
const shownSettingsSchema = settingsSchema.extend({ configured: z.array(z.string()) });
export type ShownSettings = z.infer<typeof shownSettingsSchema>;

export const settingsResponseSchema = z.object({ data: shownSettingsSchema });
