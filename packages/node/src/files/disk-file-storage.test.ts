import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FileStorage } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createDiskFileStorage } from './disk-file-storage.ts';

let dir: string;
let now = Date.now();
beforeEach(async () => {
  now = Date.now();
  dir = await mkdtemp(join(tmpdir(), 'gateway-files-'));
});
afterEach(() => rm(dir, { recursive: true }));

const open = (): Promise<FileStorage> => createDiskFileStorage({ dir, now: () => now });

async function* piecesOf(text: string, end?: Error): AsyncGenerator<Uint8Array> {
  for (const letter of text) yield Buffer.from(letter);
  if (end !== undefined) throw end;
}

async function textOf(storage: FileStorage, name: string): Promise<string | undefined> {
  const content = await storage.find(name);
  if (content === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const NONE = async (): Promise<ReadonlySet<string>> => new Set();

test('equal contents are one file of the owner alone, called by its hash, and found again after a restart', async () => {
  const storage = await open();
  const [one, other] = await Promise.all([storage.save(piecesOf('abc')), storage.save(piecesOf('abc'))]);
  expect(one).toEqual({ name: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', bytes: 3 });
  expect(other).toEqual(one);
  expect(await readdir(dir)).toEqual([one.name]);
  expect((await stat(join(dir, one.name))).mode & 0o777).toBe(0o600);
  expect(await textOf(await open(), one.name)).toBe('abc');
  for (const name of ['0'.repeat(64), '../secrets.key', '']) expect(await storage.find(name)).toBeUndefined();
});

test('a content that breaks off leaves nothing, and neither does one of a killed process', async () => {
  const storage = await open();
  await expect(storage.save(piecesOf('abc', new Error('broken off')))).rejects.toThrow('broken off');
  await writeFile(join(dir, 'x.0123456789ab.gateway-tmp'), 'half');
  await open();
  expect(await readdir(dir)).toEqual([]);
});

test('what is in no use is removed once it is old, and what is in use stays', async () => {
  const storage = await open();
  const used = await storage.save(piecesOf('used'));
  const unused = await storage.save(piecesOf('unused'));
  now += 1000;
  const young = await storage.save(piecesOf('young'));
  await storage.sweep(async () => new Set([used.name]), now - 500);
  expect((await readdir(dir)).toSorted()).toEqual([used.name, young.name].toSorted());
  expect(await textOf(storage, unused.name)).toBeUndefined();
});

test('an upload loses nothing to the removal of an equal content that was deleted before', async () => {
  const storage = await open();
  const { name } = await storage.save(piecesOf('again'));
  now += 2000;
  const findUsed = async (): Promise<ReadonlySet<string>> => {
    // It comes after the old contents were looked at.
    await storage.save(piecesOf('again'));
    return NONE();
  };
  await storage.sweep(findUsed, now - 1000);
  expect(await textOf(storage, name)).toBe('again');
  now += 2000;
  await Promise.all([storage.sweep(NONE, now - 1000), storage.save(piecesOf('again'))]);
  expect(await textOf(storage, name)).toBe('again');
});
