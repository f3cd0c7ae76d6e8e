import type { Awaitable } from '../foundation/awaitable.ts';
import type { BatchEndpoint, BatchStatus } from '../wire/batches.ts';
import type { JobOwner, Repository } from './rows.ts';

/** Batches with the results of their lines, all as rows. The narrower questions are absent where the rows are in memory. */
export interface BatchRepository extends Repository<BatchRow> {
  /** The batches alone, oldest first. */
  listBatches?(): Awaitable<readonly StoredBatch[]>;
  /** Those that are still to be worked on, oldest first. They are asked for every few seconds. */
  listOpenBatches?(): Awaitable<readonly StoredBatch[]>;
  /** The submissions of one batch alone, in the order in which they were made. */
  listSubmissionsOf?(batchId: string): Awaitable<readonly StoredSubmission[]>;
  /** The results of one batch in the order of its lines, a page at a time: they may be too many for memory. */
  pageResultsOf?(batchId: string, page: BatchResultPage): Awaitable<readonly StoredBatchResult[]>;
}

export interface BatchResultPage {
  /** The line after which it begins; -1 for the first page. */
  readonly after: number;
  readonly limit: number;
}

export type BatchRow = StoredBatch | StoredBatchResult | StoredSubmission;

/** A batch, and how far it is. Times in milliseconds since the epoch, money in billionths of a dollar. */
export interface StoredBatch {
  readonly id: string;
  readonly kind: 'batch';
  readonly workspaceId: string;
  /** Whose calls its lines are. */
  readonly owner: JobOwner;
  readonly endpoint: BatchEndpoint;
  /** The file with its lines. */
  readonly inputFileId: string;
  /** The content of that file, which stays while the batch is open. Batches of earlier versions have none. */
  readonly inputContent?: string | undefined;
  readonly status: BatchStatus;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it came to each status. */
  readonly times: Readonly<Partial<Record<BatchStatus, number>>>;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Lines. */
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly costNanoUsd: number;
  /** Why it could not begin, by line. */
  readonly problems: readonly BatchProblem[];
  /** Files of what has succeeded and what has not; null where there is nothing of that. */
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  /** The process that runs it, among several at one store, and until when. */
  readonly lease: { readonly ownerId: string; readonly untilMs: number } | null;
}

export interface BatchProblem {
  readonly code: string;
  readonly message: string;
  /** From 1; null for the whole file. */
  readonly line: number | null;
}

/** What became of one line. It never changes. */
export interface StoredBatchResult {
  readonly id: string;
  readonly kind: 'result';
  readonly batchId: string;
  /** From 0. */
  readonly index: number;
  readonly customId: string;
  readonly generationId: string | null;
  readonly status: number;
  readonly body: unknown;
  readonly costNanoUsd: number;
}

/** Lines of a batch that have been sent to a provider's own batch API together. */
export interface StoredSubmission {
  /** Names it there as well. */
  readonly id: string;
  readonly kind: 'submission';
  readonly batchId: string;
  readonly providerSlug: string;
  /** The name of the provider's key that it was sent with; absent where the provider has one alone. */
  readonly providerKey?: string | undefined;
  /** The endpoint of all of its lines. */
  readonly modelId: string;
  readonly endpointTag: string;
  /** `sending`: it is not known whether upstream has received it. `ended`: what came of it is among the results. */
  readonly state: 'sending' | 'sent' | 'ended';
  /** Null while it is being sent. */
  readonly upstreamId: string | null;
  readonly isCancelled: boolean;
  /** Whose budgets hold what its lines may cost, until it has ended. */
  readonly payer: { readonly principalId: string; readonly userId: string | null; readonly workspaceId: string };
  readonly lines: readonly SubmittedLine[];
}

export interface SubmittedLine {
  readonly index: number;
  /** The id of the call that is recorded when its response has come; it names the request upstream. */
  readonly generationId: string;
  /** What budgets hold for it, in billionths of a dollar; null for nothing, or not any more. */
  readonly hold: { readonly creditsNanoUsd: number | null; readonly anyNanoUsd: number } | null;
}

/** Ids sort as the lines do. A line has one, so that it has one result. */
export const batchResultId = (batchId: string, index: number): string => `${batchId}.${String(index).padStart(6, '0')}`;

/** Statuses of a batch that is still to be worked on. */
export const OPEN_BATCH_STATUSES: readonly BatchStatus[] = ['validating', 'in_progress', 'finalizing', 'cancelling'];

/** Whether a batch is still to be worked on. */
export const isOpen = ({ status }: Pick<StoredBatch, 'status'>): boolean => OPEN_BATCH_STATUSES.includes(status);

/** All batches, oldest first. */
export async function listBatches(batches: BatchRepository): Promise<readonly StoredBatch[]> {
  if (batches.listBatches !== undefined) return batches.listBatches();
  return (await batches.list()).filter((row) => row.kind === 'batch');
}

/** Batches that are still to be worked on, oldest first. */
export async function listOpenBatches(batches: BatchRepository): Promise<readonly StoredBatch[]> {
  return (await (batches.listOpenBatches?.() ?? listBatches(batches))).filter(isOpen);
}

/** Results that are in memory at once, each with its body. */
const RESULTS_AT_ONCE = 200;

/** The results of a batch in the order of its lines. They may be removed on the way. */
export async function* readResultsOf(batchId: string, batches: BatchRepository): AsyncGenerator<StoredBatchResult> {
  if (batches.pageResultsOf === undefined) {
    const rows = (await batches.list()).filter((row) => row.kind === 'result');
    yield* rows.filter((row) => row.batchId === batchId).toSorted((a, b) => a.index - b.index);
    return;
  }
  for (let after = -1; ;) {
    const results = await batches.pageResultsOf(batchId, { after, limit: RESULTS_AT_ONCE });
    yield* results;
    const last = results.at(-1);
    if (last === undefined || results.length < RESULTS_AT_ONCE) return;
    after = last.index;
  }
}

/** The submissions of a batch, in the order in which they were made. */
export async function listSubmissionsOf(
  batchId: string,
  batches: BatchRepository,
): Promise<readonly StoredSubmission[]> {
  if (batches.listSubmissionsOf !== undefined) return batches.listSubmissionsOf(batchId);
  const rows = (await batches.list()).filter((row) => row.kind === 'submission');
  return rows.filter((row) => row.batchId === batchId);
}

/** What budgets hold for the lines of a submission, in billionths of a dollar. */
export function heldBySubmission({ state, lines }: Pick<StoredSubmission, 'state' | 'lines'>) {
  const holds = state === 'ended' ? [] : lines.flatMap(({ hold }) => hold ?? []);
  return {
    creditsNanoUsd: holds.reduce((sum, { creditsNanoUsd }) => sum + (creditsNanoUsd ?? 0), 0),
    anyNanoUsd: holds.reduce((sum, { anyNanoUsd }) => sum + anyNanoUsd, 0),
  };
}

/** Changes a submission; one that is gone stays so. */
export async function updateSubmission(
  id: string,
  batches: Pick<BatchRepository, 'update'>,
  change: Partial<Pick<StoredSubmission, 'state' | 'upstreamId' | 'providerKey' | 'isCancelled' | 'lines'>>,
): Promise<void> {
  await batches.update(id, (latest) => (latest.kind === 'submission' ? { ...latest, ...change } : latest));
}

/** A batch by its id; undefined for an unknown one, and for the id of a result. */
export async function findBatch(id: string, batches: Pick<BatchRepository, 'get'>): Promise<StoredBatch | undefined> {
  const row = await batches.get(id);
  return row?.kind === 'batch' ? row : undefined;
}

/** Changes a batch; undefined for an unknown one. */
export async function updateBatch(
  id: string,
  batches: Pick<BatchRepository, 'update'>,
  change: (batch: StoredBatch) => StoredBatch,
): Promise<StoredBatch | undefined> {
  const row = await batches.update(id, (latest) => (latest.kind === 'batch' ? change(latest) : latest));
  return row?.kind === 'batch' ? row : undefined;
}
