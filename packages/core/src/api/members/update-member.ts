import { noMember, refuseForeignDirectory } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { changeMember, memberResponseSchema, updateMemberRequestSchema } from '../../wire/keys.ts';
import type { MemberParts } from './member-parts.ts';

/** `PATCH /admin/v1/members/{id}` */
export const updateMember = operation<MemberParts>()({
  params: ['id'],
  body: updateMemberRequestSchema,
  response: memberResponseSchema,
  find: ({ parts }) => refuseForeignDirectory(parts),
  async run({ params: { id }, parts, body }) {
    const updated = await parts.store.members.update(id, (member) => changeMember(member, body));
    if (updated === undefined) throw noMember(id);
    return { data: updated };
  },
});
