import { GatewayError } from '../foundation/errors.ts';
import type { Repository, Store } from '../stores/store.ts';
import type { Member } from '../wire/keys.ts';

interface Directories {
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly store: Pick<Store, 'members'>;
}

/** Throws `permission_denied` where the host manages the members, because a change here would have no effect. */
export function refuseForeignDirectory({ members, store }: Directories): void {
  if (members === store.members) return;
  throw new GatewayError('permission_denied', 'Members are kept by the host of this gateway; change them there');
}

export function noMember(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no member ${(id ?? '').slice(0, 100)}`);
}

/** The members of the organization; their ids are those that principals and keys carry as `userId`. */
export type MemberDirectory = Pick<Repository<Member>, 'get' | 'list'>;
