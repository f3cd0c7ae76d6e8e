import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { readWholeFile, replaceFile, setAside, sweepTemporaryFiles, temporaryPath } from './atomic-file.ts';
import { nodeFileSystem } from './file-system.ts';

const OLD = Buffer.from('old content');
const NEW = Buffer.from('new content, somewhat longer');

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-atomic-'));
  path = join(dir, 'config.json');
});
afterEach(() => rm(dir, { recursive: true }));

test('replaces a file, keeps the one before, and leaves nothing else behind', async () => {
  const previousPath = join(dir, 'config.previous.json');
  await replaceFile(nodeFileSystem, path, OLD, { previousPath });
  expect(await readdir(dir)).toEqual(['config.json']);
  await replaceFile(nodeFileSystem, path, NEW, { previousPath });
  expect(await readFile(path)).toEqual(NEW);
  expect(await readFile(previousPath)).toEqual(OLD);
  expect((await readdir(dir)).toSorted()).toEqual(['config.json', 'config.previous.json']);
});

test('creates files that only their owner can read', async () => {
  await replaceFile(nodeFileSystem, path, NEW);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('syncs the file before it gets its name, and the directory after', async () => {
  const files = createFaultyFileSystem();
  await replaceFile(files, path, NEW);
  expect(files.names).toEqual(['open', 'write', 'sync', 'close', 'rename', 'open', 'sync', 'close']);
});

test('writes all of a file when the system takes only a few bytes at a time', async () => {
  const files = createFaultyFileSystem();
  files.failAll('write', { writtenBytes: 3 });
  await replaceFile(files, path, NEW);
  expect(await readFile(path)).toEqual(NEW);
});

test.each(['EIO', 'ENOSPC', 'EMFILE', 'EACCES'])(
  'whichever call fails with %s, the file is old or new',
  async (code) => {
    const counting = createFaultyFileSystem();
    const previousPath = join(dir, 'config.previous.json');
    await replaceFile(nodeFileSystem, path, OLD);
    await replaceFile(counting, path, OLD, { previousPath });

    for (let nth = 1; nth <= counting.calls; nth += 1) {
      const files = createFaultyFileSystem();
      files.failNth(nth, { code, writtenBytes: 4 });
      await expect(replaceFile(files, path, NEW, { previousPath }), `call ${nth}`).rejects.toThrow(code);
      const found = await readFile(path);
      expect([OLD.toString(), NEW.toString()], `call ${nth}`).toContain(found.toString());
      // Nothing is left lying about, and once the trouble is over the next attempt succeeds.
      expect((await readdir(dir)).toSorted(), `call ${nth}`).toEqual(['config.json', 'config.previous.json']);
      await replaceFile(nodeFileSystem, path, OLD);
    }
  },
);

test('rejects a file that arrived shorter than it was written', async () => {
  const files = { ...nodeFileSystem, write: async (_fd: number, _b: Uint8Array, _o: number, length: number) => length };
  await writeFile(path, OLD);
  await expect(replaceFile(files, path, NEW)).rejects.toThrow(/Only 0 of 28 bytes/);
  expect(await readFile(path)).toEqual(OLD);
  expect(await readdir(dir)).toEqual(['config.json']);
});

test('copies where the file system knows no hard links', async () => {
  const files = createFaultyFileSystem();
  const previousPath = join(dir, 'config.previous.json');
  await writeFile(path, OLD);
  files.failAll('link', { code: 'EPERM' });
  await replaceFile(files, path, NEW, { previousPath });
  expect(await readFile(previousPath)).toEqual(OLD);
  expect(await readFile(path)).toEqual(NEW);
});

test('a file that is set aside keeps its own name until another takes it', async () => {
  await writeFile(path, OLD);
  const kept = await setAside(nodeFileSystem, path, Date.parse('2026-03-01T10:00:00Z'));
  expect(kept).toBe(`${path}.corrupt-2026-03-01T10-00-00-000Z`);
  expect(await readFile(kept)).toEqual(OLD);
  expect(await readFile(path)).toEqual(OLD);
});

test('removes its own temporary files and no others', async () => {
  await writeFile(temporaryPath(path), 'left by a crash');
  for (const name of ['config.json', 'notes.tmp', 'x.gateway-tmp']) await writeFile(join(dir, name), 'mine');
  await sweepTemporaryFiles(nodeFileSystem, dir);
  expect((await readdir(dir)).toSorted()).toEqual(['config.json', 'notes.tmp', 'x.gateway-tmp']);
});

test('does not read through a symbolic link', async () => {
  await writeFile(join(dir, 'secret'), 'secret');
  await symlink(join(dir, 'secret'), path);
  await expect(readWholeFile(nodeFileSystem, path)).rejects.toThrow(/ELOOP/);
});

test('replaces a symbolic link instead of writing through it', async () => {
  await writeFile(join(dir, 'victim'), OLD);
  await symlink(join(dir, 'victim'), path);
  await replaceFile(nodeFileSystem, path, NEW);
  expect(await readFile(join(dir, 'victim'))).toEqual(OLD);
  expect(await readFile(path)).toEqual(NEW);
});
