import { expect, test } from 'vitest';

import type { Principal } from '../http/request.ts';
import { reachOf, refuseRole } from './permissions.ts';

type Member = NonNullable<Principal['member']>;

const memberOf = (role: Member['role'], workspaces: readonly (readonly [string, string])[] = []) => ({
  member: { role, workspaces: new Map(workspaces) } as unknown as Member,
});

test('an operation without a row is the owners’ alone, and that of callers who are no members', () => {
  expect([reachOf(memberOf('owner'), 'madeUp'), reachOf({}, 'madeUp')]).toEqual(['all', 'all']);
  for (const role of ['administrator', 'billing', 'developer', 'viewer'] as const) {
    expect(reachOf(memberOf(role, [['w-1', 'administrator']]), 'madeUp')).toBeNull();
  }
  expect(refuseRole(memberOf('administrator'), 'madeUp').message).toBe(
    'This needs the role owner; yours is administrator. Ask an administrator of the organization',
  );
});

test('who administers a workspace reaches what is in it as developer and for billing, and not as viewer', () => {
  const workspaces = [
    ['w-1', 'administrator'],
    ['w-2', 'member'],
  ] as const;
  for (const role of ['developer', 'billing'] as const) {
    expect(reachOf(memberOf(role, workspaces), 'listGuardrails')).toEqual({
      own: false,
      workspaceIds: new Set(['w-1']),
    });
    expect(reachOf(memberOf(role, workspaces.slice(1)), 'listGuardrails')).toBeNull();
  }
  expect(reachOf(memberOf('viewer', workspaces), 'listGuardrails')).toBeNull();
  expect(reachOf(memberOf('viewer', workspaces), 'listGenerations')).toEqual({ own: true, workspaceIds: new Set() });
});

test('a refusal names the roles that do it with what is their own, too', () => {
  expect(refuseRole(memberOf('billing'), 'listGenerations').message).toBe(
    'This needs the role owner, administrator, developer, viewer or administrator of a workspace; yours is billing. ' +
      'Ask an administrator of the organization',
  );
  expect(refuseRole({}, 'createMember').message).toContain('the role owner or administrator; yours is none');
});
