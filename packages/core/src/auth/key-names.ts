import type { Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { BootstrapKey } from './bootstrap-key.ts';
import { createConfiguredKeys } from './configured-keys.ts';

/** Names of keys by their hashes; of keys that are gone there is none. */
export type FindKeyNames = (hashes: ReadonlySet<string>) => Promise<Record<string, string>>;

export function createFindKeyNames(
  bootstrapKeys: readonly BootstrapKey[],
  { platform, store }: { readonly platform: Pick<Platform, 'sha256'>; readonly store: Pick<Store, 'keys'> },
): FindKeyNames {
  const configuredKeys = createConfiguredKeys(bootstrapKeys, platform);
  return async (hashes) => {
    const configured = await configuredKeys();
    const names: Record<string, string> = {};
    for (const hash of hashes) {
      const name = configured.get(hash)?.name ?? (await store.keys.get(hash))?.name;
      if (name !== undefined) names[hash] = name;
    }
    return names;
  };
}
