import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FileStorage } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { openSecretBox } from '../secrets/secret-box.ts';
import { createDiskFileStorage } from './disk-file-storage.ts';
import { createSealedFileStorage } from './sealed-file-storage.ts';

const KEY = 'a'.repeat(64);
const PIECE = 64 * 1024;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-sealed-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function open({ key = KEY, isSealing = true } = {}): Promise<FileStorage> {
  const storage = await createDiskFileStorage({ dir, now: () => 0 });
  return createSealedFileStorage({ storage, box: openSecretBox({ environmentKey: key, dir: null }), isSealing });
}

/** In pieces of one memory, which is used again. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(memory, 0, at, at + size);
    yield memory.subarray(0, length);
  }
}

async function read(storage: FileStorage, name: string): Promise<{ bytes: number; content: Buffer }> {
  const found = await storage.find(name);
  if (found === undefined) throw new Error(`There is no content ${name}`);
  const pieces: Buffer[] = [];
  for await (const piece of found.read()) pieces.push(Buffer.from(piece));
  return { bytes: found.bytes, content: Buffer.concat(pieces) };
}

const toBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7) % 251));

test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5])(
  'a content of %d bytes is read as it came, whole and by its length, in whatever pieces it came',
  async (length) => {
    const content = toBytes(length);
    const storage = await open();
    for (const size of [997, PIECE, Math.max(length, 1)]) {
      const saved = await storage.save(inPieces(content, size));
      expect(saved.bytes).toBe(length);
      expect(await read(await open(), saved.name)).toEqual({ bytes: length, content });
    }
  },
);

test('nothing of a content is on the disk, and equal contents are different there', async () => {
  const content = Buffer.from('CANARY '.repeat(20_000));
  const storage = await open();
  await storage.save(inPieces(content, 1000));
  await storage.save(inPieces(content, 1000));
  const names = await readdir(dir);
  expect(names).toHaveLength(2);
  for (const name of names) expect((await readFile(join(dir, name))).includes('CANARY')).toBe(false);
});

test('a content that was changed, cut at any place or put together anew is not read to its end', async () => {
  const storage = await open();
  const { name } = await storage.save(inPieces(toBytes(3 * PIECE), PIECE));
  const path = join(dir, name.slice('sealed-'.length));
  const whole = await readFile(path);
  const sealed = PIECE + 16;
  const head = whole.subarray(0, 512);
  const [first, second, third] = [0, 1, 2].map((at) => whole.subarray(512 + at * sealed, 512 + (at + 1) * sealed));
  const flipped = Buffer.from(whole);
  flipped[600] = (flipped[600] ?? 0) ^ 1;
  const wrong = [
    flipped,
    whole.subarray(0, -1),
    // At the ends of pieces.
    whole.subarray(0, 512 + 2 * sealed),
    whole.subarray(0, 512),
    whole.subarray(0, 100),
    Buffer.concat([head, second ?? head, first ?? head, third ?? head]),
    Buffer.concat([whole, third ?? head]),
  ];
  for (const bytes of wrong) {
    await writeFile(path, bytes);
    await expect(read(storage, name)).rejects.toThrow(/unable to authenticate|too short/);
  }
  await writeFile(path, whole);
  await expect(read(await open({ key: 'b'.repeat(64) }), name)).rejects.toThrow('sealed with another key');
  expect((await read(storage, name)).bytes).toBe(3 * PIECE);
});

test('contents from before the switch are read after it, and the other way round', async () => {
  const plain = await (await open({ isSealing: false })).save(inPieces(Buffer.from('plain'), 2));
  const sealed = await (await open()).save(inPieces(Buffer.from('sealed'), 2));
  for (const isSealing of [true, false]) {
    const storage = await open({ isSealing });
    expect((await read(storage, plain.name)).content.toString()).toBe('plain');
    expect((await read(storage, sealed.name)).content.toString()).toBe('sealed');
    expect(await storage.find('sealed-none')).toBeUndefined();
  }
});

test('sealed contents in use stay when old ones are removed', async () => {
  const storage = await open();
  const used = await storage.save(inPieces(Buffer.from('used'), 4));
  const unused = await storage.save(inPieces(Buffer.from('unused'), 4));
  await storage.sweep(async () => new Set([used.name]), Date.now());
  expect((await read(storage, used.name)).content.toString()).toBe('used');
  expect(await storage.find(unused.name)).toBeUndefined();
});
