import { once } from '../foundation/awaitable.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BootstrapKey } from './bootstrap-key.ts';

/** A key of the configuration as it may be shown: without the key itself, and without parts of it, which may be short. */
export type ConfiguredKey = Pick<BootstrapKey, 'kind' | 'name'>;

/** The keys of the configuration by their hashes, in its order. */
export type ConfiguredKeys = () => Promise<ReadonlyMap<string, ConfiguredKey>>;

/** Creates the look-up. The keys are hashed when they are first asked for; once, where requests can share promises. */
export function createConfiguredKeys(
  bootstrapKeys: readonly BootstrapKey[],
  platform: Pick<Platform, 'sha256' | 'isPerRequest'>,
): ConfiguredKeys {
  const hashAll = async (): Promise<ReadonlyMap<string, ConfiguredKey>> =>
    new Map(
      await Promise.all(
        bootstrapKeys.map(async ({ key, kind, name }) => [await platform.sha256(key), { kind, name }] as const),
      ),
    );
  if (platform.isPerRequest === true) return hashAll;
  return once(hashAll);
}
