import { z } from 'zod';

import { alarmSchema } from './alarms.ts';
import { budgetRaiseSchema } from './budget-raises.ts';
import { catalogComparisonSchema } from './catalog-comparison.ts';
import { storedMailSchema } from './mail.ts';
import { modelEndpointSchema } from './models.ts';
import { storedRetentionSchema } from './retention.ts';
import { routingRulesSchema } from './routing-rules.ts';
import { maxPriceSchema, sortKeySchema } from './routing.ts';
import { sessionLimitsSchema, stoppedSessionSchema } from './session-limits.ts';
import { viewSchema } from './views.ts';

/** The response of `GET /credits`. USD. */
export const creditsSchema = z.object({
  data: z.object({
    total_credits: z.number(),
    total_usage: z.number(),
    /** The gateway's own field: true when the account has no limit, so that `total_credits` is meaningless. */
    unlimited: z.boolean(),
  }),
});

const nullableString = z.string().nullable();

/** The response of `GET /providers`. */
export const providerListSchema = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      slug: z.string(),
      privacy_policy_url: nullableString,
      terms_of_service_url: nullableString,
      status_page_url: nullableString,
      headquarters: nullableString,
      datacenters: z.array(z.string()).nullable(),
    }),
  ),
});

export type ProviderList = z.infer<typeof providerListSchema>;

/** The response of `GET /endpoints/zdr`. */
export const zdrEndpointListSchema = z.object({ data: z.array(modelEndpointSchema) });

/** The response of `POST /generation/feedback`. */
export const feedbackResponseSchema = z.object({ data: z.object({ success: z.literal(true) }) });

const name = z.string().min(1).max(100);
const slug = z
  .string()
  .max(50)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, in parts joined by single hyphens');
const model = z.string().min(1).max(1000).nullable();

/** The writable fields of a workspace. */
const changeableSchema = z.object({
  name,
  slug,
  description: z.string().max(500).nullable(),
  default_text_model: model,
  default_image_model: model,
  default_provider_sort: z.enum(['price', 'throughput', 'latency', 'exacto']).nullable(),
  /** Ours: told of the end of every video job whose request names no address. */
  default_callback_url: z.string().max(2048).nullable(),
  /** Server tools that calls of the workspace cannot use, as `openrouter:web_search`; an empty list becomes null. */
  disabled_server_tools: z
    .array(z.string().max(100))
    .max(100)
    .nullable()
    .transform((names) => (names?.length === 0 ? null : names)),
  /** Ours: whether prompts of its calls are marked for the caches of providers; null as in the account. */
  automatic_cache_marks: z.boolean().nullable(),
  is_observability_broadcast_enabled: z.boolean(),
  is_observability_io_logging_enabled: z.boolean(),
  /** The share of calls whose content is stored. */
  io_logging_sampling_rate: z.number().min(0.0001).max(1),
  io_logging_api_key_ids: z.array(z.int()).min(1).nullable(),
  is_data_discount_logging_enabled: z.boolean(),
});

/** A part of the account with keys and guardrails of its own (wire.md 19). */
export const workspaceSchema = z.object({
  id: z.string(),
  ...changeableSchema.shape,
  // Without the limits: earlier versions took longer ones, and stored workspaces are read by this schema.
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  default_text_model: z.string().nullable(),
  default_image_model: z.string().nullable(),
  disabled_server_tools: z.array(z.string()).nullable(),
  /** Derived from the workspace's id. The guardrail itself exists once it has been changed. */
  default_guardrail_id: z.string(),
  include_byok_in_budgets: z.boolean(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  updated_at: z.string().nullable(),
});
export type Workspace = z.infer<typeof workspaceSchema>;

/** The body of `PATCH /workspaces/{id}`: what is left out stays, null clears. Closed. */
export const updateWorkspaceRequestSchema = z.strictObject(changeableSchema.partial().shape);

/** The body of `POST /workspaces`. Closed. */
export const createWorkspaceRequestSchema = updateWorkspaceRequestSchema.extend({ name, slug });

/** Ordered from the narrowest to the broadest; a lifetime budget never resets. */
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type BudgetInterval = (typeof BUDGET_INTERVALS)[number];

/** The spending limit of a workspace's calls in one interval. `reset_interval` is null for a lifetime. */
export const workspaceBudgetSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  limit_usd: z.number(),
  reset_interval: z.enum(['daily', 'weekly', 'monthly']).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type WorkspaceBudget = z.infer<typeof workspaceBudgetSchema>;

/** The body of `PUT /workspaces/{id}/budgets/{interval}`. The flag holds for all intervals of the workspace. Closed. */
export const putBudgetRequestSchema = z.strictObject({
  limit_usd: z.number().gt(0),
  include_byok_in_budgets: z.boolean().optional(),
});

/** A member of a workspace. Its id is the membership's, the same for as long as the member is in the workspace. */
const workspaceMemberSchema = z.object({
  id: z.string(),
  workspace_id: z.string(),
  user_id: z.string(),
  role: z.enum(['admin', 'member']),
  created_at: z.string(),
});
export type WorkspaceMember = z.infer<typeof workspaceMemberSchema>;

const membershipRoleSchema = z.enum(['admin', 'member', 'viewer']);

/** A member as the workspace's row has it. */
export const membershipSchema = workspaceMemberSchema.pick({ user_id: true, created_at: true }).extend({
  role: membershipRoleSchema,
  /** The role that mappings of groups give. Absent where none gives any; `role` is the higher one of both. */
  mapped_role: membershipRoleSchema.optional(),
  /** Beside `mapped_role`: the role that was given by hand; null for none. */
  own_role: membershipRoleSchema.nullable().optional(),
});
export const workspaceRoleSchema = z.enum(['administrator', 'member', 'viewer']);

/** The body of `PUT /admin/v1/workspaces/{id}/roles/{user_id}`. Closed. */
export const workspaceRoleRequestSchema = z.strictObject({ role: workspaceRoleSchema });

/** The members of a workspace with this gateway's own roles, of which the public API knows two. */
export const workspaceRoleListSchema = z.object({
  data: z.array(z.object({ user_id: z.string(), role: workspaceRoleSchema })),
});
export const workspaceRoleResponseSchema = z.object({ data: workspaceRoleListSchema.shape.data.element });

/** The body of `POST /workspaces/{id}/members/add` and `/remove`. Closed. */
export const workspaceUserIdsSchema = z.strictObject({ user_ids: z.array(z.string().min(1).max(200)).min(1).max(100) });

export const workspaceMemberListSchema = z.object({ data: z.array(workspaceMemberSchema), total_count: z.int() });
export const addedMembersSchema = z.object({ added_count: z.int(), data: z.array(workspaceMemberSchema) });
export const removedMembersSchema = z.object({ removed_count: z.int() });

export const workspaceResponseSchema = z.object({ data: workspaceSchema });
export const workspaceListSchema = z.object({ data: z.array(workspaceSchema), total_count: z.int() });
export const budgetResponseSchema = z.object({ data: workspaceBudgetSchema, include_byok_in_budgets: z.boolean() });
export const budgetListSchema = z.object({
  data: z.array(workspaceBudgetSchema),
  include_byok_in_budgets: z.boolean(),
});

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

/** A limit on the calls and the tokens of a minute. */
const rateLimitSchema = z.object({
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
const callLimitSchema = z.object({
  /** Name or hash of a key. */
  key: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  calls_under_way: z.int(),
  /** Null refuses what finds no place. */
  queue: z.object({ length: z.int(), seconds: z.number() }).nullable(),
});
export type StoredCallLimit = z.infer<typeof callLimitSchema>;

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

/**
 * What is wrong with a process that responds: it is ending; it takes no calls before its store is ready; its database is
 * away, and calls go on; what processes share is away, and each goes by what it knows itself; generations could not be
 * recorded since the start.
 */
const troubleSchema = z.enum(['closing', 'store_not_ready', 'store_away', 'shared_away', 'unrecorded']);
export type Trouble = z.infer<typeof troubleSchema>;

/** The response of `GET /health`. `degraded`: some generations could not be recorded since the start. */
export const healthSchema = z.object({ status: z.enum(['ok', 'degraded']), trouble: troubleSchema.optional() });
export type Health = z.infer<typeof healthSchema>;

/** What holds the rows of a store, or what processes share. */
const engineSchema = z.object({
  /** `postgres`, `redis`, `json` for files, `memory`, or a word of the host's own. */
  type: z.string(),
  /** A directory, or host and port, without a user and a password. */
  address: z.string().nullable(),
  database: z.string().nullable(),
  /** Why it does not respond at the moment; null while it does. */
  outage: z.string().nullable(),
});

/** The response of `GET /admin/v1/instance`: the process that responds. Null is what its host does not tell. */
export const instanceSchema = z.object({
  data: z.object({
    /** Another with every start. */
    id: z.string(),
    version: z.string().nullable(),
    host: z.string().nullable(),
    process_id: z.int().nullable(),
    worker: z.object({ number: z.int(), of: z.int() }).nullable(),
    trouble: troubleSchema.nullable(),
    /** What is wrong, for operators. */
    reason: z.string().nullable(),
    store: engineSchema.nullable(),
    shared: engineSchema.nullable(),
  }),
});
export type Instance = z.infer<typeof instanceSchema>['data'];

/** The response of `GET /ready`, unless it is an error. */
export const readinessSchema = z.object({ status: z.literal('ready') });

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
      /** Of all of them together. */
      under_way: z.int(),
      waiting: z.int(),
    }),
  ),
  /** Of how many processes calls are counted: all that share one Redis; else the one that responds. */
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
