import { z } from 'zod';

/** Somebody of the organization, as `GET /organization/members` lists them. Their id is the `creator_user_id` of keys. */
export const memberSchema = z.object({
  id: z.string().min(1).max(200),
  email: z.email().max(320),
  first_name: z.string().max(200).nullable(),
  last_name: z.string().max(200).nullable(),
  role: z.enum(['org:admin', 'org:member']),
});
export type Member = z.infer<typeof memberSchema>;

const { id, email, first_name, last_name, role } = memberSchema.shape;

/** The body of `POST /admin/v1/members`. Without an id one is made. Closed. */
export const createMemberRequestSchema = z.strictObject({
  id: id.optional(),
  email,
  first_name: first_name.optional(),
  last_name: last_name.optional(),
  role: role.optional(),
});

/** The body of `PATCH /admin/v1/members/{id}`: what is left out stays. Closed. */
export const updateMemberRequestSchema = z.strictObject({ email, first_name, last_name, role }).partial();

export const memberAnswerSchema = z.object({ data: memberSchema });
export const memberListSchema = z.object({ data: z.array(memberSchema), total_count: z.int() });
