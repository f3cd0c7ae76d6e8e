import { GatewayError } from '../foundation/errors.ts';
import type { KeyRecord, Store } from '../stores/store.ts';

/** A stored key by its hash. Throws `not_found`; keys of the configuration are not stored. */
export async function findKey(
  hash: string | undefined,
  { store }: { readonly store: Pick<Store, 'keys'> },
): Promise<KeyRecord> {
  const record = await store.keys.get(hash ?? '');
  if (record === undefined) throw noKey(hash);
  return record;
}

export function noKey(hash: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no key with the hash ${(hash ?? '').slice(0, 100)}`);
}
