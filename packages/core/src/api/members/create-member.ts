import { refuseForeignDirectory } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { refuseField } from '../../wire/fields.ts';
import { changeMember, createMemberRequestSchema, type Member, memberResponseSchema } from '../../wire/keys.ts';
import type { MemberParts } from './member-parts.ts';

/** `POST /admin/v1/members` */
export const createMember = operation<MemberParts>()({
  body: createMemberRequestSchema,
  response: memberResponseSchema,
  status: 201,
  find: ({ parts }) => refuseForeignDirectory(parts),
  async run({ parts, body }) {
    const initial: Member = { id: body.user_id, email: '', first_name: null, last_name: null, role: 'org:member' };
    const member = changeMember(initial, body);
    await parts.store.members.insert(member, (members) => {
      if (members.every(({ id }) => id !== member.id)) return;
      throw refuseField('user_id', `there is a member ${member.id} already`);
    });
    return { data: member };
  },
});
