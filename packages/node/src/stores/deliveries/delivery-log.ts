import { join } from 'node:path';

import { createTurns, type DeliveryAttempt, type DeliveryLog } from '@model-gateway/core';

import { readWholeFile, removeIfThere } from '../files/atomic-file.ts';
import { errorReason, ifThere, sizeOf } from '../files/file-system.ts';
import { type AppendFile, appendLine, closeSynced, openAppendFile } from '../log/append-file.ts';
import { recordOf, toLine } from '../log/record-line.ts';
import type { RecoveryOptions } from '../log/recover-log.ts';
import { dayAt, endOfSegment } from '../log/segment-name.ts';
import type { RetentionClock } from '../retention-clock.ts';

export interface DeliveryLogOptions extends RecoveryOptions {
  /** Exists and belongs to this process. */
  readonly logsPath: string;
  readonly retentionClock: Pick<RetentionClock, 'now'>;
  readonly retentionDays: number;
}

/** The deliveries on disk. The caller that opened them closes them. */
export interface OpenDeliveryLog extends DeliveryLog {
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE_NAME = /^deliveries-(\d{4}-\d\d-\d\d)\.ndjson$/;
/** Limit of all files together: some million deliveries. The oldest days are dropped first. */
const MAX_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

const nameOf = (day: string): string => `deliveries-${day}.ndjson`;

/**
 * Opens what became of deliveries: a file a day, which only grows, is made with its first line, and is dropped with the
 * generations of its day. Nothing of it is in memory: it is read when a call is looked at.
 */
export async function openDeliveryLog(options: DeliveryLogOptions): Promise<OpenDeliveryLog> {
  const { files, logsPath, now, logger } = options;
  let current: { readonly day: string; readonly file: AppendFile; hasRoom: boolean } | undefined;
  let isClosed = false;
  const inTurn = createTurns();

  const leave = async (): Promise<void> => {
    const left = current?.file;
    current = undefined;
    if (left !== undefined) await closeSynced(files, left);
  };
  const fileOf = async (day: string): Promise<NonNullable<typeof current>> => {
    if (current?.day === day) return current;
    await leave();
    const others = await dropOld(options, day);
    const file = await openAppendFile(files, join(logsPath, nameOf(day)));
    current = { day, file, hasRoom: others + file.end < MAX_BYTES };
    return current;
  };
  const write = async (attempt: DeliveryAttempt): Promise<void> => {
    // The directory may have another owner by now.
    if (isClosed) throw new Error('The store is closed');
    const opened = await fileOf(dayAt(now()));
    if (!opened.hasRoom) return;
    const line = toLine(JSON.stringify(attempt));
    await appendLine(files, opened.file, line);
    if (opened.file.end < MAX_BYTES) return;
    opened.hasRoom = false;
    logger?.warn('The deliveries of today are not noted any more, because there are too many', { day: opened.day });
  };

  await dropOld(options, dayAt(now())).catch((error: unknown) => {
    logger?.warn('Old deliveries could not be dropped', { reason: errorReason(error) });
  });
  return {
    append: (attempt) => inTurn(() => write(attempt)),
    async of(generationId, sinceMs) {
      await inTurn(() => undefined);
      // A clock that was set back in between would put a delivery on the day before.
      const since = nameOf(dayAt(sinceMs - DAY_MS));
      const found: DeliveryAttempt[] = [];
      for (const { name } of await listDays(options)) {
        // Retention may have removed it meanwhile.
        const bytes = name >= since ? await ifThere(readWholeFile(files, join(logsPath, name))) : undefined;
        if (bytes !== undefined) found.push(...findIn(bytes, generationId));
      }
      return found;
    },
    async close() {
      isClosed = true;
      await inTurn(leave);
    },
  };
}

interface DayFile {
  readonly name: string;
  readonly day: string;
}

/** Oldest first. */
async function listDays({ files, logsPath }: DeliveryLogOptions): Promise<readonly DayFile[]> {
  const names = await files.list(logsPath);
  return names
    .flatMap((name) => {
      const day = FILE_NAME.exec(name)?.[1];
      return day === undefined ? [] : [{ name, day }];
    })
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** Removes what retention drops; returns the bytes of what is left of days before `today`. */
async function dropOld(options: DeliveryLogOptions, today: string): Promise<number> {
  const { files, logsPath, retentionClock, retentionDays } = options;
  const nowMs = retentionClock.now();
  let bytes = 0;
  for (const { name, day } of (await listDays(options)).toReversed()) {
    if (day >= today) continue;
    const path = join(logsPath, name);
    const size = await sizeOf(files, path);
    const isOld = endOfSegment(day) + retentionDays * DAY_MS <= nowMs;
    if (isOld || bytes + size > MAX_BYTES / 2) await removeIfThere(files, path);
    else bytes += size;
  }
  return bytes;
}

/** The lines that name a generation. Others are not parsed: a day may have a hundred thousand. */
function findIn(bytes: Buffer, generationId: string): DeliveryAttempt[] {
  const found: DeliveryAttempt[] = [];
  const text = JSON.stringify(generationId);
  let from = 0;
  for (;;) {
    const at = bytes.indexOf(text, from);
    if (at === -1) return found;
    const start = bytes.lastIndexOf(NEWLINE, at) + 1;
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline;
    const record = recordOf(bytes.subarray(start, end));
    const attempt = record === undefined ? undefined : (JSON.parse(record.toString()) as DeliveryAttempt);
    if (attempt?.generationIds.includes(generationId) === true) found.push(attempt);
    from = end;
  }
}
