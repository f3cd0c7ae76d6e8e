import {
  createTurns,
  type GenerationRecord,
  type GenerationRepository,
  type Logger,
  type RunningCall,
  type RunningFigures,
  toInterruptedRecord,
} from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';

import { removeIfThere, replaceFile, setAside } from '../files/atomic-file.ts';
import { ifThere } from '../files/file-system.ts';
import { type AppendFile, appendLine, openAppendFile } from '../log/append-file.ts';
import { toLine } from '../log/record-line.ts';
import { type RecoveryOptions, recoverLog } from '../log/recover-log.ts';

interface RunningLogOptions extends RecoveryOptions {
  /** Its directory exists and belongs to this process. The file exists while calls are noted. */
  readonly path: string;
}

/** The calls under way, in a file of their own: a line for each note, with whatever is new or has changed. */
export interface RunningLog {
  /** The calls of the last note that an earlier process has made. */
  readonly found: readonly RunningCall[];
  /** With the operating system when it resolves, but not synced. Call it for one note at a time. */
  note(calls: readonly RunningCall[]): Promise<void>;
  /** Leaves in the file what was noted last. */
  close(): Promise<void>;
}

/** A call in a line. Its record is in the first line that has it, and in later ones where it has changed. */
interface NotedCall {
  readonly id: string;
  readonly record?: GenerationRecord | undefined;
  readonly figures: RunningFigures;
}

/** What a record has to have to be stored; the rest of it may be of another version. */
const recordSchema = z.looseObject({
  principalId: z.string(),
  generation: z.looseObject({ id: z.string(), created_at: z.string(), model: z.string() }),
});
const noteSchema = z.object({
  calls: z.array(
    z.object({
      id: z.string(),
      record: recordSchema.optional(),
      figures: z.object({
        promptTokens: z.number(),
        completionTokens: z.number(),
        costUsd: z.number(),
        costNanoUsd: z.int(),
        feeNanoUsd: z.int().optional(),
        costKnown: z.boolean(),
        durationMs: z.number(),
      }),
    }),
  ),
});

/** A longer file is replaced by one with the last note alone. */
const MAX_NOTE_BYTES = 4 * 1024 * 1024;

/**
 * Reads the notes of an earlier process, and takes more. As in every log, a line that a crash has cut is removed. Notes
 * that cannot be read are reported and set aside: what they tell is not worth a gateway that does not start.
 */
export async function openRunningLog(options: RunningLogOptions): Promise<RunningLog> {
  const { files, path } = options;
  const found = await readLastNote(options);
  /** The records that the file has. */
  let known = new Map<string, GenerationRecord>();
  let file: AppendFile | null = null;
  const inTurn = createTurns();
  let isClosed = false;

  const clear = async (): Promise<void> => {
    known = new Map();
    await leave();
    await removeIfThere(files, path);
  };
  const leave = async (): Promise<void> => {
    const open = file;
    file = null;
    if (open !== null) await files.close(open.fd);
  };
  const write = async (calls: readonly RunningCall[]): Promise<void> => {
    const line = toNote(calls, known);
    file ??= await openAppendFile(files, path);
    if (file.end + line.length > MAX_NOTE_BYTES) {
      await leave();
      await replaceFile(files, path, toNote(calls, new Map()));
      return;
    }
    await appendLine(files, file, line);
  };
  const note = async (calls: readonly RunningCall[]): Promise<void> => {
    if (calls.length === 0) return clear();
    await write(calls);
    known = new Map(calls.map(({ record }) => [record.generation.id, record]));
  };
  return {
    found,
    note(calls) {
      // The directory may have another owner by now.
      if (isClosed) return Promise.reject(new Error('The store is closed'));
      return inTurn(() => note(calls));
    },
    async close() {
      isClosed = true;
      // A note under way may be opening the file.
      await inTurn(leave);
    },
  };
}

function toNote(calls: readonly RunningCall[], known: ReadonlyMap<string, GenerationRecord>): Buffer {
  const noted = calls.map(({ record, figures }): NotedCall => {
    const { id } = record.generation;
    return { id, record: known.get(id) === record ? undefined : record, figures };
  });
  return toLine(JSON.stringify({ calls: noted }));
}

async function readLastNote(options: RunningLogOptions): Promise<readonly RunningCall[]> {
  const records = new Map<string, GenerationRecord>();
  let last: readonly NotedCall[] = [];
  let unreadable = 0;
  const onRecord = (line: Buffer): void => {
    const note = noteSchema.safeParse(JSON.parse(line.toString()));
    if (!note.success) return void (unreadable += 1);
    last = note.data.calls as readonly NotedCall[];
    for (const { id, record } of last) if (record !== undefined) records.set(id, record);
  };
  await ifThere(recoverLog(options, options.path, onRecord));
  if (unreadable > 0) await keepUnreadable(options, unreadable);
  // After damage, the line with the record of a call may be missing.
  return last.flatMap(({ id, figures }) => {
    const record = records.get(id);
    return record === undefined ? [] : [{ record, figures }];
  });
}

async function keepUnreadable({ files, path, logger, now }: RunningLogOptions, notes: number): Promise<void> {
  const keptAs = await setAside(files, path, now());
  logger?.warn('Notes of streams under way cannot be read; they may be of another version', { keptAs, notes });
}

/**
 * Records the calls that an earlier process had noted as under way and did not record, each once: whether a crash comes
 * before or after any step of this, its id tells.
 */
export async function recordInterrupted(
  running: Pick<RunningLog, 'found' | 'note'>,
  generations: Pick<GenerationRepository, 'append' | 'get'>,
  logger: Logger | undefined,
): Promise<void> {
  let streams = 0;
  for (const call of running.found) {
    if ((await generations.get(call.record.generation.id)) !== undefined) continue;
    await generations.append(toInterruptedRecord(call), null);
    streams += 1;
  }
  if (streams > 0) {
    logger?.warn('Streams were cut by the end of the last process; they are recorded as interrupted, at an estimate', {
      streams,
    });
  }
  await running.note([]);
}
