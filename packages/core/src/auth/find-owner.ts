import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import type { Store } from '../stores/store.ts';
import { toKeyPrincipal } from './authenticate.ts';

/** Whose calls a job makes, as its row says. */
export interface JobOwner {
  readonly id: string;
  readonly name: string;
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** Its key is stored, and is read again when the job goes on. */
  readonly isKey: boolean;
}

/** The present principal of an owner. Throws `conflict` where its key is gone, or must not call any more. */
export async function findOwnerPrincipal(
  { id, name, userId, workspaceId, isKey }: JobOwner,
  { store, platform }: { readonly store: Pick<Store, 'keys'>; readonly platform: Pick<Platform, 'now'> },
): Promise<Principal> {
  if (!isKey) return { kind: 'api', id, name, userId, workspaceId };
  const record = await store.keys.get(id);
  const isOver = record?.expiresAt != null && Date.parse(record.expiresAt) <= platform.now();
  if (record === undefined || record.disabled || isOver) {
    throw new GatewayError('conflict', `The key "${name}", as which the calls are made, is gone, disabled or expired`);
  }
  return toKeyPrincipal(record);
}
