import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type FileSystem, nodeFileSystem } from '../files/file-system.ts';
import { isWholeLines, toLine } from './record-line.ts';
import { recoverLog } from './recover-log.ts';

const RECORDS = [
  '{"id":"one"}',
  '{"id":"two","text":"Grüße 🎬"}',
  '{"id":"three","nested":{"a":[1,{}]}}',
  '{"id":"four"}',
];
const LINES = RECORDS.map((record) => toLine(record));
const LOG = Buffer.concat(LINES);
const NOW = Date.parse('2026-03-01T10:00:00.123Z');

let dir: string;
let path: string;
let warnings: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> | undefined }[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-journal-'));
  path = join(dir, 'generations-2026-03-01.ndjson');
});
afterEach(() => rm(dir, { recursive: true }));

/** Recovers a log of these bytes; returns the records that were handed over. */
async function recover(bytes: Uint8Array): Promise<string[]> {
  warnings = [];
  for (const name of await readdir(dir)) await rm(join(dir, name));
  await writeFile(path, bytes);
  const found: string[] = [];
  const logger = {
    info: () => undefined,
    error: () => undefined,
    warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void warnings.push({ message, fields }),
  };
  // Thousands of real syncs would only wait for the disk; that they are made is tested with the atomic file.
  const files: FileSystem = { ...nodeFileSystem, sync: async () => undefined };
  await recoverLog({ files, logger, now: () => NOW }, path, (record) => void found.push(record.toString()));
  return found;
}

/** The bytes of what was set aside, or undefined. */
async function setAsideBytes(): Promise<Uint8Array | undefined> {
  const name = (await readdir(dir)).find((other) => other.includes('.corrupt-'));
  return name === undefined ? undefined : readFile(join(dir, name));
}

/** Whether line `index` lies before this byte, newline included. */
const endOfLine = (index: number): number => Buffer.concat(LINES.slice(0, index + 1)).length;

/** A generator of numbers below `limit` that is the same in every run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('an undamaged log gives all its records and is left as it is', async () => {
  expect(await recover(LOG)).toEqual(RECORDS);
  expect(await readFile(path)).toEqual(LOG);
  expect(warnings).toEqual([]);
});

test('an empty log gives no records and no warning', async () => {
  expect(await recover(new Uint8Array())).toEqual([]);
  expect(warnings).toEqual([]);
});

test('a log cut at any byte gives every line before the cut, and loses nothing else', async () => {
  for (let length = 0; length < LOG.length; length += 1) {
    const expected = RECORDS.filter((_, index) => endOfLine(index) - 1 <= length);
    expect(await recover(LOG.subarray(0, length)), `cut at ${length}`).toEqual(expected);
    const isBetweenLines = LINES.some((_, index) => [endOfLine(index) - 1, endOfLine(index)].includes(length));
    expect(warnings.length, `cut at ${length}`).toBe(length === 0 || isBetweenLines ? 0 : 1);
    // The rest has only good lines, and reading it again finds the same.
    const left = await readFile(path);
    expect(await recover(left)).toEqual(expected);
    expect(warnings).toEqual([]);
    expect(await setAsideBytes()).toBeUndefined();
  }
});

test('a byte changed anywhere costs at most the line it is in, and the damaged file is kept', async () => {
  const random = createRandom(181);
  for (let run = 0; run < 2_000; run += 1) {
    const at = random(LOG.length);
    const damaged = Buffer.from(LOG);
    damaged[at] = (damaged[at] ?? 0) ^ (1 + random(255));
    const found = await recover(damaged);
    const hit = LINES.findIndex((_, index) => at < endOfLine(index));
    const isNewline = at === endOfLine(hit) - 1;
    const others = RECORDS.filter((_, index) => index !== hit);
    // The record of the line itself may be whole (a byte of its frame, or its newline), but never be another one.
    expect([RECORDS, ...(isNewline ? [] : [others])], `byte ${at}, run ${run}`).toContainEqual(found);
    const isReplaced = found.length < RECORDS.length || isNewline;
    expect(await setAsideBytes(), `byte ${at}, run ${run}`).toEqual(isReplaced ? damaged : undefined);
    expect(warnings).toHaveLength(isReplaced ? 1 : 0);
    expect(isWholeLines(await readFile(path))).toBe(true);
  }
}, 60_000);

test('a tail filled with zeros is set aside and the records before it are kept', async () => {
  const damaged = Buffer.concat([LOG, Buffer.alloc(4096)]);
  expect(await recover(damaged)).toEqual(RECORDS);
  expect(await readFile(path)).toEqual(LOG);
  expect(await setAsideBytes()).toEqual(damaged);
  expect(warnings).toEqual([
    {
      message: 'A log file was damaged; every good line of it is kept',
      fields: {
        file: path,
        keptAs: `${path}.corrupt-2026-03-01T10-00-00-123Z`,
        firstBadByte: LOG.length,
        badLines: 1,
        goodLines: 4,
      },
    },
  ]);
});

test('zeros in the middle cost only the lines they lie on', async () => {
  const damaged = Buffer.from(LOG).fill(0, endOfLine(0) + 5, endOfLine(0) + 20);
  expect(await recover(damaged)).toEqual([RECORDS[0], RECORDS[2], RECORDS[3]]);
  expect(await setAsideBytes()).toEqual(damaged);
});

test('line ends converted by a tool, and a byte order mark, do no harm', async () => {
  const converted = Buffer.from(`\uFEFF${LOG.toString().replaceAll('\n', '\r\n')}`);
  expect(await recover(converted)).toEqual(RECORDS);
  expect(warnings).toEqual([]);
});

test('a file of something else altogether is set aside, not deleted', async () => {
  const foreign = Buffer.from('PK\u0003\u0004 not a log at all\nsecond line\n');
  expect(await recover(foreign)).toEqual([]);
  expect(await setAsideBytes()).toEqual(foreign);
  expect(await readFile(path)).toEqual(Buffer.alloc(0));
});

test('lines longer than a read are put together', async () => {
  const long = JSON.stringify({ text: 'x'.repeat(9 * 1024 * 1024) });
  const found = await recover(Buffer.concat([LINES[0] ?? LOG, toLine(long), LOG]));
  expect(found).toEqual([RECORDS[0], long, ...RECORDS]);
});

test('a second damaged file of the same moment does not replace the first', async () => {
  await recover(Buffer.concat([LOG, Buffer.alloc(10)]));
  await writeFile(path, Buffer.concat([LOG, Buffer.alloc(20)]));
  await recoverLog({ files: nodeFileSystem, logger: undefined, now: () => NOW }, path, () => undefined);
  expect((await readdir(dir)).filter((name) => name.includes('.corrupt-'))).toHaveLength(2);
});
