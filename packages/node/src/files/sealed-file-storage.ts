import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import type { FileStorage, SecretBox, StoredFileContent } from '@model-gateway/core';

export interface SealedFileStorageOptions {
  /** Where sealed contents are stored, and others that are there already. Owned by the caller. */
  readonly storage: FileStorage;
  /** Seals the key of each content. */
  readonly box: SecretBox;
  /** Whether new contents are sealed. Those that are sealed can be read either way. */
  readonly isSealing: boolean;
}

/** What names of sealed contents begin with here; the storage below does not know it. */
const PREFIX = 'sealed-';
const CONTEXT = 'file content';
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const PLAIN_BYTES = 64 * 1024;
const SEALED_BYTES = PLAIN_BYTES + TAG_BYTES;
/** The sealed key, and blanks up to this. */
const HEAD_BYTES = 512;

/**
 * Creates a storage that seals contents before another one stores them: each with a key of its own, which the box seals,
 * in pieces of 64 KiB by AES-256-GCM whose order and end are sealed, too. Equal contents do not share their room.
 */
export function createSealedFileStorage({ storage, box, isSealing }: SealedFileStorageOptions): FileStorage {
  return {
    async save(pieces) {
      if (!isSealing) return storage.save(pieces);
      const key = randomBytes(KEY_BYTES);
      const head = Buffer.alloc(HEAD_BYTES, ' ');
      const sealedKey = await box.seal(key.toString('base64'), CONTEXT);
      if (head.write(sealedKey) < sealedKey.length) throw new Error('The sealed key of a file is too long');
      let bytes = 0;
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of pieces) {
          bytes += piece.byteLength;
          yield piece;
        }
      };
      const { name } = await storage.save(seal(counted(), key, head));
      return { name: `${PREFIX}${name}`, bytes };
    },
    async find(name) {
      if (!name.startsWith(PREFIX)) return storage.find(name);
      const sealed = await storage.find(name.slice(PREFIX.length));
      return sealed && { bytes: plainBytesOf(sealed.bytes), read: () => open(sealed, box) };
    },
    sweep: (findUsed, savedBeforeMs) =>
      storage.sweep(
        async () =>
          new Set([...(await findUsed())].map((name) => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name))),
        savedBeforeMs,
      ),
  };
}

function plainBytesOf(bytes: number): number {
  const sealed = bytes - HEAD_BYTES;
  return sealed - Math.ceil(sealed / SEALED_BYTES) * TAG_BYTES;
}

/** Never the same twice with one key: the number of the piece, and whether it is the last. */
function toNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(index, 4);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

async function* seal(pieces: AsyncIterable<Uint8Array>, key: Buffer, head: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  let index = 0;
  const sealPiece = (plain: Uint8Array, isLast: boolean): Uint8Array => {
    const cipher = createCipheriv('aes-256-gcm', key, toNonce(index, isLast), { authTagLength: TAG_BYTES });
    index += 1;
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };
  // The last piece is known when there is no more, so that a full one waits for the next.
  const held = createPieces(PLAIN_BYTES);
  for await (const piece of pieces) for (const full of held.add(piece)) yield sealPiece(full, false);
  yield sealPiece(held.rest(), true);
}

async function* open(sealed: StoredFileContent, box: SecretBox): AsyncGenerator<Uint8Array> {
  const reader = sealed.read()[Symbol.asyncIterator]();
  try {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < HEAD_BYTES) {
      const next = await reader.next();
      if (next.done === true) throw new Error('The content of a sealed file is too short');
      head = Buffer.concat([head, next.value]);
    }
    const sealedKey = head.subarray(0, HEAD_BYTES).toString('latin1').trim();
    const key = Buffer.from(await box.open(sealedKey, CONTEXT), 'base64');
    let index = 0;
    const openPiece = (bytes: Uint8Array, isLast: boolean): Uint8Array => {
      const decipher = createDecipheriv('aes-256-gcm', key, toNonce(index, isLast), { authTagLength: TAG_BYTES });
      index += 1;
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    };
    const held = createPieces(SEALED_BYTES);
    for (const full of held.add(head.subarray(HEAD_BYTES))) yield openPiece(full, false);
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
      for (const full of held.add(next.value)) yield openPiece(full, false);
    }
    const rest = held.rest();
    if (rest.byteLength < TAG_BYTES) throw new Error('The content of a sealed file is too short');
    const last = openPiece(rest, true);
    if (last.byteLength > 0) yield last;
  } finally {
    await reader.return?.(undefined);
  }
}

/** Cuts what comes in into pieces of one size. A piece is given out once a byte after it is there. */
function createPieces(size: number) {
  let held: Uint8Array[] = [];
  let bytes = 0;
  return {
    *add(piece: Uint8Array): Generator<Uint8Array> {
      // A copy: the memory of a piece may be used again by whoever gave it.
      held.push(Buffer.from(piece));
      bytes += piece.byteLength;
      if (bytes <= size) return;
      const whole = Buffer.concat(held);
      let at = 0;
      for (; whole.length - at > size; at += size) yield whole.subarray(at, at + size);
      held = [whole.subarray(at)];
      bytes = whole.length - at;
    },
    rest: (): Uint8Array => Buffer.concat(held),
  };
}
