import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RecordJournal } from '@model-gateway/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createManualTimers } from '../../../../test/support/async/manual-timers.ts';
import { createFaultyFileSystem, type FaultyFileSystem } from '../../../../test/support/stores/faulty-file-system.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { openJournalOn } from '../../../node/src/stores/record-journal.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { createPendingRecords, type PendingRecords, readPendingRecord } from './pending-records.ts';

const LIMITS = { records: 1000, bytes: Number.POSITIVE_INFINITY };
let root: string;
let files: FaultyFileSystem;
let journal: RecordJournal;
let pending: PendingRecords;
let backlog: Backlog;
let written: string[];

const open = async (): Promise<void> => {
  journal = await openJournalOn({ dir: join(root, 'journal') }, { files, setTimer: createManualTimers().setTimer });
  backlog = createBacklog({ journal, pending, logger: undefined });
  for (const segment of journal.recovered) backlog.add(segment, 1);
};
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gateway-backlog-'));
  files = createFaultyFileSystem();
  pending = createPendingRecords();
  written = [];
  await open();
});
afterEach(async () => {
  files.heal();
  await journal.close();
  await rm(root, { recursive: true });
});

const toText = (id: string, content = JSON.stringify(toContent(id))) => ({
  id,
  record: JSON.stringify(toRecord(id)),
  content,
});
const writeNext = (limits = LIMITS): Promise<void> =>
  backlog.writeNext(limits, async (records) => void written.push(records.map(({ id }) => id).join(' ')));
async function writeAll(limits = LIMITS): Promise<void> {
  while (!backlog.isEmpty) await writeNext(limits);
}
async function reopenWith(ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => journal.append(toText(id))));
  await journal.close();
  await open();
}

test('a file that cannot be read for a moment is read again, and nothing of it is lost', async () => {
  await reopenWith(['gen-1', 'gen-2']);
  files.failNth(1, { code: 'EMFILE' }, 'open');
  await expect(writeNext()).rejects.toThrow('EMFILE');
  expect(journal.recovered.length).toBe(1);
  await writeAll();
  expect(written).toEqual(['gen-1 gen-2']);
  await journal.close();
  await open();
  expect(journal.recovered).toEqual([]);
});

test('a batch is no larger than the limits, and what was not taken comes again', async () => {
  await reopenWith(['gen-1', 'gen-2', 'gen-3']);
  const limits = { records: 2, bytes: LIMITS.bytes };
  const refused = backlog.writeNext(limits, () => Promise.reject(new Error('away')));
  await expect(refused).rejects.toThrow('away');
  await writeAll(limits);
  expect(written).toEqual(['gen-1 gen-2', 'gen-3']);
});

test('a record of the same file that waits in memory is left to its batch, as it may have been changed there', async () => {
  const [first, second] = await Promise.all([journal.append(toText('gen-1')), journal.append(toText('gen-2'))]);
  pending.add(Object.assign(readPendingRecord(toText('gen-1').record, null), { segment: first }));
  backlog.add(second, 1);
  await writeAll();
  expect(written).toEqual(['gen-2']);
  expect(journal.bytes).toBeGreaterThan(0);
  journal.settle(first, 1);
  expect(journal.bytes).toBe(0);
});

test('a record that cannot be read is set aside with the reason, and those around it are written', async () => {
  await Promise.all(
    [toText('gen-1'), toText('gen-2', '{"input":null}'), toText('gen-3')].map((record) => journal.append(record)),
  );
  await journal.close();
  await open();
  await writeAll();
  expect(written).toEqual(['gen-1 gen-3']);
  expect(await readFile(join(root, 'journal', 'refused.ndjson'), 'utf8')).toMatch(/"reason":.*gen-2/);
});

test('a file that was read in part is read from its beginning again once the database may have lost that', async () => {
  await reopenWith(['gen-1', 'gen-2', 'gen-3']);
  const limits = { records: 2, bytes: LIMITS.bytes };
  await writeNext(limits);
  backlog.restart();
  await writeAll(limits);
  expect(written).toEqual(['gen-1 gen-2', 'gen-1 gen-2', 'gen-3']);
  expect(journal.bytes).toBe(0);
});

test('what was settled is written once more when it is recalled, and settled again', async () => {
  const segment = await journal.append(toText('gen-1'));
  journal.settle(segment, 1);
  for (const { segment: number, records } of journal.recall()) backlog.add(number, records);
  await writeAll();
  expect(written).toEqual(['gen-1']);
  expect(journal.bytes).toBe(0);
  expect(journal.recall()).toEqual([{ segment, records: 1 }]);
});
