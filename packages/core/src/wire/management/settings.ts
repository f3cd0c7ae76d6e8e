import { z } from 'zod';

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
  /** USD that all calls together may cost; null means no limit. */
  credits_usd: z.number().min(0).nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;

const { default_model, providers, privacy, credits_usd } = settingsSchema.shape;

/**
 * The body of `PATCH /admin/v1/settings`, and its stored form: absent members remain unchanged, and configuration
 * decides where none was ever set. Closed at every level.
 */
export const settingsChangeSchema = z
  .strictObject({
    default_model,
    providers: z.strictObject(providers.shape).partial(),
    privacy: z.strictObject(privacy.shape).partial(),
    credits_usd,
  })
  .partial();
export type SettingsChange = z.infer<typeof settingsChangeSchema>;

export const settingsResponseSchema = z.object({ data: settingsSchema });
