import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What a keyring does with a text. */
export interface Sealer {
  seal(text: string): Promise<string>;
  /** Rejects for what it cannot open. */
  unseal(sealed: string): Promise<string>;
}

export interface SealingKeyOptions {
  /** The system's keyring; null where it has none that protects anything. */
  readonly keyring: Sealer | null;
  /** The key as the keyring has sealed it. */
  readonly kept: { read(): string | null; write(sealed: string): void };
  readonly dataDir: string;
}

const KEY = /^[0-9a-f]{64}$/i;

/**
 * Resolves with the key that seals what is set up, in hex, or with null where a file beside the data has to do. A key
 * that lay in such a file moves into the keyring, so what it has sealed stays readable.
 */
export async function openSealingKey({ keyring, kept, dataDir }: SealingKeyOptions): Promise<string | null> {
  if (keyring === null) return null;
  const sealed = kept.read();
  if (sealed !== null) return keyring.unseal(sealed).catch(() => null);
  const file = join(dataDir, 'secrets.key');
  const found = await readFile(file, 'latin1').then(
    (text) => text.trim(),
    () => null,
  );
  // A key in another form than this app writes stays where it is, and works as before.
  if (found !== null && !KEY.test(found)) return null;
  const key = found ?? randomBytes(32).toString('hex');
  try {
    const made = await keyring.seal(key);
    if ((await keyring.unseal(made)) !== key) return null;
    kept.write(made);
  } catch {
    return null;
  }
  if (found !== null) await rm(file, { force: true });
  return key;
}
