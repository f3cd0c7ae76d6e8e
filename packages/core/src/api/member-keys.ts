import type { z } from 'zod';

import type { MemberDirectory } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Principal } from '../http/request.ts';
import type { KeyRecord } from '../stores/table-schemas.ts';
import { refuseField } from '../wire/fields.ts';
import type { createKeyRequestSchema } from '../wire/keys.ts';
import type { MemberReach } from './member-view.ts';

type NewKey = z.infer<typeof createKeyRequestSchema>;

interface KeyMaker {
  readonly reach?: MemberReach | undefined;
  readonly members: MemberDirectory;
}

/** Callers that are no members, such as management keys and one-time links, may do all that owners may. */
const actsAsOwner = ({ member }: Principal): boolean => member === undefined || member.role === 'owner';

/**
 * Throws `permission_denied` for a management key of a member who is no owner. Such a key does not depend on roles and
 * makes owners, so that an administrator would become one by it.
 */
export function kindOf({ management: isManagement }: NewKey, principal: Principal): KeyRecord['kind'] {
  if (isManagement !== true) return 'api';
  if (actsAsOwner(principal)) return 'management';
  throw new GatewayError(
    'permission_denied',
    'Management keys need the role owner, because they may do what owners may; ask one of them, or make an API key',
  );
}

/** Throws `permission_denied` where a member who is no owner makes a management key work again, or for longer. */
export function refuseReviving(before: KeyRecord, after: KeyRecord, principal: Principal): void {
  if (before.kind !== 'management' || actsAsOwner(principal)) return;
  if (!(before.disabled && !after.disabled) && !endsLater(before, after)) return;
  throw new GatewayError(
    'permission_denied',
    'To enable a management key again, or to give it a later end, needs the role owner; ask one of them',
  );
}

const endsLater = (before: KeyRecord, after: KeyRecord): boolean =>
  before.expiresAt !== null && (after.expiresAt === null || Date.parse(after.expiresAt) > Date.parse(before.expiresAt));

/** Throws `permission_denied` where the member looks at a workspace alone. */
export function refuseKeyIn(workspaceId: string, { member }: Principal): void {
  if (member?.role === 'owner' || member?.role === 'administrator') return;
  if (member?.workspaces.get(workspaceId) !== 'viewer') return;
  throw new GatewayError(
    'permission_denied',
    'Keys need the role member or administrator in this workspace; yours is viewer. Ask its administrator',
  );
}

/**
 * Whom a new key belongs to: the member who makes it, unless it is for another member of a workspace that they
 * administer. Owners and administrators make keys for anybody, and for nobody by `null`.
 */
export async function creatorOf(
  { creator_user_id: wanted }: NewKey,
  { workspaceId, principal }: { readonly workspaceId: string; readonly principal: Principal },
  { reach, members }: KeyMaker,
): Promise<string | null | undefined> {
  if (reach === undefined) return wanted === undefined && principal.member !== undefined ? principal.userId : wanted;
  if (wanted == null || wanted === reach.userId) return reach.userId;
  if (reach.workspaceIds.has(workspaceId) && (await members.get(wanted)) !== undefined) return wanted;
  throw refuseField('creator_user_id', 'must be your own id: you make keys for yourself alone in this workspace');
}

/** Throws `permission_denied` for a change of more than the limits of a key. */
export function refuseBeyondLimits(before: KeyRecord, after: KeyRecord): void {
  const fields = { name: 'name', disabled: 'disabled', expiresAt: 'expires_at' } as const;
  for (const [field, name] of Object.entries(fields) as [keyof typeof fields, string][]) {
    if (before[field] === after[field]) continue;
    throw new GatewayError(
      'permission_denied',
      `${name} needs the role owner or administrator; billing changes limits`,
    );
  }
}

/** Throws `permission_denied` for a change of a member's own key that takes back what an administrator may have set. */
export function refuseWidening(before: KeyRecord, after: KeyRecord): void {
  const refuse = (field: string, what: string): never => {
    throw new GatewayError('permission_denied', `${field}: ${what} needs the role owner, administrator or billing`);
  };
  if (before.disabled && !after.disabled) refuse('disabled', 'enabling a key again');
  if (before.limitUsd !== null) {
    if (after.limitUsd === null || after.limitUsd > before.limitUsd) refuse('limit', 'raising or removing a limit');
    if (after.limitReset !== before.limitReset) refuse('limit_reset', 'changing when a limit starts again');
    if (before.includeByokInLimit && !after.includeByokInLimit) refuse('include_byok_in_limit', 'counting less');
  }
  if (endsLater(before, after)) refuse('expires_at', 'a later end');
}
