import type { KeyRecord, KeyRepository } from '@model-gateway/core';
import type { ConfigFile } from './config-file.ts';

/** Keeps issued keys in the configuration file. Reading one is a look-up in memory: every request does it. */
export function createKeyTable(config: ConfigFile): KeyRepository {
  let byHash = toMap(config.data.keys);

  const changeOne = async (hash: string, edit: (key: KeyRecord) => readonly KeyRecord[]): Promise<boolean> => {
    let isFound = false;
    await config.change((data) => {
      isFound = data.keys.some((key) => key.hash === hash);
      return isFound ? { ...data, keys: data.keys.flatMap((key) => (key.hash === hash ? edit(key) : [key])) } : data;
    });
    byHash = toMap(config.data.keys);
    return isFound;
  };

  return {
    get: (hash) => byHash.get(hash),
    list: () => [...byHash.values()],
    async insert(key) {
      await config.change((data) => {
        if (data.keys.some((other) => other.hash === key.hash)) throw new Error(`A key with hash ${key.hash} exists`);
        return { ...data, keys: [...data.keys, key] };
      });
      byHash = toMap(config.data.keys);
    },
    update: (key) => changeOne(key.hash, () => [key]),
    remove: (hash) => changeOne(hash, () => []),
  };
}

function toMap(keys: readonly KeyRecord[]): Map<string, KeyRecord> {
  return new Map(keys.map((key) => [key.hash, key]));
}
