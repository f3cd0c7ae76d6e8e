import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';

/**
 * Whether a generation belongs to this destination by its workspace, key and region. Cheap, because it runs once for
 * every call.
 */
export type DestinationFilter = (record: GenerationRecord) => boolean;

export function createDestinationFilter(destination: Destination): DestinationFilter {
  const hashes = destination.api_key_hashes && new Set(destination.api_key_hashes);
  return ({ generation, principalId }) => {
    if ((generation.workspace_id ?? DEFAULT_WORKSPACE_ID) !== destination.workspace_id) return false;
    if (hashes !== null && !hashes.has(principalId)) return false;
    return destination.regions.includes(generation.data_region);
  };
}

/**
 * Whether a generation is in the sample. Decided by its session, or by its own id where it has none, so that a session
 * is in or out as a whole; another destination decides differently.
 */
export async function isSampled(
  { id, sampling_rate: rate }: Pick<Destination, 'id' | 'sampling_rate'>,
  { generation }: GenerationRecord,
  platform: Pick<Platform, 'sha256'>,
): Promise<boolean> {
  if (rate >= 1) return true;
  const hash = await platform.sha256(`${id}:${generation.session_id ?? generation.id}`);
  return parseInt(hash.slice(0, 8), 16) / 2 ** 32 < rate;
}
