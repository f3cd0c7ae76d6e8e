import { safeStorage } from 'electron';

import type { SettingsFile } from './settings-file.ts';

/** The user's provider keys, sealed by the machine's keyring where it has one. */
export interface ProviderKeys {
  readonly storage: 'keyring' | 'plain' | 'none';
  names(): string[];
  /** All keys by the names of their environment variables, without those that cannot be unsealed any more. */
  open(): Promise<Record<string, string>>;
  /** Throws when nothing can be sealed. */
  save(name: string, key: string): Promise<void>;
  remove(name: string): void;
}

/** The asynchronous forms came later than the oldest runtime we run on. */
interface AsyncSafeStorage {
  encryptStringAsync?(text: string): Promise<Buffer>;
  decryptStringAsync?(sealed: Buffer): Promise<{ readonly result: string } | string>;
}

/** Must be called once the app is ready: before that, a keyring cannot be reached. */
export function createProviderKeys(file: SettingsFile): ProviderKeys {
  const storage = findStorage();
  // Better sealed with a key that is no secret than nowhere to be found; the window says which it is.
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
      if (storage === 'none') throw new Error('This machine offers no way to keep a key');
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
