import { safeStorage } from 'electron';

import { texts } from '../texts.ts';
import type { Sealer } from './sealing-key.ts';
import type { SettingsFile } from './settings-file.ts';

/** The user's provider keys, encrypted by the machine's keyring if it has one. */
export interface ProviderKeys {
  readonly storage: 'keyring' | 'plain' | 'none';
  names(): string[];
  /** All keys by the names of their environment variables, except those that cannot be decrypted any more. */
  open(): Promise<Record<string, string>>;
  /** Throws when encryption is not available. */
  save(name: string, key: string): Promise<void>;
  remove(name: string): void;
}

/** The asynchronous functions are newer than the oldest supported runtime. */
interface AsyncSafeStorage {
  encryptStringAsync?(text: string): Promise<Buffer>;
  decryptStringAsync?(sealed: Buffer): Promise<{ readonly result: string } | string>;
}

/** Must be called once the app is ready, because a keyring cannot be reached before. */
export function createProviderKeys(file: SettingsFile): ProviderKeys {
  const storage = findStorage();
  // Encrypting with a known key is better than none; the window says which one is used.
  if (storage === 'plain') safeStorage.setUsePlainTextEncryption(true);
  return {
    storage,
    names: () => Object.keys(file.sealedKeys).toSorted(),
    async open() {
      const opened: Record<string, string> = {};
      for (const [name, sealed] of Object.entries(file.sealedKeys)) {
        const key = await unseal(Buffer.from(sealed, 'base64')).catch(() => undefined);
        if (key !== undefined) opened[name] = key;
      }
      return opened;
    },
    async save(name, key) {
      if (storage === 'none') throw new Error(texts().data.noKeyStorage);
      const sealed = await seal(key);
      file.change({ sealedKeys: { ...file.sealedKeys, [name]: sealed.toString('base64') } });
    },
    remove(name) {
      const { [name]: _removed, ...sealedKeys } = file.sealedKeys;
      file.change({ sealedKeys });
    },
  };
}

function findStorage(): ProviderKeys['storage'] {
  const hasKeyring = safeStorage.isEncryptionAvailable();
  if (process.platform !== 'linux') return hasKeyring ? 'keyring' : 'none';
  return hasKeyring && safeStorage.getSelectedStorageBackend() !== 'basic_text' ? 'keyring' : 'plain';
}

/** The keyring as what seals the gateway's own key; null where it would be hidden from view alone. */
export function toKeyring(storage: ProviderKeys['storage']): Sealer | null {
  if (storage !== 'keyring') return null;
  return {
    seal: async (text) => (await seal(text)).toString('base64'),
    unseal: (sealed) => unseal(Buffer.from(sealed, 'base64')),
  };
}

async function seal(text: string): Promise<Buffer> {
  const { encryptStringAsync } = safeStorage as AsyncSafeStorage;
  return encryptStringAsync?.call(safeStorage, text) ?? safeStorage.encryptString(text);
}

async function unseal(sealed: Buffer): Promise<string> {
  const { decryptStringAsync } = safeStorage as AsyncSafeStorage;
  const opened = await decryptStringAsync?.call(safeStorage, sealed);
  if (opened === undefined) return safeStorage.decryptString(sealed);
  return typeof opened === 'string' ? opened : opened.result;
}
