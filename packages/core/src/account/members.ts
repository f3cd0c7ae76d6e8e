import { findOwnerProblem } from '../auth/key-owner.ts';
import { type MemberDirectory, refuseOwnerChange, roleOf } from '../auth/member-principal.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { KeyRecord, Store } from '../stores/store.ts';
import type { Member } from '../wire/members.ts';
import { DEFAULT_WORKSPACE_ID } from '../wire/values.ts';
import { withoutMembers } from './workspaces.ts';

interface KeyOwnerParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'keys'>;
}

/**
 * Brings the keys of a member to where the member is: those of a deactivated one are disabled, and those that this had
 * disabled are enabled once the member is active again. Keys that somebody has disabled by hand stay so.
 */
export async function settleKeysOfMember(id: string, isActive: boolean, parts: KeyOwnerParts): Promise<void> {
  const { platform, store } = parts;
  const updatedAt = new Date(platform.now()).toISOString();
  for (const { hash, creatorUserId, disabled, disabledWithMember } of await store.keys.list()) {
    if (creatorUserId !== id || (isActive ? disabledWithMember !== true : disabled)) continue;
    await store.keys.update(hash, ({ disabledWithMember: mark, ...key }) => {
      // Somebody has changed it meanwhile.
      if (isActive ? mark !== true : key.disabled)
        return mark === undefined ? key : { ...key, disabledWithMember: mark };
      return { ...key, disabled: !isActive, ...(!isActive && { disabledWithMember: true }), updatedAt };
    });
  }
}

interface NewKeyParts extends KeyOwnerParts {
  readonly store: Pick<Store, 'keys' | 'members' | 'workspaces'>;
  /** The store's own, unless the host has its own. */
  readonly members: Pick<MemberDirectory, 'get'>;
}

/**
 * Stores a new key. Throws `conflict` where its member is deactivated, and, for a key that is made for a member, where
 * they have been removed, and where it would make no calls, or its workspace was deleted meanwhile. One who is
 * deactivated or removed meanwhile disables it. A creator may be no member at all.
 */
export async function insertKey(
  record: KeyRecord,
  parts: NewKeyParts,
  { isOfMember = false }: { readonly isOfMember?: boolean } = {},
): Promise<void> {
  const { members } = parts;
  const { creatorUserId } = record;
  if (creatorUserId === null) return storeKey(record, parts);
  const before = await members.get(creatorUserId);
  if (before?.active === false) {
    throw new GatewayError('conflict', 'The member whose key it would be is deactivated; activate the member first');
  }
  if (before === undefined && isOfMember)
    throw new GatewayError('conflict', 'The member whose key it would be was removed');
  const problem = await findOwnerProblem(record, parts);
  if (problem !== null) throw new GatewayError('conflict', `The member whose key it would be ${problem}`);
  await storeKey(record, parts);
  const after = await members.get(creatorUserId);
  if (after?.active === false) await settleKeysOfMember(creatorUserId, false, parts);
  if (before !== undefined && after === undefined) await disableKeysOf(creatorUserId, parts);
}

/** Who deletes the workspace looks for new keys afterwards, so that one of the two sees the other. */
async function storeKey(record: KeyRecord, { store }: NewKeyParts): Promise<void> {
  await store.keys.insert(record);
  const { hash, workspaceId } = record;
  if (workspaceId === DEFAULT_WORKSPACE_ID || (await store.workspaces.get(workspaceId)) !== undefined) return;
  await store.keys.remove(hash);
  throw new GatewayError('conflict', 'The workspace of the key was deleted meanwhile');
}

/** Disables every key of a removed member for good: none comes back with a new member of the same id. */
async function disableKeysOf(id: string, { platform, store }: KeyOwnerParts): Promise<void> {
  const updatedAt = new Date(platform.now()).toISOString();
  for (const { hash, creatorUserId, disabled, disabledWithMember } of await store.keys.list()) {
    if (creatorUserId !== id || (disabled && disabledWithMember === undefined)) continue;
    await store.keys.update(hash, ({ disabledWithMember: _, ...key }) => ({ ...key, disabled: true, updatedAt }));
  }
}

interface RemovalParts extends KeyOwnerParts {
  readonly store: Pick<Store, 'keys' | 'members' | 'scimGroups' | 'workspaces'>;
}

/**
 * Removes a member; false where there is none. Their guardrail assignment goes with them, so their keys are disabled
 * first, which would be free of the guardrail otherwise. They leave their workspaces and groups, too. Their sessions end
 * with the next request, because each reads its member. Throws where `by` may not remove an owner, and for the last one.
 */
export async function removeMember(id: string, by: Pick<Principal, 'member'>, parts: RemovalParts): Promise<boolean> {
  const { platform, store } = parts;
  const found = await store.members.get(id);
  if (found === undefined) return false;
  const refuse = (member: Member, all: readonly Member[]): void =>
    refuseOwnerChange(member, null, { principal: by, all });
  refuse(found, await store.members.list());
  // When two owners remove each other at once, one of them finds that the other has gone.
  if (roleOf(found) === 'owner') {
    await store.members.update(id, (present, all) => {
      refuse(present, all);
      return { ...present, active: false };
    });
  }
  const updatedAt = new Date(platform.now()).toISOString();
  await disableKeysOf(id, parts);
  for (const { id: workspaceId, members } of await store.workspaces.list()) {
    if (members?.some((membership) => membership.user_id === id) !== true) continue;
    await store.workspaces.update(workspaceId, (record) => withoutMembers(record, new Set([id])));
  }
  for (const { id: groupId, members } of await store.scimGroups.list()) {
    if (!members.includes(id)) continue;
    await store.scimGroups.update(groupId, (group) => ({
      ...group,
      members: group.members.filter((each) => each !== id),
      updatedAt,
    }));
  }
  const isRemoved = await store.members.remove(id);
  // A key may have been made meanwhile by a caller who found the member still there.
  if (isRemoved) await disableKeysOf(id, parts);
  return isRemoved;
}
