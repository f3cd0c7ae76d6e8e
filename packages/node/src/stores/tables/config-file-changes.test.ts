import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { toKey } from '../../../../../test/support/stores/generation-records.ts';
import { type FileSystem, nodeFileSystem } from '../files/file-system.ts';
import { type ConfigFile, openConfigFile } from './config-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-config-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = (files: FileSystem = nodeFileSystem): Promise<ConfigFile> =>
  openConfigFile({ files, directory, logger: undefined, now: Date.now });

const add = (config: ConfigFile, hash: string): Promise<void> =>
  config.change((data) => ({ ...data, keys: [...data.keys, toKey(hash)] }));
const refuse = (config: ConfigFile, message: string): Promise<void> =>
  config.change(() => {
    throw new Error(message);
  });
const hashes = (config: ConfigFile): string[] => config.data.keys.map(({ hash }) => hash);
const hashesIn = async (name: string): Promise<string[]> =>
  (JSON.parse(await readFile(join(directory, name), 'utf8')) as ConfigFile['data']).keys.map(({ hash }) => hash);

/** Opens the file on a file system that counts, from now on, how often `config.json` and its copy were replaced. */
async function openCounted() {
  const files = createFaultyFileSystem();
  const config = await open(files);
  await add(config, 'first');
  const count = (): number => files.names.filter((name) => name === 'rename').length;
  const before = count();
  await add(config, 'second');
  const renames = count() - before;
  const start = count();
  return { files, config, writes: () => (count() - start) / renames };
}

test('changes that are made at once are one write, in their order', async () => {
  const { config, writes } = await openCounted();
  await Promise.all(['c', 'a', 'b'].map((hash) => add(config, hash)));
  expect(writes()).toBe(1);
  expect(hashes(config)).toEqual(['first', 'second', 'c', 'a', 'b']);
  expect(await hashesIn('config.json')).toEqual(hashes(config));
  expect(await hashesIn('config.previous.json')).toEqual(['first', 'second']);
});

test('changes that come during a write are the next one, and each is durable when it resolves', async () => {
  const { config, writes } = await openCounted();
  const later: Promise<void>[] = [];
  const check = async (hash: string): Promise<void> => {
    await add(config, hash);
    expect(await hashesIn('config.json')).toContain(hash);
    expect(await hashesIn('config.copy.json')).toContain(hash);
  };
  await config.change((data) => {
    // Called when the write of this change begins.
    later.push(...['a', 'b', 'c'].map(check));
    return { ...data, keys: [...data.keys, toKey('during')] };
  });
  expect(hashes(config)).toEqual(['first', 'second', 'during']);
  await Promise.all(later);
  expect(writes()).toBe(2);
  expect(hashes(config)).toEqual(['first', 'second', 'during', 'a', 'b', 'c']);
});

test('a change that throws among others changes nothing and fails alone', async () => {
  const { config, writes } = await openCounted();
  const results = await Promise.allSettled([add(config, 'a'), refuse(config, 'not this one'), add(config, 'b')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: new Error('not this one') });
  expect(writes()).toBe(1);
  expect(await hashesIn('config.json')).toEqual(['first', 'second', 'a', 'b']);
});

test('nothing is written when every change throws, not even after a write that failed', async () => {
  const { files, config } = await openCounted();
  files.failNth(1, { code: 'ENOSPC' });
  await expect(add(config, 'a')).rejects.toThrow('ENOSPC');
  const calls = files.calls;
  const results = await Promise.allSettled([refuse(config, 'one'), refuse(config, 'two')]);
  expect(results).toMatchObject([{ reason: new Error('one') }, { reason: new Error('two') }]);
  expect(files.calls).toBe(calls);
});

test('a write that fails has made none of its changes, and the next one succeeds', async () => {
  const { files, config } = await openCounted();
  files.failNth(1, { code: 'ENOSPC', writtenBytes: 7 }, 'write');
  const results = await Promise.allSettled([add(config, 'a'), refuse(config, 'no'), add(config, 'b')]);
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { code: 'ENOSPC' } });
  expect(hashes(config)).toEqual(['first', 'second']);
  await add(config, 'c');
  expect(await hashesIn('config.json')).toEqual(['first', 'second', 'c']);
});

test('whichever call the writing of several changes ends at, the next start has all of them or none', async () => {
  const seen = new Set<string>();
  for (let nth = 1; !seen.has('acknowledged'); nth += 1) {
    await rm(directory, { recursive: true });
    await mkdir(directory);
    const { files, config } = await openCounted();
    files.failFrom(nth, { code: 'EIO', writtenBytes: 7 });
    const results = await Promise.allSettled(['a', 'b', 'c'].map((hash) => add(config, hash)));
    const kinds = new Set(results.map(({ status }) => status));
    expect(kinds.size, `call ${nth}`).toBe(1);
    const isAcknowledged = kinds.has('fulfilled');
    const found = hashes(await open())
      .slice(2)
      .join('');
    expect(isAcknowledged ? ['abc'] : ['', 'abc'], `call ${nth}`).toContain(found);
    seen.add(isAcknowledged ? 'acknowledged' : found);
  }
  // The file has its new name before the last calls, which make it durable.
  expect([...seen]).toEqual(['', 'abc', 'acknowledged']);
});

test('settled waits for changes that wait for a write', async () => {
  const config = await open();
  for (const hash of ['a', 'b']) void add(config, hash);
  await config.settled();
  expect(await hashesIn('config.json')).toEqual(['a', 'b']);
});
