import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFaultyFileSystem, type FaultyFileSystem } from '../../../../test/support/faulty-file-system.ts';
import { toContent, toRecord } from '../../../../test/support/generation-records.ts';
import { createManualTimers, type ManualTimers } from '../../../../test/support/manual-timers.ts';
import { type JsonFileStoreOptions, openJsonFileStore } from './json-file-store.ts';
import { toLine } from './record-line.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let root: string;
let dir: string;
let files: FaultyFileSystem;
let timers: ManualTimers;
let warnings: string[];
let nowMs: number;
let opened: Store[];
let onInfo: (message: string) => void;
let onWarning: (message: string) => void;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateway-log-'));
  dir = join(root, 'data');
  files = createFaultyFileSystem();
  timers = createManualTimers();
  warnings = [];
  nowMs = Date.parse('2026-03-01T10:00:00Z');
  opened = [];
  onInfo = () => undefined;
  onWarning = () => undefined;
});
afterEach(async () => {
  files.heal();
  for (const store of opened) await store.close().catch(() => undefined);
  await rm(root, { recursive: true });
});

async function open(options: Partial<JsonFileStoreOptions> = {}): Promise<Store> {
  const note = (message: string): void => {
    warnings.push(message);
    onWarning(message);
  };
  const store = await openJsonFileStore(
    { dir, logger: { info: (message) => onInfo(message), warn: note, error: note }, now: () => nowMs, ...options },
    { files, setTimer: timers.setTimer },
  );
  opened.push(store);
  return store;
}

const append = (store: Store, id: string, text = id): Promise<void> =>
  store.generations.append(toRecord(id), toContent(text));
const ids = async (store: Store): Promise<string[]> =>
  (await store.generations.page({ limit: 1_000 })).records.map(({ generation }) => generation.id);
const logs = async (): Promise<string[]> => (await readdir(join(dir, 'logs'))).toSorted();
const readLog = (name: string): Promise<string> => readFile(join(dir, 'logs', name), 'utf8');
const readAllLogs = async (): Promise<string> => (await Promise.all((await logs()).map(readLog))).join('');

/** One generation a day on so many days, the last one today. */
async function fillDays(days: number): Promise<void> {
  for (let day = 1; day <= days; day += 1) {
    const store = await open();
    await append(store, `day-${day}`);
    await store.close();
    if (day < days) nowMs += DAY_MS;
  }
}

test('each day has its own pair of files, also when it begins while the store is open', async () => {
  const store = await open();
  await append(store, 'gen-1');
  nowMs += DAY_MS;
  // The batch that notices the new day still goes to the old files; those that follow do not.
  await append(store, 'gen-2');
  await append(store, 'gen-3');
  await store.close();
  expect(await logs()).toEqual([
    'content-2026-03-01.ndjson',
    'content-2026-03-02.ndjson',
    'generations-2026-03-01.ndjson',
    'generations-2026-03-02.ndjson',
  ]);
  const again = await open();
  expect(await ids(again)).toEqual(['gen-3', 'gen-2', 'gen-1']);
  for (const id of await ids(again)) expect(await again.generations.getContent(id)).toEqual(toContent(id));
});

test('when the files of a new day cannot be opened, those of the old one stay in use', async () => {
  const store = await open();
  await append(store, 'gen-1');
  nowMs += DAY_MS;
  files.failAll('open', { code: 'EMFILE' });
  for (const id of ['gen-2', 'gen-3']) await append(store, id);
  files.heal();
  nowMs += 5_000;
  for (const id of ['gen-4', 'gen-5']) await append(store, id);
  await store.close();
  expect(warnings).toEqual(['No new log files can be opened; the old ones stay in use']);
  expect(await ids(await open())).toEqual(['gen-5', 'gen-4', 'gen-3', 'gen-2', 'gen-1']);
});

test('a clock set back loses nothing and mixes nothing up', async () => {
  await fillDays(3);
  nowMs -= 2 * DAY_MS;
  const store = await open();
  await append(store, 'back');
  await store.close();
  expect(await ids(await open())).toEqual(['back', 'day-3', 'day-2', 'day-1']);
});

test('a day older than the retention is dropped at start, its cost stays counted', async () => {
  await fillDays(4);
  for (const round of [1, 2]) {
    const store = await open({ retentionDays: 2 });
    expect(await ids(store), `round ${round}`).toEqual(['day-4', 'day-3', 'day-2']);
    expect(await store.generations.get('day-1')).toBeUndefined();
    expect(await store.generations.getContent('day-1')).toBeUndefined();
    expect(await store.generations.spentNanoUsd('key-1')).toBe(4_000);
    await store.close();
  }
  expect((await logs()).join()).not.toContain('2026-03-01');
});

test('a day that ends while the store is open makes the oldest one go', async () => {
  await fillDays(2);
  const store = await open({ retentionDays: 1 });
  nowMs += DAY_MS;
  const dropped = new Promise<string>((resolve) => (onInfo = resolve));
  await append(store, 'gen-a');
  expect(await dropped).toBe('Old generations were dropped');
  expect(await ids(store)).toEqual(['gen-a', 'day-2']);
  expect((await logs()).join()).not.toContain('2026-03-01');
  await append(store, 'gen-b');
  await store.close();
  expect(await ids(await open())).toEqual(['gen-b', 'gen-a', 'day-2']);
});

test('what is dropped stays counted even if power fails: the sums are synced before files are removed', async () => {
  await fillDays(3);
  files = createFaultyFileSystem();
  await open({ retentionDays: 1 });
  const beforeRemoval = files.names.slice(0, files.names.indexOf('unlink'));
  expect(beforeRemoval.slice(beforeRemoval.lastIndexOf('write'))).toContain('sync');
});

test('while the names of new files are not durable nothing is acknowledged', async () => {
  const store = await open();
  nowMs += DAY_MS;
  let count = 0;
  const isRolled = async (): Promise<boolean> =>
    (await logs()).includes('generations-2026-03-02.ndjson') &&
    (await readLog('generations-2026-03-02.ndjson')).includes('gen-');
  while (!(await isRolled())) await append(store, `gen-${(count += 1)}`);
  // Only directories are opened from here on.
  files.failAll('open', { code: 'EIO' });
  const told = new Promise<string>((resolve) => (onWarning = resolve));
  timers.fire(1_000);
  expect(await told).toBe('The disk refused to keep generations; no more are accepted until it takes them');
  await expect(append(store, 'last')).rejects.toThrow('EIO');
  files.heal();
  await append(store, 'last');
});

test('a store that nobody writes to drops its old days, too', async () => {
  const store = await open({ retentionDays: 1 });
  await append(store, 'gen-1');
  nowMs += 3 * DAY_MS;
  timers.fire(HOUR_MS);
  await store.close();
  timers.fire(HOUR_MS);
  const again = await open({ retentionDays: 1 });
  expect(await ids(again)).toEqual([]);
  expect(await again.generations.spentNanoUsd('key-1')).toBe(1_000);
});

test('the number of generations stays near its limit, the newest ones are kept, and all of the cost', async () => {
  const store = await open({ maxGenerations: 50 });
  for (let index = 1; index <= 200; index += 1) await append(store, `gen-${index}`);
  await store.close();
  const again = await open({ maxGenerations: 50 });
  const kept = await ids(again);
  expect(kept.length).toBeLessThanOrEqual(50);
  expect(kept.length).toBeGreaterThanOrEqual(10);
  expect(kept).toEqual(Array.from(kept, (_, index) => `gen-${200 - index}`));
  for (const id of kept) expect(await again.generations.getContent(id)).toEqual(toContent(id));
  expect(await again.generations.spentNanoUsd('key-1')).toBe(200_000);
});

test('contents stay near their limit of bytes while their generations are kept', async () => {
  const store = await open({ maxContentBytes: 20_000 });
  for (let index = 1; index < 50; index += 1) await append(store, `gen-${index}`, 'x'.repeat(500));
  await store.close();
  const again = await open({ maxContentBytes: 20_000 });
  await append(again, 'gen-50');
  expect(await ids(again)).toHaveLength(50);
  expect(await again.generations.getContent('gen-1')).toBeUndefined();
  expect(await again.generations.getContent('gen-50')).toBeDefined();
  const bytes = await Promise.all((await logs()).filter((name) => name.startsWith('content')).map(readLog));
  expect(bytes.join('').length).toBeLessThanOrEqual(20_000);
  expect(warnings).toEqual([]);
});

test('a later version does not bring back a generation that was dropped', async () => {
  const first = await open();
  await append(first, 'gen-1');
  await first.close();
  nowMs += 2 * DAY_MS;
  const second = await open();
  await second.generations.update(toRecord('gen-1', { costNanoUsd: 7 }));
  await append(second, 'gen-2');
  await second.close();
  for (const round of [1, 2]) {
    const third = await open({ retentionDays: 1 });
    expect(await ids(third), `round ${round}`).toEqual(['gen-2']);
    expect(await third.generations.spentNanoUsd('key-1')).toBe(1_007);
    await third.close();
  }
});

test('damaged copies go with the day they are of', async () => {
  await fillDays(1);
  const path = join(dir, 'logs', 'generations-2026-03-01.ndjson');
  await writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(8)]));
  nowMs += 5 * DAY_MS;
  await (await open()).close();
  expect((await logs()).join()).toContain('corrupt');
  await (await open({ retentionDays: 1 })).close();
  expect((await logs()).join()).not.toContain('2026-03-01');
});

test('a machine that stops at any call while dropping loses no cost and brings nothing back', async () => {
  const start = nowMs;
  const prepare = async (name: string): Promise<void> => {
    [dir, nowMs, files] = [join(root, name), start, createFaultyFileSystem()];
    await fillDays(3);
  };
  await prepare('counted');
  files = createFaultyFileSystem();
  await (await open({ retentionDays: 1 })).close();
  const calls = files.calls;
  for (let nth = 1; nth <= calls; nth += 1) {
    await prepare(`${nth}`);
    files.failFrom(nth, { code: 'EIO', writtenBytes: 30 });
    const store = await open({ retentionDays: 1 }).catch(() => undefined);
    await store?.close().catch(() => undefined);
    files.heal();
    const again = await open({ retentionDays: 1 });
    expect(await ids(again), `call ${nth}`).toEqual(['day-3', 'day-2']);
    expect(await again.generations.spentNanoUsd('key-1'), `call ${nth}`).toBe(3_000);
    await again.close();
    expect((await logs()).join(), `call ${nth}`).not.toContain('2026-03-01');
  }
});

test('deleted content is gone from the disk after the next start, everything else is as it was', async () => {
  const store = await open();
  for (const id of ['keep-1', 'drop-1', 'keep-2']) await append(store, id, `text of ${id}`);
  await store.generations.update(toRecord('keep-2', { costNanoUsd: 3 }));
  await store.generations.deleteContent('drop-1');
  expect(await readAllLogs()).toContain('text of drop-1');
  await store.close();

  for (const round of [1, 2]) {
    const again = await open();
    expect(await readAllLogs(), `round ${round}`).not.toContain('text of drop-1');
    expect((await ids(again)).slice(-3)).toEqual(['keep-2', 'drop-1', 'keep-1']);
    expect(await again.generations.getContent('keep-1')).toEqual(toContent('text of keep-1'));
    expect(await again.generations.getContent('keep-2')).toEqual(toContent('text of keep-2'));
    expect(await again.generations.getContent('drop-1')).toBeUndefined();
    expect(await again.generations.spentNanoUsd('key-1')).toBe(1_003 + round * 1_000);
    // The day goes on after it was written anew.
    await append(again, `round-${round}`);
    await again.generations.deleteContent(`round-${round}`);
    await again.close();
  }
  expect(warnings).toEqual([]);
});

test('when all content of a day was deleted its file holds none', async () => {
  const store = await open();
  await append(store, 'gen-1', 'secret');
  await store.generations.deleteContent('gen-1');
  await store.close();
  await (await open()).close();
  expect(await readAllLogs()).not.toContain('secret');
});

test('content of an earlier day that is deleted today goes as well', async () => {
  await fillDays(2);
  const store = await open();
  await store.generations.deleteContent('day-1');
  await store.close();
  const again = await open();
  expect(await readAllLogs()).not.toContain('Question: day-1');
  expect(await again.generations.getContent('day-2')).toEqual(toContent('day-2'));
});

test('a machine that stops at any call while compacting keeps all that was kept, and the next start ends it', async () => {
  const prepare = async (name: string): Promise<void> => {
    [dir, files] = [join(root, name), createFaultyFileSystem()];
    const store = await open();
    for (const id of ['keep-1', 'drop-1', 'keep-2']) await append(store, id, `text of ${id}`);
    await store.generations.deleteContent('drop-1');
    await store.close();
  };
  await prepare('counted');
  files = createFaultyFileSystem();
  await (await open()).close();
  const calls = files.calls;
  for (let nth = 1; nth <= calls; nth += 1) {
    await prepare(`${nth}`);
    files.failFrom(nth, { code: 'EIO', writtenBytes: 30 });
    const store = await open().catch(() => undefined);
    await store?.close().catch(() => undefined);
    files.heal();
    const again = await open();
    for (const id of ['keep-1', 'keep-2']) {
      expect(await again.generations.getContent(id), `call ${nth}`).toEqual(toContent(`text of ${id}`));
    }
    expect(await again.generations.getContent('drop-1'), `call ${nth}`).toBeUndefined();
    await append(again, 'later');
    expect(await again.generations.getContent('later'), `call ${nth}`).toEqual(toContent('later'));
    await again.close();
    expect(await readAllLogs(), `call ${nth}`).not.toContain('text of drop-1');
  }
});

test('a compaction that fails is only put off', async () => {
  const store = await open();
  for (const id of ['keep', 'drop']) await append(store, id);
  await store.generations.deleteContent('drop');
  await store.close();
  files.failNth(1, { code: 'ENOSPC' }, 'rename');
  const again = await open();
  expect(warnings).toEqual(['Deleted content could not be removed from the disk yet; the next start tries again']);
  expect(await again.generations.getContent('keep')).toEqual(toContent('keep'));
  await append(again, 'later');
  await again.close();
  const last = await open();
  for (const id of ['keep', 'later']) expect(await last.generations.getContent(id)).toEqual(toContent(id));
  expect(await readAllLogs()).not.toContain('Question: drop');
});

test('content is found although a tool has converted the line ends of the log', async () => {
  const store = await open();
  for (const id of ['gen-1', 'gen-2', 'gen-3']) await append(store, id);
  await store.close();
  for (const name of await logs()) {
    await writeFile(join(dir, 'logs', name), (await readLog(name)).replaceAll('\n', '\r\n'));
  }
  const again = await open();
  for (const id of ['gen-3', 'gen-2', 'gen-1']) expect(await again.generations.getContent(id)).toEqual(toContent(id));
  expect(warnings).toEqual(['A content log does not hold what it should where it should; it is searched once']);
});

test('content that is damaged is not shown, and never another one in its place', async () => {
  const store = await open();
  for (const id of ['gen-1', 'gen-2']) await append(store, id, 'same length');
  await store.close();
  const path = join(dir, 'logs', 'content-2026-03-01.ndjson');
  const bytes = await readFile(path);
  // As a crash of the machine may leave it: the end is missing, and what comes later takes its place.
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  const again = await open();
  expect(warnings).toEqual(['Content of generations is missing from its log']);
  await append(again, 'gen-3', 'same length');
  expect(await again.generations.getContent('gen-2')).toBeUndefined();
  expect(await again.generations.getContent('gen-1')).toEqual(toContent('same length'));
  expect(await again.generations.getContent('gen-3')).toEqual(toContent('same length'));
});

test('a reference that leads out of its day is not followed', async () => {
  await (await open()).close();
  const record = JSON.stringify(toRecord('gen-1').generation);
  const line = (file: string, length: number): Buffer =>
    toLine(
      `{"type":"generation","content":{"file":"${file}","offset":0,"length":${length}},"id":"gen-1","principalId":"p","costNanoUsd":0,"generation":${record}}`,
    );
  // Just what the line would have to be, only elsewhere.
  const content = toLine(JSON.stringify({ id: 'gen-1', content: toContent('elsewhere') }));
  await writeFile(join(dir, 'elsewhere.ndjson'), content);
  const path = join(dir, 'logs', 'generations-2026-03-01.ndjson');
  await writeFile(path, line('../elsewhere.ndjson', content.length - 1));
  const store = await open();
  expect(await store.generations.get('gen-1')).toBeDefined();
  expect(await store.generations.getContent('gen-1')).toBeUndefined();
});

test('content that was written but never acknowledged is removed', async () => {
  await (await open()).close();
  const path = join(dir, 'logs', 'content-2026-03-01.ndjson');
  await writeFile(path, toLine('{"id":"gen-x","content":{"text":"never acknowledged"}}'));
  await (await open()).close();
  expect(await readAllLogs()).not.toContain('never acknowledged');
});

test('a later version is kept when damage has taken the first, without its content', async () => {
  const store = await open();
  await append(store, 'gen-1');
  await store.generations.update(toRecord('gen-1', { costNanoUsd: 5 }));
  await store.close();
  const path = join(dir, 'logs', 'generations-2026-03-01.ndjson');
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, [lines[0], lines[1]?.replace('acme', 'ACME'), lines[2], ''].join('\n'));
  const again = await open();
  expect(await again.generations.get('gen-1')).toEqual(toRecord('gen-1', { costNanoUsd: 5 }));
  expect(await again.generations.getContent('gen-1')).toBeUndefined();
  expect(await again.generations.spentNanoUsd('key-1')).toBe(5);
});
