import { z } from 'zod';

/** A member of the organization, as `GET /organization/members` lists them. The id is the `creator_user_id` of keys. */
export const memberSchema = z.object({
  id: z.string().min(1).max(200),
  /** Empty when none is known: official clients require a text. */
  email: z.string().max(320),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: z.enum(['org:admin', 'org:member']),
});
export type Member = z.infer<typeof memberSchema>;

const changes = {
  email: z.email().max(320).optional(),
  /** First names and last name in one; null removes them. */
  name: z.string().trim().max(400).nullable().optional(),
  role: z.enum(['member', 'admin']).optional(),
};

/** The body of `POST /admin/v1/members`. Closed. */
export const createMemberRequestSchema = z.strictObject({ user_id: memberSchema.shape.id, ...changes });

/** The body of `PATCH /admin/v1/members/{id}`: what is left out stays. Closed. */
export const updateMemberRequestSchema = z.strictObject(changes);
type MemberChanges = z.infer<typeof updateMemberRequestSchema>;

export const memberResponseSchema = z.object({ data: memberSchema });
export const memberListSchema = z.object({ data: z.array(memberSchema), total_count: z.int() });

/** The member with these changes made. */
export function changeMember(member: Member, { email, name, role }: MemberChanges): Member {
  return {
    id: member.id,
    email: email ?? member.email,
    ...(name === undefined ? { first_name: member.first_name, last_name: member.last_name } : splitName(name ?? '')),
    role: role === undefined ? member.role : `org:${role}`,
  };
}

/** All words but the last are first names. */
function splitName(name: string): Pick<Member, 'first_name' | 'last_name'> {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const last = words.length > 1 ? words.pop() : undefined;
  return { first_name: words.length === 0 ? null : words.join(' '), last_name: last ?? null };
}
