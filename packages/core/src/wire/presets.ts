import { z } from 'zod';

import { pageQuerySchema } from './fields.ts';

const nullableString = z.string().nullable();

export const PRESET_STATUSES = ['active', 'disabled', 'archived'] as const;

export const presetSchema = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  /** Calls can use active ones alone. */
  status: z.enum(PRESET_STATUSES),
  description: nullableString,
  /** The member whose key made it; null where the key had none. */
  creator_user_id: nullableString,
  /** The version that calls use. */
  designated_version_id: nullableString,
  /** When the status last changed; null for never. */
  status_updated_at: nullableString,
  workspace_id: nullableString,
  created_at: z.string(),
  updated_at: z.string(),
});
export type Preset = Readonly<z.infer<typeof presetSchema>>;

/** A version never changes. */
export const presetVersionSchema = z.object({
  id: z.string(),
  preset_id: z.string(),
  /** 1 for the first. */
  version: z.int(),
  /** The member whose key made it, else the hash of that key. */
  creator_id: z.string(),
  /** Fields of a chat request, in its form. */
  config: z.record(z.string(), z.unknown()),
  system_prompt: nullableString,
  created_at: z.string(),
  updated_at: z.string(),
});
export type PresetVersion = Readonly<z.infer<typeof presetVersionSchema>>;

/** The workspace of a management key's request; other keys have one of their own. */
export const presetQuerySchema = z.object({ workspace_id: z.string().optional() });

export const presetListQuerySchema = pageQuerySchema.extend(presetQuerySchema.shape);

export const presetListSchema = z.object({ data: z.array(presetSchema), total_count: z.int() });
export const presetVersionListSchema = z.object({ data: z.array(presetVersionSchema), total_count: z.int() });
export const presetVersionResponseSchema = z.object({ data: presetVersionSchema });

export const presetWithVersionSchema = presetSchema.extend({ designated_version: presetVersionSchema.nullable() });
export type PresetWithVersion = Readonly<z.infer<typeof presetWithVersionSchema>>;
export const presetResponseSchema = z.object({ data: presetWithVersionSchema });

/** Body of `PATCH /admin/v1/presets/{slug}`. Closed; absent fields stay as they are. */
export const updatePresetRequestSchema = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100).optional(),
  description: z.string().max(1000).nullable().optional(),
  status: z.enum(PRESET_STATUSES).optional(),
  /** The number of the version that calls use from now on. */
  designated_version: z.int().min(1).optional(),
});
