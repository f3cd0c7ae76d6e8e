import type { Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { BootstrapKey } from './bootstrap-key.ts';

/** Names of keys by their hashes; of keys that are gone there is none. */
export type FindKeyNames = (hashes: ReadonlySet<string>) => Promise<Record<string, string>>;

export function createFindKeyNames(
  bootstrapKeys: readonly BootstrapKey[],
  { platform, store }: { readonly platform: Pick<Platform, 'sha256'>; readonly store: Pick<Store, 'keys'> },
): FindKeyNames {
  let configured: ReadonlyMap<string, string> | undefined;
  const hashAll = async (): Promise<ReadonlyMap<string, string>> =>
    new Map(await Promise.all(bootstrapKeys.map(async ({ key, name }) => [await platform.sha256(key), name] as const)));
  return async (hashes) => {
    configured ??= await hashAll();
    const names: Record<string, string> = {};
    for (const hash of hashes) {
      const name = configured.get(hash) ?? (await store.keys.get(hash))?.name;
      if (name !== undefined) names[hash] = name;
    }
    return names;
  };
}
