import type { FileLibrary } from '../files/file-library.ts';
import { whenNotFound } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import {
  listSubmissionsOf,
  readResultsOf,
  type BatchRepository,
  type StoredBatch,
  updateBatch,
} from '../stores/batches.ts';
import type { Store } from '../stores/store.ts';
import type { BatchResult } from '../wire/batches.ts';
import { hasSucceeded, openInput, readBatch, toMissingLine, toResultLine } from './batch-lines.ts';

interface FinishParts {
  readonly store: Pick<Store, 'batches' | 'files'>;
  readonly files: FileLibrary;
  readonly platform: Pick<Platform, 'now'>;
}

/**
 * Writes the files of a batch whose lines are done, or are not to be made any more, and ends it. One with problems has
 * failed. May begin again after a crash: the batch names its files before its rows go, and ends after that.
 */
export async function finishBatch(batch: StoredBatch, hasExpired: boolean, parts: FinishParts): Promise<void> {
  const { batches } = parts.store;
  const status = statusOf(batch, hasExpired);
  if (status !== 'cancelled') {
    await updateBatch(batch.id, batches, (latest) => ({
      ...latest,
      status: 'finalizing',
      times: { finalizing: parts.platform.now(), ...latest.times },
    }));
  }
  if (batch.outputFileId === null && batch.errorFileId === null) await writeFiles(batch, status, parts);
  for (const { id } of await listSubmissionsOf(batch.id, batches)) await batches.remove(id);
  // They are in the files now.
  for await (const { id } of readResultsOf(batch.id, batches)) await batches.remove(id);
  await updateBatch(batch.id, batches, (latest) => ({
    ...latest,
    status,
    times: { ...latest.times, [status]: parts.platform.now() },
    lease: null,
  }));
}

type EndStatus = 'cancelled' | 'expired' | 'completed' | 'failed';

function statusOf(batch: StoredBatch, hasExpired: boolean): EndStatus {
  if (batch.problems.length > 0) return 'failed';
  if (batch.status === 'cancelling') return 'cancelled';
  return hasExpired && !isWhole(batch) ? 'expired' : 'completed';
}

const isWhole = ({ completed, failed, total }: StoredBatch): boolean => completed + failed >= total;

/** A batch that has failed has what was made by then; of another one no line is missing. */
async function writeFiles(batch: StoredBatch, status: EndStatus, parts: FinishParts): Promise<void> {
  const { batches } = parts.store;
  const outputFileId = await writeFile(batch, 'output', succeededLines(batch, batches), parts);
  const errors =
    isWhole(batch) || status === 'failed'
      ? failedLines(batch, batches)
      : withMissing(batch, status === 'cancelled', parts);
  const errorFileId = await writeFile(batch, 'error', errors, parts);
  await updateBatch(batch.id, batches, (latest) => ({ ...latest, outputFileId, errorFileId }));
}

async function* succeededLines({ id }: StoredBatch, batches: BatchRepository): AsyncGenerator<BatchResult> {
  for await (const result of readResultsOf(id, batches)) if (hasSucceeded(result)) yield toResultLine(result);
}

/** `done` receives the lines that have a result of either kind. */
async function* failedLines(
  { id }: StoredBatch,
  batches: BatchRepository,
  done = new Set<number>(),
): AsyncGenerator<BatchResult> {
  for await (const result of readResultsOf(id, batches)) {
    done.add(result.index);
    if (!hasSucceeded(result)) yield toResultLine(result);
  }
}

async function* withMissing(
  batch: StoredBatch,
  isCancelled: boolean,
  { files, store }: FinishParts,
): AsyncGenerator<BatchResult> {
  const done = new Set<number>();
  yield* failedLines(batch, store.batches, done);
  const input = await openInput(batch, files).catch(whenNotFound(() => undefined));
  if (input === undefined) return;
  for await (const placed of readBatch(input.read())) {
    if (!done.has(placed.index)) yield toMissingLine(batch, placed, isCancelled);
  }
}

const MAX_NAME = 200;

/** What people call a batch: the name of its file of requests without the ending, or the batch's id once that is gone. */
async function nameOf(batch: StoredBatch, files: FileLibrary): Promise<string> {
  const input = await files.find(batch.inputFileId, batch.workspaceId).catch(whenNotFound(() => undefined));
  const name = input?.filename.replace(/\.[a-z0-9]{1,8}$/i, '').slice(0, MAX_NAME) ?? '';
  return name === '' ? batch.id : name;
}

const encoder = new TextEncoder();

/** Resolves with the id of the file; with null where there are no lines. */
async function writeFile(
  batch: StoredBatch,
  kind: 'output' | 'error',
  lines: AsyncGenerator<BatchResult>,
  { files, store }: FinishParts,
): Promise<string | null> {
  const id = `${batch.id.replace('batch_', 'or_file_')}${kind === 'output' ? 'a' : 'e'}`;
  if ((await store.files.get(id)) !== undefined) return id;
  let count = 0;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const line of lines) {
      count += 1;
      yield encoder.encode(`${JSON.stringify(line)}\n`);
    }
  };
  const received = await files.receive(pieces(), 'application/x-ndjson');
  if (count === 0) return null;
  const { id: fileId } = await files.add({
    ...received,
    id,
    workspaceId: batch.workspaceId,
    filename: `${await nameOf(batch, files)}_${kind}.jsonl`,
    purpose: 'batch_output',
    origin: 'generated',
    createdBy: batch.owner.id,
    livesSeconds: null,
  });
  return fileId;
}
