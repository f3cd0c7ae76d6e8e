import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';

/** For the key that made the call or for management. Throws `not_found` for other callers (docs/decisions/0008). */
export async function findReadableGeneration(
  id: string,
  { principal, parts }: Pick<RequestContext<{ readonly store: Pick<Store, 'generations'> }>, 'principal' | 'parts'>,
): Promise<GenerationRecord> {
  const record = await parts.store.generations.get(id);
  const isReadable = record !== undefined && (principal.kind === 'management' || record.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no generation ${id.slice(0, 100)}`);
  return record;
}
