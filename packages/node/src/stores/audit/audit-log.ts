import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';

import {
  type AuditEntry,
  type AuditHead,
  type AuditRecord,
  type AuditRepository,
  chainRecords,
  createTurns,
  EMPTY_CHAIN,
  requireFollowing,
  type StoredAuditRecord,
  toAnchorEntry,
  toAuditPage,
} from '@model-gateway/core';

import { readWholeFile, removeIfThere, syncDirectory } from '../files/atomic-file.ts';
import { errorReason, type FileSystem, ifThere, nodeFileSystem, OPEN, withFile } from '../files/file-system.ts';
import { type AppendFile, appendLine, closeSynced, openAppendFile, syncFile } from '../log/append-file.ts';
import { isLineBeginning, recordOf, toLine } from '../log/record-line.ts';
import type { RecoveryOptions } from '../log/recover-log.ts';
import { dayAt, endOfSegment } from '../log/segment-name.ts';
import type { RetentionClock } from '../retention-clock.ts';

export interface AuditLogOptions extends RecoveryOptions {
  /** Exists and belongs to this process. */
  readonly logsPath: string;
  readonly retentionClock: Pick<RetentionClock, 'now'>;
  /** Whole days that records are kept; `Infinity`: nothing is dropped. Those of the host, and those that apply now. */
  readonly configuredDays: number;
  readonly keptDays: () => number;
}

/** The audit log on disk. The caller that opened it closes it. */
export interface OpenAuditLog extends AuditRepository {
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE_NAME = /^audit-(\d{4}-\d\d-\d\d)\.ndjson$/;
const NEWLINE = 0x0a;

const nameOf = (day: string): string => `audit-${day}.ndjson`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Opens the audit log: a file a day, which only grows. What is damaged in it stays as it is, unlike in other logs, so that
 * it can be found; only the beginning of a line that a crash has cut short is removed, as nobody was told that it is there.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<OpenAuditLog> {
  const { files, logsPath, now, logger, retentionClock, configuredDays, keptDays } = options;
  const inTurn = createTurns();
  let days = await listDays(options);
  for (const day of days.slice(-1)) await cutTornLine(options, join(logsPath, nameOf(day)));
  let head = await findHead(options, days);
  let current: { readonly day: string; readonly file: AppendFile } | undefined;
  let isClosed = false;

  const leave = async (): Promise<void> => {
    const left = current?.file;
    current = undefined;
    if (left !== undefined) await closeSynced(files, left);
  };
  const fileOf = async (timeMs: number): Promise<AppendFile> => {
    const last = days.at(-1) ?? '';
    const today = dayAt(timeMs);
    // When the clock was set back, records still come in their order.
    const day = today < last ? last : today;
    if (current?.day === day) return current.file;
    await leave();
    const file = await openAppendFile(files, join(logsPath, nameOf(day)));
    current = { day, file };
    if (day !== last) {
      days = [...days, day];
      await syncDirectory(files, logsPath);
    }
    return file;
  };
  const write = async (entries: readonly AuditEntry[]): Promise<readonly AuditRecord[]> => {
    // The directory may have another owner by now.
    if (isClosed) throw new Error('The store is closed');
    const records = await chainRecords(head, entries, sha256);
    // A file that is named by a clock that is ahead would be kept until that day comes, with all that follow it.
    await put(records, retentionClock.now());
    return records;
  };
  const put = async (records: readonly AuditRecord[], timeMs: number): Promise<void> => {
    const file = await fileOf(timeMs);
    await appendLine(files, file, Buffer.concat(records.map((record) => toLine(JSON.stringify(record)))));
    head = records.at(-1) ?? head;
    await syncFile(files, file);
  };
  /** Into the files of their own days, so that they are not kept for longer here. */
  const adopt = async (records: readonly AuditRecord[]): Promise<void> => {
    if (isClosed) throw new Error('The store is closed');
    requireFollowing(head, records);
    for (let at = 0; at < records.length;) {
      const day = dayOf(records[at]);
      const next = records.findIndex((record, index) => index > at && dayOf(record) !== day);
      const end = next === -1 ? records.length : next;
      await put(records.slice(at, end), Date.parse(day));
      at = end;
    }
  };
  /** The name of a file is behind where the clock was held. What is after tomorrow is of a clock that was ahead. */
  const hasLaterRecord = async (day: string, timeMs: number): Promise<boolean> => {
    const bytes = (await ifThere(readWholeFile(files, join(logsPath, nameOf(day))))) ?? Buffer.alloc(0);
    const latestMs = retentionClock.now() + DAY_MS;
    return splitLines(bytes, day).some(({ text }) => {
      const atMs = Date.parse(parseRecord(text)?.at ?? '');
      return atMs >= timeMs && atMs <= latestMs;
    });
  };
  const dropBefore = async (timeMs: number): Promise<number> => {
    const old: string[] = [];
    for (const day of days.slice(0, -1)) {
      if (endOfSegment(day) > timeMs || (await hasLaterRecord(day, timeMs))) break;
      old.push(day);
    }
    const last = await findHead(options, old);
    if (old.length === 0) return 0;
    await write([toAnchorEntry(last, `aud-${randomUUID().replaceAll('-', '')}`, now())]);
    let count = 0;
    for (const day of old) {
      const path = join(logsPath, nameOf(day));
      count += countLines((await ifThere(readWholeFile(files, path))) ?? Buffer.alloc(0));
      await removeIfThere(files, path);
      days = days.filter((each) => each !== day);
    }
    return count;
  };
  const dropOld = async (): Promise<void> => {
    const days = keptDays();
    if (!Number.isFinite(days)) return;
    try {
      await dropBefore(retentionClock.now() - days * DAY_MS);
    } catch (error) {
      logger?.warn('Old records of the audit log could not be dropped', { reason: errorReason(error) });
    }
  };
  /** Of the records of other actions some come, too. */
  const newestFirst = async function* (action: string | undefined): AsyncGenerator<AuditRecord> {
    const named = action === undefined ? undefined : Buffer.from(JSON.stringify(action).slice(0, -1));
    for (const day of days.toReversed()) {
      // Retention may have removed it meanwhile.
      const bytes = (await ifThere(readWholeFile(files, join(logsPath, nameOf(day))))) ?? Buffer.alloc(0);
      // Each start looks for the last changes of the configuration, and a day may have very many other records.
      const chosen = named === undefined ? bytes : linesWith(named, bytes);
      for (const { text } of splitLines(chosen, day).toReversed()) {
        const record = parseRecord(text);
        if (record !== undefined) yield record;
      }
    }
  };

  await inTurn(dropOld);
  return {
    append: (entries) =>
      inTurn(async () => {
        const before = days.at(-1);
        const records = await write(entries);
        if (before !== undefined && days.at(-1) !== before) await dropOld();
        return records;
      }),
    adopt: (records) => inTurn(() => adopt(records)),
    page: (query) => toAuditPage(newestFirst(query.filter.action), query),
    read: () => readStored(files, logsPath),
    dropBefore: (timeMs) => inTurn(() => dropBefore(timeMs)),
    ...(Number.isFinite(configuredDays) && { retention: { configuredDays, apply: () => inTurn(dropOld) } }),
    async close() {
      await inTurn(async () => {
        isClosed = true;
        await leave();
      });
    },
  };
}

/**
 * Reads the audit log of a data directory, oldest first, whether or not a gateway uses it. It changes nothing there, and
 * finds nothing where there is none.
 */
export function readAuditLog(dir: string): AsyncIterable<StoredAuditRecord> {
  return readStored(nodeFileSystem, join(dir, 'logs'));
}

async function* readStored(files: FileSystem, logsPath: string): AsyncGenerator<StoredAuditRecord> {
  for (const day of await listDays({ files, logsPath })) {
    const bytes = await ifThere(readWholeFile(files, join(logsPath, nameOf(day))));
    yield* splitLines(bytes ?? Buffer.alloc(0), day);
  }
}

/** Oldest first. */
async function listDays({ files, logsPath }: Pick<AuditLogOptions, 'files' | 'logsPath'>): Promise<readonly string[]> {
  const names = (await ifThere(files.list(logsPath))) ?? [];
  return names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).toSorted();
}

function splitLines(bytes: Buffer, day: string): StoredAuditRecord[] {
  const found: StoredAuditRecord[] = [];
  let start = 0;
  for (let number = 1; start < bytes.length; number += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const isTerminated = newline !== -1;
    const line = bytes.subarray(start, isTerminated ? newline : bytes.length);
    start = isTerminated ? newline + 1 : bytes.length;
    // What is being written is no record yet. An empty line stands after the rest of a write that was interrupted.
    if (line.length === 0 || (!isTerminated && isLineBeginning(line))) continue;
    const record = recordOf(line);
    const text = record?.toString() ?? toUncheckedText(line);
    found.push({ text, place: `logs/${nameOf(day)}, line ${number}`, isDamaged: record === undefined });
  }
  return found;
}

/** The record in a line whose checksum is wrong, so that it can be named. */
function toUncheckedText(line: Buffer): string {
  const text = line.toString();
  const record = /^\{"crc32":"[^"]*","record":(.*)\}$/.exec(text)?.[1];
  return record ?? text;
}

const dayOf = (record: AuditRecord | undefined): string => dayAt(Date.parse(record?.at ?? ''));

/** The lines in which something stands, each with its newline. */
function linesWith(part: Buffer, bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let at = bytes.indexOf(part); at !== -1;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    lines.push(bytes.subarray(bytes.lastIndexOf(NEWLINE, at) + 1, end));
    at = end === bytes.length ? -1 : bytes.indexOf(part, end);
  }
  return Buffer.concat(lines);
}

const countLines = (bytes: Buffer): number => splitLines(bytes, '').length;

function parseRecord(text: string): AuditRecord | undefined {
  try {
    const value = JSON.parse(text) as Partial<AuditRecord> | null;
    return typeof value?.sequence === 'number' && typeof value.hash === 'string' ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** The last record that can be read, which the next one follows. */
async function findHead(
  { files, logsPath, logger }: Pick<AuditLogOptions, 'files' | 'logsPath' | 'logger'>,
  days: readonly string[],
): Promise<AuditHead> {
  for (const day of days.toReversed()) {
    const path = join(logsPath, nameOf(day));
    const lines = splitLines((await ifThere(readWholeFile(files, path))) ?? Buffer.alloc(0), day);
    if (lines.some(({ isDamaged }) => isDamaged))
      logger?.error('A file of the audit log was damaged or changed: run model-gateway audit verify', { file: path });
    for (const { text } of lines.toReversed()) {
      const record = parseRecord(text);
      if (record !== undefined) return { sequence: record.sequence, hash: record.hash };
    }
  }
  return EMPTY_CHAIN;
}

async function cutTornLine({ files, logger }: AuditLogOptions, path: string): Promise<void> {
  const bytes = await readWholeFile(files, path);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const rest = bytes.subarray(end);
  if (rest.length === 0 || !isLineBeginning(rest) || recordOf(rest) !== undefined) return;
  await withFile(files, path, OPEN.readWriteOrCreate, async (fd) => {
    await files.truncate(fd, end);
    await files.sync(fd);
  });
  logger?.warn('The last line of the audit log was cut short, as by a crash while writing; it was removed', {
    file: path,
  });
}
