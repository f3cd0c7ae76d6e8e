import { z } from 'zod';

import { pageQuerySchema } from './fields.ts';
import { organizationRoleSchema } from './members.ts';

const usd = z.number();

/** The spending of a key, USD: credits, and separately calls that were paid to the provider directly. */
const usageSchema = z.object({
  usage: usd,
  usage_daily: usd,
  usage_weekly: usd,
  usage_monthly: usd,
  byok_usage: usd,
  byok_usage_daily: usd,
  byok_usage_weekly: usd,
  byok_usage_monthly: usd,
});
export type KeyUsage = z.infer<typeof usageSchema>;

const limitSchema = z.object({
  /** USD; null means no limit. */
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
  include_byok_in_limit: z.boolean(),
});

/** A key as management sees it (wire.md 3.1). The key itself is never shown again. */
const keySchema = z.object({
  hash: z.string(),
  name: z.string(),
  label: z.string(),
  disabled: z.boolean(),
  ...limitSchema.shape,
  ...usageSchema.shape,
  created_at: z.string(),
  updated_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  creator_user_id: z.string().nullable(),
  workspace_id: z.string(),
  external_user: z.string().nullable(),
  /** Ours: whether it administers instead of calling models. */
  management: z.boolean(),
});
export type KeyBody = z.infer<typeof keySchema>;

/** The key of the caller, as `GET /key` returns it. */
const currentKeySchema = z.object({
  label: z.string(),
  ...limitSchema.shape,
  ...usageSchema.shape,
  expires_at: z.string().nullable(),
  creator_user_id: z.string().nullable(),
  workspace_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  allowed_data_regions: z.array(z.string()),
  free_model_daily_requests: z.object({ limit: z.int(), remaining: z.int(), used: z.int() }),
  is_free_tier: z.boolean(),
  is_management_key: z.boolean(),
  is_provisioning_key: z.boolean(),
  rate_limit: z.object({ interval: z.string(), note: z.string(), requests: z.int() }),
});

/**
 * Any key with which the gateway can be called, in the gateway's own list: one that was made here, or one of the
 * configuration, of which the middle of the key is not shown.
 */
const anyKeySchema = keySchema.extend({
  source: z.enum(['stored', 'config']),
  /** What its limit has more for a time; null for none. */
  limit_raise: z.object({ add_usd: z.number(), until: z.string() }).nullable(),
  /** Null for a key of the configuration. */
  created_at: z.string().nullable(),
});
export type AnyKey = z.infer<typeof anyKeySchema>;

/** The same with what holds for it. */
const keyDetailSchema = anyKeySchema.extend({
  /** What narrows its calls: its own guardrail, that of its member, and the default of its workspace. */
  guardrails: z.array(
    z.object({ scope: z.enum(['api-key', 'member', 'workspace']), id: z.string(), name: z.string() }),
  ),
  /** Ids of the models that it may call, in the order of the catalog; none for a management key. */
  allowed_models: z.array(z.string()),
});
export type KeyDetail = z.infer<typeof keyDetailSchema>;

const name = z.string().min(1).max(200);
const limit = z.number().min(0).nullable();
const limitReset = z.enum(['daily', 'weekly', 'monthly']).nullable();
const expiresAt = z.iso.datetime({ error: 'must be an ISO 8601 time in UTC' }).nullable();

/** The body of `POST /keys`. Closed: an ignored field might have been a limit. */
export const createKeyRequestSchema = z.strictObject({
  name,
  limit: limit.optional(),
  limit_reset: limitReset.optional(),
  include_byok_in_limit: z.boolean().optional(),
  expires_at: expiresAt.optional(),
  creator_user_id: z.string().min(1).max(200).nullish(),
  workspace_id: z.string().optional(),
  /** Whom the key is for: the `external_user` of calls that name none. */
  external: z
    .strictObject({
      user: z.string().min(1).max(256),
      api_key: z.never({ error: 'is not supported: the gateway makes the keys itself' }).optional(),
    })
    .optional(),
  /** The gateway's own field: makes a management key. */
  management: z.boolean().optional(),
});

/** The body of `PATCH /keys/{hash}`: what is left out stays. Closed. */
export const updateKeyRequestSchema = z
  .strictObject({
    name,
    disabled: z.boolean(),
    limit,
    limit_reset: limitReset,
    include_byok_in_limit: z.boolean(),
    /** The gateway's own field: the public wire has a key's end fixed. */
    expires_at: expiresAt,
  })
  .partial();

/** The query of `GET /keys`. `limit` is the gateway's own: the public wire has pages of 100. */
export const keyListQuerySchema = pageQuerySchema.extend({
  limit: pageQuerySchema.shape.limit.removeDefault().default(100),
  include_disabled: z.enum(['true', 'false']).default('false'),
  workspace_id: z.string().optional(),
});

export const anyKeyListSchema = z.object({ data: z.array(anyKeySchema), total_count: z.int() });
export const keyDetailResponseSchema = z.object({ data: keyDetailSchema });
export const keyResponseSchema = z.object({ data: keySchema });
export const createdKeySchema = z.object({ data: keySchema, key: z.string() });
export const keyListSchema = z.object({ data: z.array(keySchema), total_count: z.int() });
export const currentKeyResponseSchema = z.object({ data: currentKeySchema });

/** The body of `POST /admin/v1/session`: one of the two. Closed. */
export const createSessionRequestSchema = z
  .strictObject({
    /** The token of a one-time link. */
    token: z.string().min(1).max(200).optional(),
    /** A management key. */
    key: z.string().min(1).max(512).optional(),
  })
  .refine(({ token, key }) => (token === undefined) !== (key === undefined), 'must have either token or key');

export const sessionResponseSchema = z.object({
  data: z.union([
    z.object({
      signed_in: z.literal(false),
      /** The gateway takes the keys of the demo. */
      demo: z.literal(true).optional(),
      /** After a sign-out: where the browser signs out of the provider of identity, too. */
      logout_url: z.string().optional(),
    }),
    z.object({
      signed_in: z.literal(true),
      name: z.string(),
      csrf_token: z.string(),
      expires_at: z.string().nullable(),
      /** The member who has signed in; absent for the operator, who may do everything. */
      user_id: z.string().nullable().optional(),
      role: organizationRoleSchema.optional(),
      /** Names of the operations that the member may perform, at least with what is theirs. */
      operations: z.array(z.string()).optional(),
    }),
  ]),
});
export type SessionResponse = z.infer<typeof sessionResponseSchema>;
export type SessionData = z.infer<typeof sessionResponseSchema>['data'];

/** The query of `GET /admin/v1/refusals`. */
export const refusalQuerySchema = z.strictObject({
  /** Hash of a key: its refusals, and those of requests without a valid key. */
  key: z.string().min(1).max(200).optional(),
  /** The model that was asked for, as it was written. */
  model: z.string().min(1).max(200).optional(),
  /** Came at this moment or later. */
  since: z.iso
    .datetime({ offset: true, error: 'must be a time, e.g. 2026-03-01T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional(),
});

const refusalSchema = z.object({
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error_type: z.string(),
  message: z.string(),
  /** Null where the request had no valid key. */
  key_hash: z.string().nullable(),
  user_agent: z.string().nullable(),
  /** The model that was asked for; null where the request was refused before that was known. */
  model: z.string().nullable(),
});
export type RefusalBody = z.infer<typeof refusalSchema>;

/** Newest first, at most 1,000. */
export const refusalListSchema = z.object({ data: z.array(refusalSchema) });
