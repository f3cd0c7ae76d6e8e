import {
  batchResultId,
  type BatchRepository,
  readResultsOf,
  type StoredBatch,
  type StoredBatchResult,
  updateBatch,
} from '../stores/batches.ts';
import type { GenerationRepository, Store } from '../stores/store.ts';
import { hasSucceeded, type PlacedLine } from './batch-lines.ts';
import type { LineOutcome } from './line-calls.ts';

type Generations = Pick<GenerationRepository, 'get' | 'getLate'>;

/**
 * The id of a call of a line. It follows from the line, so that the process that goes on after a death finds what the
 * calls have cost whose responses were lost.
 */
export function lineCallId({ id, createdAt }: StoredBatch, index: number, attempt: number): string {
  const random = id.slice('batch_'.length, 'batch_'.length + 20).padEnd(20, '0');
  const number = (value: number): string => String(value).padStart(6, '0');
  return `gen-${Math.floor(createdAt / 1000)}-${random}${number(index)}${number(attempt)}`;
}

/** Calls of a line that are recorded, and whose responses were lost. */
export interface LostCalls {
  readonly count: number;
  readonly costNanoUsd: number;
}

export const NONE_LOST: LostCalls = { count: 0, costNanoUsd: 0 };

/** Finds the calls of a line that a process made that died before it wrote the result, up to the call `until`. */
export async function findLostCalls(
  batch: StoredBatch,
  index: number,
  generations: Pick<Generations, 'get'>,
  until?: string,
): Promise<LostCalls> {
  let lost = NONE_LOST;
  for (;;) {
    const id = lineCallId(batch, index, lost.count);
    const record = id === until ? undefined : await generations.get(id);
    if (record === undefined) return lost;
    lost = { count: lost.count + 1, costNanoUsd: lost.costNanoUsd + record.costNanoUsd };
  }
}

/** The result of a line that is to be written. */
export interface NewResult extends Pick<PlacedLine, 'index'> {
  readonly customId: string;
  readonly outcome: LineOutcome;
  readonly lostNanoUsd: number;
}

/** Writes the result of a line, unless it has one, and counts it. */
export async function saveResult(
  batch: StoredBatch,
  { index, customId, outcome, lostNanoUsd }: NewResult,
  { batches, generations }: Pick<Store, 'batches'> & { readonly generations: Generations },
): Promise<void> {
  const { generationId, status, body } = outcome;
  const record =
    generationId === null
      ? undefined
      : ((await generations.get(generationId)) ?? (await generations.getLate?.(generationId)));
  const id = batchResultId(batch.id, index);
  const costNanoUsd = (record?.costNanoUsd ?? 0) + lostNanoUsd;
  const kind = 'result' as const;
  const result: StoredBatchResult = {
    id,
    kind,
    batchId: batch.id,
    index,
    customId,
    generationId,
    status,
    body,
    costNanoUsd,
  };
  let isNew = true;
  await batches.update(
    id,
    (there) => {
      isNew = there === result;
      return there;
    },
    result,
  );
  // Another process has taken the batch over meanwhile, and was faster.
  if (!isNew) return;
  const hasWorked = hasSucceeded(result);
  await updateBatch(batch.id, batches, (latest) => ({
    ...latest,
    completed: latest.completed + (hasWorked ? 1 : 0),
    failed: latest.failed + (hasWorked ? 0 : 1),
    costNanoUsd: latest.costNanoUsd + costNanoUsd,
  }));
}

/** What the results of a batch add up to, and the lines that have one. */
export async function sumUpResults(batchId: string, batches: BatchRepository) {
  const indexes: number[] = [];
  let completed = 0;
  let costNanoUsd = 0;
  for await (const result of readResultsOf(batchId, batches)) {
    indexes.push(result.index);
    if (hasSucceeded(result)) completed += 1;
    costNanoUsd += result.costNanoUsd;
  }
  return { indexes, completed, failed: indexes.length - completed, costNanoUsd };
}
