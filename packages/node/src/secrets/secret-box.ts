import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';

import type { SecretBox } from '@model-gateway/core';

import { readWholeFile, replaceFile } from '../stores/files/atomic-file.ts';
import { errorCode, ifThere, nodeFileSystem } from '../stores/files/file-system.ts';

/** A key that cannot be used, or a text that cannot be opened. The message can be shown; it holds neither. */
export class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

export interface SecretBoxOptions {
  /** 32 bytes in base64 or hex: the value of `GATEWAY_SECRETS_KEY`. Blank is the same as none. */
  readonly environmentKey?: string | undefined;
  /**
   * The data directory, where `secrets.key` is made when something is first sealed without a key of the environment. This
   * process owns it. Null: the key lives and ends with this process.
   */
  readonly dir: string | null;
}

const VARIABLE = 'GATEWAY_SECRETS_KEY';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OWNER_ONLY = 0o600;

/** Makes the box that seals with AES-256-GCM (docs/decisions/0035). Throws `SecretsKeyError` for an unusable variable. */
export function openSecretBox({ environmentKey = '', dir }: SecretBoxOptions): SecretBox {
  const { source, read, make } = environmentKey.trim() === '' ? keyBeside(dir) : keyOfEnvironment(environmentKey);
  return {
    async seal(text, context) {
      const key = (await read()) ?? (await make());
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(toAssociatedData(context));
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', fingerprintOf(key), nonce.toString('base64url'), bytes.toString('base64url')].join('.');
    },
    async open(sealed, context) {
      const key = await read();
      if (key === undefined) throw new SecretsKeyError(`${VARIABLE} is not set, and there is no ${source}`);
      const [version, fingerprint = '', nonce = '', bytes = ''] = sealed.split('.');
      const own = fingerprintOf(key);
      if (version === 'v1' && /^[0-9a-f]{8}$/.test(fingerprint) && fingerprint !== own) {
        throw new SecretsKeyError(`it was sealed with another key (${fingerprint}) than the one of ${source} (${own})`);
      }
      return decrypt(key, { nonce, bytes, context, isWhole: ['v1', own, nonce, bytes].join('.') === sealed });
    },
  };
}

interface Sealed {
  readonly nonce: string;
  readonly bytes: string;
  readonly context: string;
  readonly isWhole: boolean;
}

function decrypt(key: Buffer, { nonce, bytes, context, isWhole }: Sealed): string {
  const sealed = Buffer.from(bytes, 'base64url');
  const iv = Buffer.from(nonce, 'base64url');
  // Decoding is tolerant, so that other texts could stand for the same bytes.
  const isExact = isWhole && sealed.toString('base64url') === bytes && iv.toString('base64url') === nonce;
  try {
    if (!isExact || iv.length !== NONCE_BYTES || sealed.length < TAG_BYTES) throw new RangeError('not of this form');
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(toAssociatedData(context));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SecretsKeyError('it was changed, or belongs to something else', { cause });
  }
}

const toAssociatedData = (context: string): Buffer => Buffer.from(`model-gateway secret v1 ${context}`);

/** Tells keys apart without telling anything of them. */
const fingerprintOf = (key: Buffer): string =>
  createHash('sha256').update('model-gateway key ').update(key).digest('hex').slice(0, 8);

interface KeySource {
  /** Says where the key is from, in messages. */
  readonly source: string;
  /** Undefined when there is none yet. */
  read(): Promise<Buffer | undefined>;
  make(): Promise<Buffer>;
}

function keyOfEnvironment(text: string): KeySource {
  const key = parseKey(text);
  if (key === undefined) {
    throw new SecretsKeyError(
      `${VARIABLE} must be 32 random bytes in base64 or hex, as \`openssl rand -base64 32\` prints them`,
    );
  }
  return { source: VARIABLE, read: () => Promise.resolve(key), make: () => Promise.resolve(key) };
}

function keyBeside(dir: string | null): KeySource {
  const path = dir === null ? null : join(dir, 'secrets.key');
  let key: Buffer | undefined;
  let making: Promise<Buffer> | undefined;
  const make = async (): Promise<Buffer> => {
    const made = randomBytes(KEY_BYTES);
    // Files are made closed to other users, synced, and take their name when they are whole.
    if (path !== null) await replaceFile(nodeFileSystem, path, Buffer.from(`${made.toString('hex')}\n`));
    return (key = made);
  };
  return {
    source: path ?? 'key of this process',
    read: async () => (key ??= path === null ? undefined : await readKeyFile(path)),
    make: () => (making ??= make().finally(() => (making = undefined))),
  };
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const bytes = await ifThere(readWholeFile(nodeFileSystem, path)).catch((cause: unknown) => {
    throw new SecretsKeyError(`${path} cannot be read (${errorCode(cause) ?? 'unknown error'})`, { cause });
  });
  if (bytes === undefined) return undefined;
  const key = parseKey(bytes.toString('latin1'));
  if (key === undefined) {
    throw new SecretsKeyError(
      `${path} holds no key; restore it from a backup, or move it away and give the keys again`,
    );
  }
  if (process.platform !== 'win32') await chmod(path, OWNER_ONLY);
  return key;
}

function parseKey(text: string): Buffer | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed);
  return isBase64 ? Buffer.from(trimmed, 'base64') : undefined;
}
