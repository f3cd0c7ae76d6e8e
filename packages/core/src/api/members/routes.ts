import type { Route } from '../../http/route.ts';
import type { MemberParts } from '../members.ts';
import { ADMIN, MANAGEMENT } from '../route-groups.ts';

/** The people of the organization. */
export const MEMBER_ROUTES: readonly Route<MemberParts>[] = [
  {
    ...MANAGEMENT,
    method: 'GET',
    path: '/api/v1/organization/members',
    wrongKey: 401,
    operationId: 'listMembers',
    summary: 'List members',
    load: async () => (await import('../members.ts')).listMembers,
  },
  {
    ...ADMIN,
    method: 'POST',
    path: '/admin/v1/members',
    operationId: 'createMember',
    summary: 'Add a member',
    load: async () => (await import('../members.ts')).createMember,
  },
  {
    ...ADMIN,
    method: 'PATCH',
    path: '/admin/v1/members/{id}',
    operationId: 'updateMember',
    summary: 'Change a member',
    load: async () => (await import('../members.ts')).updateMember,
  },
  {
    ...ADMIN,
    method: 'DELETE',
    path: '/admin/v1/members/{id}',
    operationId: 'deleteMember',
    summary: 'Remove a member and disable their keys',
    load: async () => (await import('../members.ts')).deleteMember,
  },
];
