import { removeMember } from '../account/members.ts';
import { type MemberDirectory, noMember, refuseForeignDirectory } from '../auth/keys.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, pageQuerySchema, refuseField, toPage } from '../wire/fields.ts';
import {
  changeMember,
  createMemberRequestSchema,
  type Member,
  memberListSchema,
  memberResponseSchema,
  updateMemberRequestSchema,
} from '../wire/keys.ts';

export interface MemberParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'keys' | 'members' | 'scimGroups' | 'workspaces'>;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
}

/** `GET /organization/members` */
export const listMembers = operation<MemberParts>()({
  query: pageQuerySchema,
  response: memberListSchema,
  async run({ parts, query }) {
    return toPage(await parts.members.list(), query);
  },
});

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

/** `DELETE /admin/v1/members/{id}`: their keys are disabled, and they leave their workspaces and groups. */
export const deleteMember = operation<MemberParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    refuseForeignDirectory(parts);
    if (!(await removeMember(id, parts))) throw noMember(id);
    return { deleted: true };
  },
});
