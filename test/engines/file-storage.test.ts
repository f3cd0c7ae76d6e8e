import type { FileStorage } from '@model-gateway/core';
import { createPostgresStore, type PostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { missingPostgres, openDatabase } from './support/engines.ts';

const HOUR_MS = 60 * 60 * 1000;

async function openStores(count: number): Promise<PostgresStore[]> {
  const url = await openDatabase();
  const stores: PostgresStore[] = [];
  for (let at = 0; at < count; at += 1) {
    const store = await createPostgresStore({ url });
    onTestFinished(() => store.close());
    stores.push(store);
  }
  return stores;
}

async function* piecesOf(bytes: Buffer, size: number, end?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  if (end !== undefined) throw end;
}

async function bytesOf(storage: FileStorage, name: string): Promise<Buffer | undefined> {
  const content = await storage.find(name);
  if (content === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test.skipIf(missingPostgres)('a file that one instance stores is read by another, byte for byte', async () => {
  const [one, other] = (await openStores(2)) as [PostgresStore, PostgresStore];
  const bytes = Buffer.from(Array.from({ length: 3_000_001 }, (_, at) => (at * 7919) & 255));
  for (const size of [100_000, 524_288, bytes.length]) {
    const saved = await one.fileStorage.save(piecesOf(bytes, size));
    expect(saved.bytes).toBe(bytes.length);
    expect((await bytesOf(other.fileStorage, saved.name))?.equals(bytes)).toBe(true);
  }
});

test.skipIf(missingPostgres)(
  'a file that breaks off is none, and what nothing refers to goes once it is old',
  async () => {
    const [{ fileStorage }] = (await openStores(1)) as [PostgresStore];
    const bytes = Buffer.alloc(700_000, 1);
    await expect(fileStorage.save(piecesOf(bytes, 600_000, new Error('broken off')))).rejects.toThrow('broken off');
    const used = await fileStorage.save(piecesOf(bytes, 1000));
    const unused = await fileStorage.save(piecesOf(bytes, 1000));
    const findUsed = async (): Promise<ReadonlySet<string>> => new Set([used.name]);
    await fileStorage.sweep(findUsed, Date.now() - HOUR_MS);
    expect(await bytesOf(fileStorage, unused.name)).toEqual(bytes);
    await fileStorage.sweep(findUsed, Date.now() + HOUR_MS);
    expect(await bytesOf(fileStorage, unused.name)).toBeUndefined();
    expect(await bytesOf(fileStorage, used.name)).toEqual(bytes);
  },
);
