import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger, Store } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFaultyFileSystem, type FaultyFileSystem } from '../../../../test/support/faulty-file-system.ts';
import { toContent, toKey, toRecord } from '../../../../test/support/generation-records.ts';
import { createManualTimers, type ManualTimers } from '../../../../test/support/manual-timers.ts';
import { type JsonFileStoreOptions, openJsonFileStore } from './json-file-store.ts';
import { toLine } from './record-line.ts';

let parent: string;
let dir: string;
let files: FaultyFileSystem;
let timers: ManualTimers;
let logged: string[];
let nowMs: number;
let stores: Store[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  dir = join(parent, 'data');
  files = createFaultyFileSystem();
  timers = createManualTimers();
  logged = [];
  nowMs = Date.parse('2026-03-01T10:00:00Z');
  stores = [];
});
afterEach(async () => {
  files.heal();
  for (const store of stores) await store.close().catch(() => undefined);
  await rm(parent, { recursive: true });
});

let onLog: (message: string) => void = () => undefined;
const log = (message: string): void => {
  logged.push(message);
  onLog(message);
};
/** The next message that is not merely information. */
const nextLog = (): Promise<string> => new Promise((resolve) => (onLog = resolve));
const logger: Logger = { info: () => undefined, warn: log, error: log };

async function open(options: Partial<JsonFileStoreOptions> = {}): Promise<Store> {
  const store = await openJsonFileStore(
    { dir, logger, now: () => nowMs, ...options },
    { files, setTimer: timers.setTimer },
  );
  stores.push(store);
  return store;
}

const logs = async (): Promise<string[]> => (await readdir(join(dir, 'logs'))).toSorted();
const ids = async (store: Store): Promise<string[]> =>
  (await store.generations.page({ limit: 1_000 })).records.map(({ generation }) => generation.id);

test('a directory is created for its owner alone, and so are its files', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dir, 'logs'))).mode & 0o777).toBe(0o700);
  expect(await logs()).toEqual(['content-2026-03-01.ndjson', 'generations-2026-03-01.ndjson']);
  for (const name of ['config.json', ...(await logs()).map((log) => join('logs', log))]) {
    expect((await stat(join(dir, name))).mode & 0o777, name).toBe(0o600);
  }
});

test('every line of a log is valid JSON, metadata apart from content', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('a secret'));
  const metadata = await readFile(join(dir, 'logs', 'generations-2026-03-01.ndjson'), 'utf8');
  const lines = metadata
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { record: { type: string } });
  expect(lines.map(({ record }) => record.type)).toEqual(['segment', 'generation']);
  expect(metadata).not.toContain('a secret');
});

test('what arrives while a write is under way goes out together in the next', async () => {
  const store = await open();
  const writesFor = async (count: number): Promise<number> => {
    const before = files.calls;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.generations.append(toRecord(`${count}-${index}`), toContent('x')),
      ),
    );
    return files.calls - before;
  };
  expect(await writesFor(1)).toBe(2);
  expect(await writesFor(200)).toBe(2);
});

test('a record is synced within a second of its acknowledgement, and only if there is one', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  const before = files.calls;
  timers.fire(1_000);
  await store.close();
  // Two syncs and two closes: nothing was left to be synced by closing.
  expect(files.calls - before).toBe(4);
});

test('writes that take a few bytes at a time lose nothing', async () => {
  const store = await open();
  files.failAll('write', { writtenBytes: 100 });
  await store.generations.append(toRecord('gen-1'), toContent('x'.repeat(2_000)));
  files.heal();
  await store.close();
  expect(await (await open()).generations.getContent('gen-1')).toEqual(toContent('x'.repeat(2_000)));
});

test.each([1, 2])('when write %d of a batch fails, all of it is refused, and the next batch is whole', async (nth) => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  files.failNth(nth, { code: 'ENOSPC', writtenBytes: 50 }, 'write');
  const refused = await Promise.allSettled([
    store.generations.append(toRecord('gen-2'), toContent('two')),
    store.generations.append(toRecord('gen-3'), toContent('three')),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await store.generations.get('gen-2')).toBeUndefined();
  expect(await store.generations.spentNanoUsd('key-1')).toBe(1_000);
  await store.generations.append(toRecord('gen-2'), toContent('two, again'));
  expect(await store.generations.getContent('gen-2')).toEqual(toContent('two, again'));
  await store.close();

  const reopened = await open();
  expect(await ids(reopened)).toEqual(['gen-2', 'gen-1']);
  expect(await reopened.generations.getContent('gen-2')).toEqual(toContent('two, again'));
  expect(logged).toEqual([]);
});

test('what was gathered behind a batch that fails is refused with it, and later batches are whole', async () => {
  const store = await open();
  files.failNth(1, { code: 'ENOSPC', writtenBytes: 50 }, 'write');
  const first = store.generations.append(toRecord('gen-1'), toContent('one'));
  // The first batch is being written when the second is begun.
  await new Promise((resolve) => setImmediate(resolve));
  const second = store.generations.append(toRecord('gen-2'), toContent('two'));
  const outcomes = await Promise.allSettled([first, second]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  for (const id of ['gen-3', 'gen-2', 'gen-1']) {
    await store.generations.append(toRecord(id), toContent(`again ${id}`));
    expect(await store.generations.getContent(id)).toEqual(toContent(`again ${id}`));
  }
  await store.close();
  const reopened = await open();
  expect(await ids(reopened)).toEqual(['gen-1', 'gen-2', 'gen-3']);
  expect(logged).toEqual([]);
});

test('a torn line that cannot be cut off at once is cut off before the next write', async () => {
  const store = await open();
  files.failAll('write', { code: 'ENOSPC', writtenBytes: 300 });
  files.failAll('truncate', { code: 'EIO' });
  await expect(store.generations.append(toRecord('gen-1'), toContent('x'.repeat(900)))).rejects.toThrow('ENOSPC');
  files.heal();
  files.failAll('truncate', { code: 'EIO' });
  await expect(store.generations.append(toRecord('gen-1'), toContent('short'))).rejects.toThrow('EIO');
  files.heal();
  await store.generations.append(toRecord('gen-1'), toContent('short'));
  await store.close();
  const reopened = await open();
  expect(await reopened.generations.getContent('gen-1')).toEqual(toContent('short'));
  expect(logged).toEqual([]);
});

test('while the disk is full every append is refused, reading goes on, and it recovers by itself', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  files.failAll('write', { code: 'ENOSPC' });
  for (const id of ['gen-2', 'gen-3']) {
    await expect(store.generations.append(toRecord(id), null)).rejects.toThrow('ENOSPC');
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('one'));
  }
  files.heal();
  await store.generations.append(toRecord('gen-4'), null);
  expect(await ids(store)).toEqual(['gen-4', 'gen-1']);
});

test('after a failed sync nothing is acknowledged until the disk has taken what it had lost', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  files.failAll('sync', { code: 'EIO' });
  const told = nextLog();
  timers.fire(1_000);
  expect(await told).toBe('The disk refused to keep generations; no more are accepted until it takes them');
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow('EIO');
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow('EIO');
  files.heal();
  const before = files.calls;
  await store.generations.append(toRecord('gen-2'), null);
  // Both files are written once more, not merely synced once more; the fifth call writes the new record.
  expect(files.calls - before).toBe(5);
  expect(await ids(store)).toEqual(['gen-2', 'gen-1']);
});

test('after a failed sync that did lose something nothing is acknowledged any more', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), null);
  files.failNth(1, { code: 'EIO' }, 'sync');
  const told = nextLog();
  timers.fire(1_000);
  await told;
  const path = join(dir, 'logs', 'generations-2026-03-01.ndjson');
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, bytes.length - 100));
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow(
    /has lost what was written after byte/,
  );
  await expect(store.close()).rejects.toThrow(/has lost what was written/);
});

test('nothing is accepted after close', async () => {
  const store = await open();
  await store.close();
  await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow('The store is closed');
});

test('a record that JSON cannot hold is refused without harm to others', async () => {
  const store = await open();
  const circular: unknown[] = [];
  circular.push(circular);
  const content = { ...toContent('x'), input: { messages: circular } };
  await expect(store.generations.append(toRecord('gen-1'), content)).rejects.toThrow(/circular/);
  await expect(store.generations.append(toRecord('gen-1', { costNanoUsd: 0.5 }), null)).rejects.toThrow(/safe integer/);
  await store.generations.append(toRecord('gen-1'), toContent('good'));
  expect(await store.generations.getContent('gen-1')).toEqual(toContent('good'));
});

/** Does a bit of everything; returns what was acknowledged, as a list of facts to find again. */
async function useStore(store: Store): Promise<readonly ((again: Store) => Promise<void>)[]> {
  const facts: ((again: Store) => Promise<void>)[] = [];
  const attempt = async (work: Promise<unknown>, fact: (again: Store) => Promise<void>): Promise<void> => {
    const [{ status }] = await Promise.allSettled([work]);
    if (status === 'fulfilled') facts.push(fact);
  };
  const { keys, generations } = store;
  await attempt(keys.insert(toKey('a')), async (again) => expect(await again.keys.get('a')).toEqual(toKey('a')));
  await Promise.all(
    ['gen-1', 'gen-2'].map((id) =>
      attempt(generations.append(toRecord(id), toContent(id)), async (again) => {
        expect(await again.generations.get(id)).toBeDefined();
        expect(await again.generations.getContent(id)).toEqual(toContent(id));
      }),
    ),
  );
  await attempt(generations.append(toRecord('gen-3'), toContent('to be deleted')), async (again) =>
    expect(await again.generations.get('gen-3')).toEqual(toRecord('gen-3')),
  );
  const later = toRecord('gen-1', { costNanoUsd: 9 });
  if ((await generations.get('gen-1')) !== undefined) {
    await attempt(generations.update(later), async (again) =>
      expect(await again.generations.get('gen-1')).toEqual(later),
    );
  }
  if ((await generations.get('gen-3')) !== undefined) {
    await attempt(generations.deleteContent('gen-3'), async (again) =>
      expect(await again.generations.getContent('gen-3')).toBeUndefined(),
    );
  }
  return facts;
}

test.each(['EIO', 'ENOSPC', 'EMFILE', 'EPERM'])(
  'whichever call fails with %s, all that was acknowledged is there afterwards, and the next write works',
  async (code) => {
    const root = dir;
    await useStore(await open());
    await stores.at(-1)?.close();
    const calls = files.calls;

    for (let nth = 1; nth <= calls; nth += 1) {
      dir = join(root, `${nth}`);
      files = createFaultyFileSystem();
      files.failNth(nth, { code, writtenBytes: 40 });
      const store = await open().catch(() => undefined);
      const facts = store === undefined ? [] : await useStore(store);
      files.heal();
      if (store !== undefined) {
        await store.generations.append(toRecord('gen-next'), toContent('next'));
        await store.close();
      }
      const again = await open();
      for (const fact of facts) await fact(again);
      if (store !== undefined) expect(await again.generations.getContent('gen-next')).toEqual(toContent('next'));
      await again.generations.append(toRecord('gen-after'), null);
      await again.close();
      expect(
        logged.filter((message) => message.includes('damaged')),
        `call ${nth}`,
      ).toEqual([]);
      expect((await readdir(dir)).filter((name) => name.includes('tmp') || name.includes('corrupt'))).toEqual([]);
    }
  },
);

test('a machine that stops at any call loses nothing that was acknowledged', async () => {
  const root = dir;
  await useStore(await open());
  await stores.at(-1)?.close();
  const calls = files.calls;

  for (let nth = 1; nth <= calls; nth += 1) {
    dir = join(root, `${nth}`);
    files = createFaultyFileSystem();
    files.failFrom(nth, { code: 'EIO', writtenBytes: 60 });
    const store = await open().catch(() => undefined);
    const facts = store === undefined ? [] : await useStore(store);
    await store?.close().catch(() => undefined);
    files.heal();
    logged = [];
    const again = await open();
    for (const fact of facts) await fact(again);
    await again.close();
    expect(
      logged.filter((message) => message.includes('damaged')),
      `call ${nth}`,
    ).toEqual([]);
  }
});

test('refuses a directory that another store has', async () => {
  await open();
  await expect(open()).rejects.toThrow(`is in use by this very process (PID ${process.pid})`);
});

test('lets go of a directory when opening fails, and says why in one line', async () => {
  await mkdir(join(dir, 'logs'), { recursive: true });
  await writeFile(join(dir, 'config.json'), '{"version":7}');
  await expect(open()).rejects.toThrow(/newer Model Gateway/);
  await writeFile(join(dir, 'config.json'), '{"version":1,"keys":[]}');
  await expect(open()).resolves.toBeDefined();
});

test('refuses a log that a newer version wrote', async () => {
  await (await open()).close();
  const path = join(dir, 'logs', 'generations-2026-03-02.ndjson');
  await writeFile(path, toLine('{"type":"segment","version":2}'));
  await expect(open()).rejects.toThrow(/generations-2026-03-02.ndjson was written by a newer Model Gateway \(format 2/);
});

test('passes over lines of a type it does not know', async () => {
  await (await open()).close();
  const path = join(dir, 'logs', 'generations-2026-02-28.ndjson');
  await writeFile(path, toLine('{"type":"something-new","id":"x"}'));
  expect(await ids(await open())).toEqual([]);
  expect(logged).toEqual([]);
});

test('a path that is a file is refused in one line that says what to do', async () => {
  await writeFile(dir, 'not a directory');
  await expect(open()).rejects.toThrow(/^Cannot use the data directory .*data: it is not a directory; .*\[EEXIST\]$/);
});

test('a symbolic link that leads nowhere, or in a circle, is refused', async () => {
  await symlink(dir, dir);
  await expect(open()).rejects.toThrow(/symbolic link.*\[E(LOOP|NOENT)\]$/);
  await rm(dir);
  await symlink(join(parent, 'nowhere'), dir);
  await expect(open()).rejects.toThrow(/symbolic link.*\[ENOENT\]$/);
});

test.each(['config.json', 'logs/generations-2026-03-01.ndjson', 'logs/content-2026-03-01.ndjson'])(
  'a symbolic link planted as %s is not followed',
  async (name) => {
    const victim = join(parent, 'victim');
    await writeFile(victim, 'untouched');
    await mkdir(join(dir, 'logs'), { recursive: true });
    await symlink(victim, join(dir, name));
    await expect(open()).rejects.toThrow(/symbolic links.*\[ELOOP\]$/);
    expect(await readFile(victim, 'utf8')).toBe('untouched');
  },
);

test('a link planted as the logs folder is not followed', async () => {
  await mkdir(join(parent, 'elsewhere'));
  await mkdir(dir);
  await symlink(join(parent, 'elsewhere'), join(dir, 'logs'));
  await expect(open()).rejects.toThrow(/logs is not a directory of its own/);
  expect(await readdir(join(parent, 'elsewhere'))).toEqual([]);
});

test('a directory that holds other things keeps its permissions', async () => {
  await mkdir(dir);
  await writeFile(join(dir, 'notes.txt'), 'mine');
  await chmod(dir, 0o777);
  await open();
  expect((await stat(dir)).mode & 0o777).toBe(0o777);
  expect(logged).toEqual(['Other users may write into the data directory; chmod 700 closes it']);
});

test('warns when keys are gone although generations are there', async () => {
  const store = await open();
  await store.generations.append(toRecord('gen-1'), null);
  await store.close();
  await rm(join(dir, 'config.json'));
  await open();
  expect(logged).toEqual(['There was no config.json beside the logs of generations; the store begins without keys']);
});

test('sweeps what a killed process was writing', async () => {
  await (await open()).close();
  for (const name of ['config.json', 'logs/content-2026-03-01.ndjson']) {
    await writeFile(join(dir, `${name}.0123456789ab.gateway-tmp`), 'half');
  }
  await (await open()).close();
  expect([...(await readdir(dir)), ...(await logs())].filter((name) => name.includes('tmp'))).toEqual([]);
});
