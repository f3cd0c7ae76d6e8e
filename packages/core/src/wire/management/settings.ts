import { z } from 'zod';

import { maxPriceSchema, sortKeySchema } from '../chat/provider-preferences.ts';
import { routingRulesSchema } from './routing-rule.ts';

const slugs = z.array(z.string().min(1).max(200)).max(1000);

/** The settings of the whole account. */
export const settingsSchema = z.object({
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
  /** What holds for calls that do not say otherwise. */
  routing: z.object({
    /** These providers first, in this order; empty balances the load. */
    order: slugs,
    /** Null balances the load. */
    sort: sortKeySchema.nullable(),
    /** Whether another endpoint is asked when the first has failed. */
    allow_fallbacks: z.boolean(),
    /** Whether a stream that breaks off goes on at another endpoint of its model that can continue it. */
    continue_broken_streams: z.boolean(),
    /** Endpoints that charge more are not asked; prices that are not given are not bounded. */
    max_price: maxPriceSchema,
    /** Rules that choose the model of a chat call by what the call is; the first whose conditions all hold. */
    rules: routingRulesSchema,
  }),
  /** USD that all calls together may cost; null means no limit. */
  credits_usd: z.number().min(0).nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

const { default_model, providers, privacy, routing, credits_usd } = settingsSchema.shape;

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
    credits_usd,
  })
  .partial();
export type SettingsChange = z.infer<typeof settingsChangeSchema>;

/** The settings with the paths of those that the configuration says, which are changed there alone. */
export const shownSettingsSchema = settingsSchema.extend({ configured: z.array(z.string()) });
export type ShownSettings = z.infer<typeof shownSettingsSchema>;

export const settingsResponseSchema = z.object({ data: shownSettingsSchema });
