import { z } from 'zod';

import { pageQuerySchema } from './fields.ts';

/** Keys that callers bring: a workspace's own accounts at providers. */

const hashList = z
  .array(z.string().regex(/^[a-f0-9]{64}$/, 'must be the hash of a key: 64 digits of lower-case hex'))
  .min(1, 'must name at least one key, or be null for all')
  .max(100)
  .nullable();
const modelList = z.array(z.string().min(1).max(200)).min(1).max(100).nullable();
const userList = z.array(z.string().min(1).max(100)).min(1).max(100).nullable();

/** A key as it is shown: without the key itself. */
export const byokKeySchema = z.object({
  id: z.string(),
  /** Slug of the provider that it is sent to. */
  provider: z.string(),
  /** The end of the key, for people to recognise it by. */
  label: z.string(),
  name: z.string().nullable(),
  disabled: z.boolean(),
  /** Tried after the gateway's own endpoints instead of before them. */
  is_fallback: z.boolean(),
  /** For the models of this key the gateway's own endpoints of the provider are not used. */
  is_required: z.boolean(),
  /** For no model the gateway's own endpoints of the provider are used. */
  is_byok_only: z.boolean(),
  /** Always null: the provider's data policy is that of its setup. */
  declared_zdr: z.null(),
  /** Keys of one provider in a workspace are tried in ascending order. */
  sort_order: z.int(),
  /** Null stands for all of them, as in the next two. */
  allowed_models: z.array(z.string()).nullable(),
  allowed_api_key_hashes: z.array(z.string()).nullable(),
  allowed_user_ids: z.array(z.string()).nullable(),
  workspace_id: z.string(),
  created_at: z.string(),
});
export type ByokKey = z.infer<typeof byokKeySchema>;

/** A key as a store has it. */
export const byokKeyRecordSchema = byokKeySchema.extend({
  /** The key itself, sealed for its id. */
  sealed: z.string(),
  /** The server, or package, that it was given for: it is sent to no other. */
  server: z.string(),
});
export type ByokKeyRecord = Readonly<z.infer<typeof byokKeyRecordSchema>>;

const key = z
  .string()
  .min(1)
  .max(20_000)
  .refine((text) => text.trim() !== '', 'must not be blank');

const changes = {
  name: z.string().max(255).nullish(),
  disabled: z.boolean().optional(),
  is_fallback: z.boolean().optional(),
  is_required: z.boolean().optional(),
  is_byok_only: z.boolean().optional(),
  declared_zdr: z
    .null('is not taken here: set the data policy of the provider instead, and leave this null')
    .optional(),
  allowed_models: modelList.optional(),
  allowed_api_key_hashes: hashList.optional(),
  allowed_user_ids: userList.optional(),
};

export const createByokKeyRequestSchema = z.strictObject({
  provider: z.string().min(1).max(100),
  key,
  workspace_id: z.string().min(1).max(100).optional(),
  ...changes,
});

/** What is absent stays; null takes a restriction away. */
export const updateByokKeyRequestSchema = z.strictObject({
  key: key.optional(),
  ...changes,
  /** The gateway's own field: the place among the keys of the provider in the workspace. */
  sort_order: z.int().min(0).max(1_000_000).optional(),
});
export type UpdateByokKeyRequest = z.output<typeof updateByokKeyRequestSchema>;

export const byokListQuerySchema = pageQuerySchema.extend({
  workspace_id: z.string().optional(),
  provider: z.string().optional(),
});

export const byokKeyResponseSchema = z.object({ data: byokKeySchema });
export const byokKeyListSchema = z.object({ data: z.array(byokKeySchema), total_count: z.int() });
