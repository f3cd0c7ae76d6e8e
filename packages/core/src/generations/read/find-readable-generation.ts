import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Principal, RequestContext } from '../../http/request.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';

export type ReadableStore = Pick<Store, 'generations' | 'keys'>;

/**
 * Finds a generation for the key that made the call, for another key of the same owner, or for management. For every
 * other caller it does not exist: throws `not_found` (docs/decisions/0008).
 */
export async function findReadableGeneration(
  id: string,
  { principal, parts }: Pick<RequestContext<{ readonly store: ReadableStore }>, 'principal' | 'parts'>,
): Promise<GenerationRecord> {
  const { generations } = parts.store;
  const record = (await generations.get(id)) ?? (await generations.getLate?.(id));
  const isReadable = record !== undefined && (await mayRead(principal, record, parts.store));
  if (!isReadable) throw new GatewayError('not_found', `There is no generation ${id.slice(0, 100)}`);
  return record;
}

async function mayRead(
  principal: Principal,
  { principalId }: GenerationRecord,
  store: ReadableStore,
): Promise<boolean> {
  if (principal.kind === 'management' || principalId === principal.id) return true;
  const key = await store.keys.get(principalId);
  return (
    key !== undefined &&
    key.workspaceId === (principal.workspaceId ?? DEFAULT_WORKSPACE_ID) &&
    (key.creatorUserId ?? null) === (principal.userId ?? null) &&
    (key.externalUser ?? null) === (principal.externalUser ?? null)
  );
}
