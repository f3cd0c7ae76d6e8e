import type { z } from 'zod';

import { removeMember } from '../account/members.ts';
import { changeMember } from '../auth/change-member.ts';
import { type MemberDirectory, noMember, refuseForeignDirectory } from '../auth/keys.ts';
import { refuseOwnerChange } from '../auth/member-principal.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, pageQuerySchema, refuseField, toPage } from '../wire/fields.ts';
import {
  createMemberRequestSchema,
  type Member,
  memberListSchema,
  memberResponseSchema,
  updateMemberRequestSchema,
} from '../wire/members.ts';

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
  async run({ principal, parts, body }) {
    refuseTwoRoles(body);
    const initial: Member = { id: body.user_id, email: '', first_name: null, last_name: null, role: 'org:member' };
    const member = changeMember(initial, body);
    refuseOwnerChange(undefined, member, { principal, all: [] });
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
  errors: ['conflict'],
  find: ({ parts }) => refuseForeignDirectory(parts),
  async run({ params: { id }, principal, parts, body }) {
    refuseTwoRoles(body);
    const updated = await parts.store.members.update(id, (member, all) => {
      const changed = changeMember(member, body);
      refuseOwnerChange(member, changed, { principal, all });
      return changed;
    });
    if (updated === undefined) throw noMember(id);
    return { data: updated };
  },
});

/** The role of the public API follows from the other one. */
function refuseTwoRoles({ role, organization_role: own }: z.infer<typeof updateMemberRequestSchema>): void {
  if (role !== undefined && own !== undefined)
    throw refuseField('role', 'cannot be given together with organization_role');
}

/** `DELETE /admin/v1/members/{id}`: their keys are disabled, and they leave their workspaces and groups. */
export const deleteMember = operation<MemberParts>()({
  params: ['id'],
  response: deletedSchema,
  errors: ['conflict'],
  async run({ params: { id }, principal, parts }) {
    refuseForeignDirectory(parts);
    if (!(await removeMember(id, principal, parts))) throw noMember(id);
    return { deleted: true };
  },
});
