import { z } from 'zod';

export const organizationRoleSchema = z.enum(['owner', 'administrator', 'billing', 'developer', 'viewer']);

/** A member of the organization, as `GET /organization/members` lists them. The id is the `creator_user_id` of keys. */
export const memberSchema = z.object({
  id: z.string().min(1).max(200),
  /** Empty when none is known: official clients require a text. */
  email: z.string().max(320),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: z.enum(['org:admin', 'org:member']),
  /** The finer role of this gateway; absent means that `role` says all: administrator, or developer. */
  organization_role: organizationRoleSchema.optional(),
  /** False for a member who may not sign in and whose keys are disabled, but who is still listed. */
  active: z.boolean().optional(),
  /** What the company's directory has sent beside; absent for a member whom it has not sent. */
  scim: z
    .object({
      user_name: z.string(),
      external_id: z.string().nullable(),
      display_name: z.string().nullable(),
      /** The values of the attribute `roles`; absent for none. */
      roles: z.array(z.string()).optional(),
      /** What they have given, so that it can be taken again; absent where they give nothing. */
      given_role: organizationRoleSchema.optional(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .optional(),
});
export type Member = z.infer<typeof memberSchema>;

const changes = {
  email: z.email().max(320).optional(),
  /** First names and last name in one; null removes them. */
  name: z.string().trim().max(400).nullable().optional(),
  role: z.enum(['member', 'admin']).optional(),
  /** In place of `role`, which follows from it. */
  organization_role: organizationRoleSchema.optional(),
};

/** The body of `POST /admin/v1/members`. Closed. */
export const createMemberRequestSchema = z.strictObject({
  // Addresses have it in their path.
  user_id: memberSchema.shape.id.refine((id) => !/\p{Surrogate}/u.test(id), 'must be whole characters'),
  ...changes,
});

/** The body of `PATCH /admin/v1/members/{id}`: what is left out stays. Closed. */
export const updateMemberRequestSchema = z.strictObject(changes);
export type MemberChanges = z.infer<typeof updateMemberRequestSchema>;

export const memberResponseSchema = z.object({ data: memberSchema });
export const memberListSchema = z.object({ data: z.array(memberSchema), total_count: z.int() });
