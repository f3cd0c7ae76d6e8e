import { z } from 'zod';

import { DATA_REGIONS, momentSchema } from './fields.ts';
import { GUARDRAIL_EFFECTS } from './values.ts';

/**
 * The built-in filters (wire.md 16.6). `iban` and `direction` are the gateway's own. Names of people and postal
 * addresses, which the public wire has too, need a language model: they are refused, not silently ignored.
 */
export const BUILTIN_FILTER_SLUGS = [
  'email',
  'phone',
  'ssn',
  'credit-card',
  'ip-address',
  'iban',
  'secrets',
  'regex-prompt-injection',
] as const;

/** The precedence of several filters for the same text: block before redact before flag. */
const filterActionSchema = z.enum(['block', 'redact', 'flag']);

/** The side of a call that a filter reads; the gateway's own field, with the default `input`, as on the public wire. */
const filterDirectionSchema = z.enum(['input', 'output', 'both']);

const builtinFilterSchema = z.strictObject({
  slug: z.enum(BUILTIN_FILTER_SLUGS, { error: `must be one of ${BUILTIN_FILTER_SLUGS.join(', ')}` }),
  action: filterActionSchema,
  /** The messages that the prompt injection filter reads; the other filters read all of them. */
  scan_scope: z.enum(['all_messages', 'user_only']).optional(),
  direction: filterDirectionSchema.optional(),
});

const customFilterSchema = z.strictObject({
  /** A regular expression that matches in linear time: no look-around, no back-references. */
  pattern: z.string().min(1).max(100_000),
  action: filterActionSchema,
  /** Names the filter in messages, and replaces the text that it redacts. */
  label: z.string().max(100).nullish(),
  direction: filterDirectionSchema.optional(),
});

const slugList = z.array(z.string().min(1).max(200)).min(1).max(1000).nullable();
const switchSchema = z.boolean().nullable();

/** The demands of a guardrail; null for each absent one. */
const policySchema = z.object({
  description: z.string().max(1000).nullable(),
  /** USD a key or member may spend in one interval. */
  limit_usd: z.number().min(0).nullable(),
  /** Null with a limit: it never resets. Days begin at 00:00 UTC, weeks on Monday. */
  reset_interval: z.enum(['daily', 'weekly', 'monthly']).nullable(),
  include_byok_in_budgets: z.boolean(),
  /** Canonical slugs where the catalog knows the model. */
  allowed_models: slugList,
  ignored_models: slugList,
  /** Slugs of providers. */
  allowed_providers: slugList,
  ignored_providers: slugList,
  allowed_data_regions: z.array(z.enum(DATA_REGIONS)).min(1).nullable(),
  /** Deprecated on the public wire; the five fields below contain its meaning. */
  enforce_zdr: switchSchema,
  enforce_zdr_anthropic: switchSchema,
  enforce_zdr_openai: switchSchema,
  enforce_zdr_google: switchSchema,
  enforce_zdr_xai: switchSchema,
  enforce_zdr_other: switchSchema,
  /** Whether endpoints may be used that train on the data they receive; false forbids, null means no rule. */
  enable_paid_model_training: switchSchema,
  enable_free_model_training: switchSchema,
  enable_free_model_publication: switchSchema,
  content_filter_builtins: z.array(builtinFilterSchema).max(100).nullable(),
  content_filters: z.array(customFilterSchema).max(100).nullable(),
});

const nameSchema = z.string().min(1).max(200);

/** A guardrail as it is stored and as `GET /guardrails/{id}` returns it (wire.md 16.2). */
export const guardrailSchema = z.object({
  id: z.uuid(),
  name: nameSchema,
  workspace_id: z.string().nullable(),
  /** ISO 8601 in UTC. */
  created_at: z.string(),
  /** Null until it is changed. */
  updated_at: z.string().nullable(),
  ...policySchema.shape,
});

export type Guardrail = z.infer<typeof guardrailSchema>;
export type BuiltinFilter = z.infer<typeof builtinFilterSchema>;
export type CustomFilter = z.infer<typeof customFilterSchema>;

const { content_filter_builtins: _builtins, ...plainPolicy } = policySchema.shape;

/** The writable fields. A built-in filter's label is read-only: accepted, because clients send it, and dropped. */
const writableSchema = z.strictObject({
  ...plainPolicy,
  content_filter_builtins: z
    .array(
      builtinFilterSchema
        .extend({ label: z.unknown().optional() })
        .transform(({ label: _label, ...filter }): BuiltinFilter => filter),
    )
    .max(100)
    .nullable(),
});

/** The body of `PATCH /guardrails/{id}`: what is left out stays, null clears, lists are replaced whole. Closed. */
export const updateGuardrailRequestSchema = writableSchema.extend({ name: nameSchema }).partial();

/** The body of `POST /guardrails`. Closed: a misspelt rule must not be silently ignored. */
export const createGuardrailRequestSchema = writableSchema
  .partial()
  .extend({ name: nameSchema, workspace_id: z.string().optional() });

export type UpdateGuardrailRequest = z.infer<typeof updateGuardrailRequestSchema>;

export const guardrailResponseSchema = z.object({ data: guardrailSchema });
export const guardrailListSchema = z.object({ data: z.array(guardrailSchema), total_count: z.int() });

/** The query of `GET /admin/v1/guardrails/hits`. Default: all guardrails, the last 24 hours. */
export const guardrailHitsQuerySchema = z.strictObject({
  /** Id of a guardrail: this one alone, with the calls that it refused. */
  guardrail: z.string().min(1).max(200).optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  /** The length of a bucket. Default: hours for up to three days, days for more. */
  by: z.enum(['hour', 'day'], 'must be hour or day').optional(),
});

const effectSchema = z.enum(GUARDRAIL_EFFECTS);

/**
 * Numbers of calls. `narrowed` went on with fewer endpoints, `unserved` had none left, `over_budget` did not fit into
 * the guardrail's budget.
 */
const countsSchema = z.object({
  blocked: z.int(),
  redacted: z.int(),
  flagged: z.int(),
  narrowed: z.int(),
  unserved: z.int(),
  over_budget: z.int(),
});
export type GuardrailHitCounts = z.infer<typeof countsSchema>;

export const guardrailHitListSchema = z.object({
  /** Guardrails that did nothing in this time are left out, unless one is asked for. */
  data: z.array(
    z.object({
      guardrail_id: z.string(),
      totals: countsSchema,
      /** One for each bucket from `from` on. */
      buckets: z.array(countsSchema),
    }),
  ),
  /** Beginning of the first bucket, and end of the last one. */
  from: z.string(),
  to: z.string(),
  bucket_ms: z.int(),
  /** The latest refused calls of the guardrail that is asked for, newest first; not all of them. Never contents. */
  refusals: z
    .array(
      z.object({
        at: z.string(),
        effect: effectSchema,
        /** The label of the filter, or the field of the guardrail. */
        rule: z.string(),
        key_hash: z.string().nullable(),
        /** The name of the key; null where it has none any more. */
        key_name: z.string().nullable(),
        model: z.string().nullable(),
      }),
    )
    .optional(),
});
export type GuardrailHitList = z.infer<typeof guardrailHitListSchema>;

/** Assigns a guardrail to a key (wire.md 16.3). */
const keyAssignmentSchema = z.object({
  id: z.string(),
  guardrail_id: z.string(),
  key_hash: z.string(),
  key_name: z.string(),
  key_label: z.string(),
  /** The member who made it; for a key without an owner, the id of the key. */
  assigned_by: z.string(),
  created_at: z.string(),
});
export type KeyAssignment = z.infer<typeof keyAssignmentSchema>;

/** Assigns a guardrail to a member, and so to all keys that they use. */
const memberAssignmentSchema = z.object({
  id: z.string(),
  guardrail_id: z.string(),
  user_id: z.string(),
  organization_id: z.string(),
  assigned_by: z.string(),
  created_at: z.string(),
});
export type MemberAssignment = z.infer<typeof memberAssignmentSchema>;

const ids = z.array(z.string().min(1).max(200)).min(1).max(1000);

/** The keys to assign or unassign, at least one. Closed. */
export const keyHashesSchema = z.strictObject({ key_hashes: ids });
export const memberUserIdsSchema = z.strictObject({ member_user_ids: ids });

export const assignedSchema = z.object({ assigned_count: z.int() });
export const unassignedSchema = z.object({ unassigned_count: z.int() });
export const keyAssignmentListSchema = z.object({ data: z.array(keyAssignmentSchema), total_count: z.int() });
export const memberAssignmentListSchema = z.object({ data: z.array(memberAssignmentSchema), total_count: z.int() });
