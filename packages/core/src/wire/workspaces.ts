import { z } from 'zod';

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
  data: z.array(
    z.object({
      user_id: z.string(),
      /** The higher one of the two below. */
      role: workspaceRoleSchema,
      /** What was given by hand or at a sign-in; null for nothing. */
      own_role: workspaceRoleSchema.nullable(),
      /** What groups of the directory give by their mappings; null for nothing. */
      group_role: workspaceRoleSchema.nullable(),
    }),
  ),
});
export type WorkspaceRoleEntry = z.infer<typeof workspaceRoleListSchema>['data'][number];
export const workspaceRoleResponseSchema = z.object({
  data: workspaceRoleListSchema.shape.data.element.pick({ user_id: true, role: true }),
});

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
