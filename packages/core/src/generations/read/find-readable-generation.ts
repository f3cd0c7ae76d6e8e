import { GatewayError } from '../../foundation/errors.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';

/**
 * Finds a generation for the key that made the call or for management. For every other caller it does not exist: throws
 * `not_found` (docs/decisions/0008).
 */
export async function findReadableGeneration(
  id: string,
  { principal, parts }: Pick<RequestContext<{ readonly store: Pick<Store, 'generations'> }>, 'principal' | 'parts'>,
): Promise<GenerationRecord> {
  const record = await parts.store.generations.get(id);
  const isReadable = record !== undefined && (principal.kind === 'management' || record.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no generation ${id.slice(0, 100)}`);
  return record;
}
