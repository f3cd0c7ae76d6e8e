import { GatewayError } from '../foundation/errors.ts';
import type { Runtime } from '../runtime.ts';

/** Throws `permission_denied` where the host keeps the members: what were written here would have no effect. */
export function refuseForeignDirectory({ members, store }: Pick<Runtime, 'members' | 'store'>): void {
  if (members === store.members) return;
  throw new GatewayError('permission_denied', 'Members are kept by the host of this gateway; change them there');
}

export function noMember(id: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no member ${(id ?? '').slice(0, 100)}`);
}
