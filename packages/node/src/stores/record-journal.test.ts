import { appendFile, mkdir, mkdtemp, open as openFile, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RecordJournal } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createManualTimers, type ManualTimers } from '../../../../test/support/async/manual-timers.ts';
import { createFaultyFileSystem, type FaultyFileSystem } from '../../../../test/support/stores/faulty-file-system.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { openJournalOn, type RecordJournalOptions } from './record-journal.ts';

let root: string;
let files: FaultyFileSystem;
let timers: ManualTimers;
let opened: RecordJournal[];
let warnings: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateway-journal-'));
  files = createFaultyFileSystem();
  timers = createManualTimers();
  opened = [];
  warnings = [];
});
afterEach(async () => {
  files.heal();
  for (const journal of opened) await journal.close().catch(() => undefined);
  await rm(root, { recursive: true });
});

async function open(options: Partial<RecordJournalOptions> = {}): Promise<RecordJournal> {
  const warn = (message: string): void => void warnings.push(message);
  const logger = { info: () => undefined, warn, error: warn };
  const journal = await openJournalOn(
    { dir: join(root, 'journal'), logger, ...options },
    { files, setTimer: timers.setTimer },
  );
  opened.push(journal);
  return journal;
}
const toText = (id: string, content: string | null = null) => ({
  id,
  record: JSON.stringify(toRecord(id)),
  content: content === null ? null : JSON.stringify({ text: content }),
});
const toCall = (id: string) => ({
  record: toRecord(id),
  figures: { promptTokens: 1, completionTokens: 2, costUsd: 0, costNanoUsd: 3, costKnown: true, durationMs: 4 },
});
const segmentFiles = async (): Promise<string[]> => (await readdir(join(root, 'journal', 'logs'))).toSorted();
async function readAll(journal: RecordJournal): Promise<string[]> {
  const found: string[] = [];
  for (const segment of journal.recovered) {
    for await (const piece of journal.read(segment)) {
      found.push(...piece.map(({ id, content }) => (content === null ? id : `${id} ${content}`)));
    }
  }
  return found;
}

test('a journal gives back what was not settled, whole and in order, and nothing else', async () => {
  const first = await open();
  const segment = await first.append(toText('gen-1', 'é 🎬 \u0000'));
  await Promise.all(['gen-2', 'gen-3'].map((id) => first.append(toText(id))));
  await first.close();
  const second = await open();
  expect(await readAll(second)).toEqual([`gen-1 ${JSON.stringify({ text: 'é 🎬 \u0000' })}`, 'gen-2', 'gen-3']);
  second.settle(segment, 1);
  await second.close();
  expect((await open()).recovered).toEqual([]);
  expect(await segmentFiles()).toEqual([]);
});

test('a record whose content is longer than a line may be is there without the content', async () => {
  const first = await open();
  await first.append(toText('gen-1', 'x'.repeat(65 * 1024 * 1024)));
  await first.append(toText('gen-2', 'short'));
  await first.close();
  expect(await readAll(await open())).toEqual(['gen-1', `gen-2 ${JSON.stringify({ text: 'short' })}`]);
  expect(warnings).toEqual([
    'A content is too long for the journal; it is lost unless the database takes it from memory',
  ]);
});

test('an opening removes what a crash has left of files that were being replaced', async () => {
  await (await open()).close();
  const left = ['changes.ndjson', 'logs/records-000001.ndjson'].map((name) => `${name}.0123456789ab.gateway-tmp`);
  for (const name of left) await appendFile(join(root, 'journal', name), 'half');
  await open();
  expect(await readdir(join(root, 'journal'), { recursive: true })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/tmp$/)]),
  );
});

test('an opening that fails late closes every file that it has opened', async () => {
  await (await open()).close();
  await mkdir(join(root, 'journal', 'running.ndjson'));
  const { open: openOne } = files;
  let opened = 0;
  const before = files.names.filter((name) => name === 'close').length;
  files.open = async (path, flags) => {
    const file = await openOne(path, flags);
    opened += 1;
    return file;
  };
  await expect(open()).rejects.toThrow(/^Cannot use the data directory/);
  expect(files.names.filter((name) => name === 'close')).toHaveLength(before + opened);
});

test('what arrives in one turn is written at once, and synced within a second', async () => {
  const journal = await open();
  await journal.append(toText('gen-0'));
  const before = files.names.length;
  await Promise.all(Array.from({ length: 100 }, (_, index) => journal.append(toText(`gen-${index + 1}`))));
  expect(files.names.slice(before)).toEqual(['write']);
  timers.fire(1000);
  await expect.poll(() => files.names.slice(before)).toEqual(['write', 'open', 'sync', 'close', 'sync']);
});

test('a segment whose records are all settled waits no more, and is removed when it is released', async () => {
  const journal = await open({ segmentBytes: 1 });
  const segments = [];
  for (const id of ['gen-1', 'gen-2', 'gen-3']) segments.push(await journal.append(toText(id)));
  expect(new Set(segments).size).toBe(3);
  journal.settle(segments[1] ?? 0, 1);
  const { bytes } = journal;
  journal.release(performance.now() - 60_000);
  expect(await segmentFiles()).toHaveLength(3);
  journal.release(Number.POSITIVE_INFINITY);
  await expect.poll(segmentFiles).toEqual(['records-000001.ndjson', 'records-000003.ndjson']);
  journal.settle(segments[0] ?? 0, 1);
  expect(journal.bytes).toBeLessThan(bytes);
  await journal.close();
  expect(await segmentFiles()).toEqual(['records-000003.ndjson']);
});

test('records that were settled can be read and settled once more, until they are released', async () => {
  const journal = await open({ segmentBytes: 1 });
  const segments = [];
  for (const id of ['gen-1', 'gen-2', 'gen-3']) segments.push(await journal.append(toText(id)));
  const [first = 0, second = 0, third = 0] = segments;
  for (const segment of [first, second, third]) journal.settle(segment, 1);
  const recalled = journal.recall();
  expect(recalled).toEqual(segments.map((segment) => ({ segment, records: 1 })));
  expect(journal.recall()).toEqual([]);
  journal.release(Number.POSITIVE_INFINITY);
  const found = [];
  for (const { segment } of recalled) {
    await journal.end(segment);
    for await (const piece of journal.read(segment)) found.push(...piece.map(({ id }) => id));
  }
  expect(found).toEqual(['gen-1', 'gen-2', 'gen-3']);
  for (const { segment, records } of recalled) journal.settle(segment, records);
  journal.release(Number.POSITIVE_INFINITY);
  await expect.poll(segmentFiles).toEqual([]);
});

test('of records that were settled no more are held than fit the bytes for them, the latest', async () => {
  const journal = await open({ segmentBytes: 1, heldBytes: 4000 });
  for (const id of ['gen-1', 'gen-2', 'gen-3', 'gen-4'])
    journal.settle(await journal.append(toText(id, 'x'.repeat(600))), 1);
  await expect.poll(segmentFiles).not.toContain('records-000001.ndjson');
  expect(await segmentFiles()).toContain('records-000003.ndjson');
});

test('a line that a crash has cut is left out, and those before it are there', async () => {
  const first = await open();
  await first.append(toText('gen-1'));
  await first.close();
  await appendFile(join(root, 'journal', 'logs', 'records-000001.ndjson'), '{"crc32":"0000');
  const second = await open();
  expect(await readAll(second)).toEqual(['gen-1']);
  expect(warnings).toEqual([expect.stringContaining('cut short')]);
});

test('a write that the disk refuses is refused as a whole, and the next is good', async () => {
  const first = await open();
  await first.append(toText('gen-1'));
  files.failNth(1, { code: 'ENOSPC', writtenBytes: 30 }, 'write');
  const refused = await Promise.allSettled([first.append(toText('gen-2')), first.append(toText('gen-3'))]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await first.append(toText('gen-4'));
  await first.close();
  expect(await readAll(await open())).toEqual(['gen-1', 'gen-4']);
  expect(warnings).toEqual([]);
});

test('a sync that the disk refuses is made up for before anything else is acknowledged', async () => {
  const journal = await open();
  await journal.append(toText('gen-1'));
  files.failAll('sync', { code: 'EIO' });
  timers.fire(1000);
  await expect.poll(() => warnings).toEqual([expect.stringContaining('refused')]);
  await expect(journal.append(toText('gen-2'))).rejects.toThrow(/EIO/);
  files.heal();
  const before = files.names.length;
  await journal.append(toText('gen-3'));
  const [first, last] = [files.names.indexOf('sync', before), files.names.lastIndexOf('write')];
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(last);
});

test('changes of records outlive the process until they are settled', async () => {
  const first = await open();
  await first.append(toText('gen-1', 'one'));
  await first.append(toText('gen-2', 'two'));
  await first.change({ id: 'gen-1', isContentDeleted: true });
  await first.change({ id: 'gen-2', record: toRecord('gen-2', { costNanoUsd: 7 }) });
  await first.settleChange('gen-2');
  await first.close();
  const second = await open();
  expect(await readAll(second)).toEqual(['gen-1', `gen-2 ${JSON.stringify({ text: 'two' })}`]);
  second.settle(1, 1);
  await second.close();
  const third = await open();
  expect(await readFile(join(root, 'journal', 'changes.ndjson'), 'utf8')).toMatch(/"removed":"gen-1"/);
  expect(third.recovered).toEqual([]);
});

test('changes that a crash has left behind their records are gone with the next start', async () => {
  const first = await open();
  const segment = await first.append(toText('gen-1'));
  await first.change({ id: 'gen-1', isContentDeleted: true });
  first.settle(segment, 1);
  await first.close();
  await open();
  expect(await readFile(join(root, 'journal', 'changes.ndjson'), 'utf8')).toMatch(/"removed":"gen-1"/);
});

test('a segment that is ended can be read while others are written to', async () => {
  const journal = await open();
  const segment = await journal.append(toText('gen-1'));
  await journal.end(segment);
  expect(await journal.append(toText('gen-2'))).not.toBe(segment);
  const pieces = [];
  for await (const piece of journal.read(segment)) pieces.push(...piece);
  expect(pieces.map(({ id }) => id)).toEqual(['gen-1']);
});

test('a directory has one journal at a time', async () => {
  await open();
  await expect(open()).rejects.toThrow(/in use by this very process/);
});

test('a journal that is closed a second time closes nothing of others', async () => {
  const journal = await open();
  await journal.append(toText('gen-1'));
  await journal.setAside(toText('gen-2'), 'it is too long');
  await journal.close();
  // The system gives its descriptors the numbers that have become free.
  const others = await Promise.all(Array.from({ length: 8 }, () => openFile(join(root, 'journal', 'refused.ndjson'))));
  await journal.close();
  for (const other of others) expect((await other.stat()).isFile()).toBe(true);
  for (const other of others) await other.close();
});

test('a journal whose end the disk refuses closes all the rest, and takes nothing any more', async () => {
  const journal = await open();
  await journal.append(toText('gen-1'));
  files.failAll('sync', { code: 'EIO' });
  await expect(journal.close()).rejects.toThrow(/EIO/);
  files.heal();
  await open();
  await expect(journal.noteRunning([toCall('gen-2')])).rejects.toThrow('closed');
  await expect(journal.change({ id: 'gen-1', isContentDeleted: true })).rejects.toThrow('closed');
  await expect(journal.setAside(toText('gen-3'), 'it is too long')).rejects.toThrow('closed');
  expect(await readdir(join(root, 'journal'))).not.toContain('refused.ndjson');
});

test('a record that is set aside is kept with the reason', async () => {
  const journal = await open();
  await journal.setAside(toText('gen-1'), 'it is too long');
  expect(await readFile(join(root, 'journal', 'refused.ndjson'), 'utf8')).toMatch(/it is too long.*gen-1/);
});

test('calls that were noted as under way are found by the next process, until it notes others', async () => {
  const call = toCall('gen-1');
  const first = await open();
  await first.noteRunning([call]);
  await first.close();
  const second = await open();
  expect(second.interrupted).toEqual([call]);
  await second.noteRunning([]);
  await second.close();
  expect((await open()).interrupted).toEqual([]);
});
