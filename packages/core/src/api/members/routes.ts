import type { Route } from '../../http/route.ts';
import type { MemberParts } from './member-parts.ts';

/** The people of the organization. */
export const MEMBER_ROUTES: readonly Route<MemberParts>[] = [
  {
    method: 'GET',
    path: '/api/v1/organization/members',
    surface: 'api',
    auth: 'management',
    wrongKey: 401,
    summary: 'List members',
    load: async () => (await import('./list-members.ts')).listMembers,
  },
  {
    method: 'POST',
    path: '/admin/v1/members',
    surface: 'admin',
    auth: 'management',
    summary: 'Add a member',
    load: async () => (await import('./create-member.ts')).createMember,
  },
  {
    method: 'PATCH',
    path: '/admin/v1/members/{id}',
    surface: 'admin',
    auth: 'management',
    summary: 'Change a member',
    load: async () => (await import('./update-member.ts')).updateMember,
  },
  {
    method: 'DELETE',
    path: '/admin/v1/members/{id}',
    surface: 'admin',
    auth: 'management',
    summary: 'Remove a member and disable their keys',
    load: async () => (await import('./delete-member.ts')).deleteMember,
  },
];
