import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../test/support/stores/faulty-file-system.ts';
import { append, DAY_MS, useJsonFilePlace } from '../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

const FULL = { code: 'ENOSPC', writtenBytes: 40 };

/** Every file and folder below the directory of the store. */
const listAll = async (dir = place.dir): Promise<readonly string[]> =>
  (await readdir(dir, { recursive: true })).toSorted();

/** How many calls that can fail an opening makes. */
async function countCalls(): Promise<number> {
  place.files = createFaultyFileSystem();
  await (await place.open()).close();
  return place.files.calls;
}

test('whichever call finds the disk full, a start in a new directory says so and leaves nothing of it', async () => {
  const calls = await countCalls();
  let failed = 0;
  for (let nth = 1; nth <= calls; nth += 1) {
    place.dir = join(place.root, `${nth}`, 'data');
    place.files = createFaultyFileSystem();
    place.files.failFrom(nth, FULL);
    const refusal = await place.open().catch((error: unknown) => error);
    place.files.heal();
    if (!(refusal instanceof Error)) continue;
    failed += 1;
    expect(refusal.message).toMatch(/^Cannot use the data directory .*: the disk is full; .* \[ENOSPC\]$/);
    expect(await readdir(place.root), `call ${nth}`).not.toContain(`${nth}`);
  }
  expect(failed).toBeGreaterThan(5);
});

test('a directory that was there and empty stays, and is empty again', async () => {
  await mkdir(place.dir);
  place.files.failAll('write', FULL);
  await expect(place.open()).rejects.toThrow(/the disk is full/);
  expect(await listAll()).toEqual([]);
});

test('whichever call finds the disk full, a start on stored generations leaves them as they were', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.close();
  const before = await listAll();
  // The files of the new day are to be made.
  place.nowMs += DAY_MS;
  for (let nth = 1; ; nth += 1) {
    place.files = createFaultyFileSystem();
    place.files.failNth(nth, FULL, 'write');
    const opened = await place.open().catch((error: unknown) => error);
    place.files.heal();
    if (!(opened instanceof Error)) break;
    expect(await listAll(), `write ${nth}`).toEqual(before);
  }
  // What the clock of retention cannot store is no reason to refuse the start.
  expect(new Set(place.warnings)).toEqual(new Set(['The time could not be stored']));
});

/** Counts the descriptors that are open. */
function countOpen(): () => number {
  const { files } = place;
  const { open } = files;
  const closed = files.names.filter((name) => name === 'close').length;
  let opened = 0;
  files.open = async (path, flags) => {
    const file = await open(path, flags);
    opened += 1;
    return file;
  };
  return () => opened + closed - files.names.filter((name) => name === 'close').length;
}

test('a start that fails late closes every file that it has opened', async () => {
  await mkdir(join(place.dir, 'broadcasts.ndjson'), { recursive: true });
  const openFiles = countOpen();
  await expect(place.open()).rejects.toThrow(/^Cannot use the data directory/);
  expect(place.files.names).toContain('close');
  expect(openFiles()).toBe(0);
});

test('a store that is closed twice closes each of its files once', async () => {
  const openFiles = countOpen();
  const store = await place.open();
  await append(store, 'gen-1');
  expect(openFiles()).toBeGreaterThan(3);
  await Promise.all([store.close(), store.close()]);
  await store.close();
  expect(openFiles()).toBe(0);
});

test('a file that cannot be synced at the end leaves none of the others open', async () => {
  const openFiles = countOpen();
  const store = await place.open();
  await append(store, 'gen-1');
  place.files.failAll('sync', { code: 'EIO' });
  await expect(store.close()).rejects.toThrow('EIO');
  expect(openFiles()).toBe(0);
});
test('what former starts have left half written is swept', async () => {
  await (await place.open()).close();
  const before = await listAll();
  const leftovers = [
    'owner.json.4711.tmp',
    '.scratch-0b0e7a52-7a0f-4f0e-8a53-0d5a9c1f6a11',
    'config.json.0123456789ab.gateway-tmp',
  ];
  for (const name of leftovers) await writeFile(join(place.dir, name), 'half');
  await writeFile(join(place.dir, 'owner.json.tmp'), 'not ours');
  await (await place.open()).close();
  expect(await listAll()).toEqual([...before, 'owner.json.tmp'].toSorted());
});
