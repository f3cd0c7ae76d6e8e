import { type Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { JobOwner, Store } from '../stores/store.ts';
import { toKeyPrincipal } from './authenticate.ts';
import { findOwnerProblem } from './key-owner.ts';
import type { MemberDirectory } from './member-principal.ts';

export interface OwnerParts {
  readonly store: Pick<Store, 'keys' | 'members' | 'workspaces'>;
  readonly members: Pick<MemberDirectory, 'get'>;
  readonly platform: Pick<Platform, 'now'>;
}

/** What a job keeps of the caller that begins it, so that it can go on in another process, and after the end of a token. */
export async function toJobOwner(
  { id, name, userId, workspaceId, ...principal }: Principal,
  { store, members }: Pick<OwnerParts, 'members'> & { readonly store: Pick<Store, 'keys' | 'workspaces'> },
): Promise<JobOwner> {
  const isThere = async (found: Awaitable<object | undefined> | undefined): Promise<boolean> =>
    (await found) !== undefined;
  const common = {
    id,
    name,
    ...(userId !== undefined && { userId }),
    ...(workspaceId !== undefined && { workspaceId }),
  };
  if (await isThere(store.keys.get(id))) return { ...common, isKey: true };
  const { limitUsd, limitReset, includeByokInLimit, externalUser, allowedModels, guardrailId } = principal;
  return {
    ...common,
    isKey: false,
    ...(limitUsd != null && { limitUsd, limitReset: limitReset ?? null, includeByokInLimit }),
    ...(externalUser !== undefined && { externalUser }),
    ...(allowedModels !== undefined && { allowedModels }),
    ...(guardrailId !== undefined && { guardrailId }),
    ...(userId !== undefined && (await isThere(members.get(userId))) && { ofMember: true }),
    ...(workspaceId !== undefined && (await isThere(store.workspaces.get(workspaceId))) && { ofWorkspace: true }),
  };
}

/**
 * The present principal of an owner. Throws `conflict` where its key, its member or its workspace is gone, or must not
 * call any more.
 */
export async function findOwnerPrincipal(owner: JobOwner, parts: OwnerParts): Promise<Principal> {
  const { isKey, ofMember: _, ofWorkspace: __, ...caller } = owner;
  if (!isKey) {
    await refuseGone(owner, parts);
    return { kind: 'api', ...caller };
  }
  const { id, name } = caller;
  const record = await parts.store.keys.get(id);
  const isOver = record?.expiresAt != null && Date.parse(record.expiresAt) <= parts.platform.now();
  if (record === undefined || record.disabled || isOver) {
    throw new GatewayError('conflict', `The key "${name}", as which the calls are made, is gone, disabled or expired`);
  }
  const problem = await findOwnerProblem(record, parts);
  if (problem !== null)
    throw new GatewayError('conflict', `The member of the key "${name}", as which the calls are made, ${problem}`);
  return toKeyPrincipal(record);
}

async function refuseGone(
  { name, userId = '', workspaceId = '', ofMember, ofWorkspace }: JobOwner,
  { store, members }: OwnerParts,
): Promise<void> {
  const member = ofMember === true ? await members.get(userId) : undefined;
  if (ofMember === true && (member === undefined || member.active === false)) {
    throw new GatewayError('conflict', `The member of "${name}", as which the calls are made, is gone or deactivated`);
  }
  if (ofWorkspace === true && (await store.workspaces.get(workspaceId)) === undefined) {
    throw new GatewayError('conflict', `The workspace of "${name}", as which the calls are made, has been deleted`);
  }
}
