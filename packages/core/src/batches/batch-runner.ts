import { toKeyPrincipal } from '../auth/authenticate.ts';
import type { FileLibrary } from '../files/file-library.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal } from '../http/request.ts';
import {
  type BatchOwner,
  batchResultId,
  findBatch,
  listBatches,
  listResultsOf,
  type StoredBatch,
  updateBatch,
} from '../stores/batches.ts';
import type { Store } from '../stores/store.ts';
import type { BatchEndpoint, BatchStatus } from '../wire/batches.ts';
import { hasSucceeded, type PlacedLine, readBatch } from './batch-lines.ts';
import { finishBatch } from './finish-batch.ts';

/** What became of the call of a line. */
export interface LineOutcome {
  readonly status: number;
  readonly body: unknown;
  /** Null where the call was refused before it was made. */
  readonly generationId: string | null;
  /** Set where the same call will be admitted after this time. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Makes the call of a line, as any client would. Never rejects for a call that fails. */
export type MakeLine = (
  endpoint: BatchEndpoint,
  body: Readonly<Record<string, unknown>>,
  principal: Principal,
) => Promise<LineOutcome>;

export interface BatchRunnerOptions {
  readonly store: Pick<Store, 'batches' | 'files' | 'generations' | 'keys'>;
  readonly files: FileLibrary;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly makeLine: MakeLine;
  /** Distinguishes this process from others at the same store; null where there are none. */
  readonly ownerId: (() => string) | null;
  /** Lines of one batch under way at once. */
  readonly concurrency: number;
}

/** Runs the batches of the store that have not ended. */
export interface BatchRunner {
  /** Goes on with those that a process has left, and, among several processes, looks for such ones now and then. */
  start(): Promise<void>;
  takeUp(id: string): void;
  /** Begins no further line. */
  stop(): void;
  /** Resolves when nothing is written any more, after `stop`. */
  leave(): Promise<void>;
}

const SCAN_EVERY_MS = 10_000;
const LEASE_MS = 60_000;

const OPEN: readonly BatchStatus[] = ['validating', 'in_progress', 'finalizing', 'cancelling'];

/** Whether a batch is still to be worked on. */
export const isOpen = ({ status }: Pick<StoredBatch, 'status'>): boolean => OPEN.includes(status);

export function createBatchRunner(options: BatchRunnerOptions): BatchRunner {
  const { store, platform, logger } = options;
  const running = new Map<string, Promise<void>>();
  let isStopped = false;
  let cancelScan = (): void => undefined;
  const takeUp = (id: string): void => {
    if (isStopped || running.has(id)) return;
    const work = runBatch(id, { ...options, isStopped: () => isStopped })
      .catch((error: unknown) => logger.error('a batch has stopped', { batch: id, reason: String(error) }))
      .finally(() => running.delete(id));
    running.set(id, work);
  };
  const scan = async (): Promise<void> => {
    for (const batch of await listBatches(store.batches)) {
      if (isOpen(batch) && !isLeasedElsewhere(batch, options)) takeUp(batch.id);
    }
  };
  // What a failure of the store has stopped goes on by the next look, too.
  const scanAgain = (): void => {
    if (isStopped) return;
    cancelScan = platform.setTimer(() => {
      void scan()
        .catch((error: unknown) => logger.warn('batches could not be listed', { reason: String(error) }))
        .then(scanAgain);
    }, SCAN_EVERY_MS);
  };
  return {
    async start() {
      if (platform.isPerRequest === true) return;
      await scan();
      scanAgain();
    },
    takeUp,
    stop() {
      isStopped = true;
      cancelScan();
    },
    async leave() {
      await Promise.all(running.values());
    },
  };
}

type Owning = Pick<BatchRunnerOptions, 'ownerId' | 'platform'>;

const isLeasedElsewhere = ({ lease }: StoredBatch, { ownerId, platform }: Owning): boolean =>
  ownerId !== null && lease !== null && lease.ownerId !== ownerId() && lease.untilMs > platform.now();

const toLease = ({ ownerId, platform }: Owning): StoredBatch['lease'] =>
  ownerId === null ? null : { ownerId: ownerId(), untilMs: platform.now() + LEASE_MS };

interface RunParts extends BatchRunnerOptions {
  readonly isStopped: () => boolean;
}

/** Runs what is left of a batch, until it has ended or is not to go on here. */
async function runBatch(id: string, parts: RunParts): Promise<void> {
  const batch = await take(id, parts);
  if (batch === undefined) return;
  const stopRenewing = renewLease(id, parts);
  try {
    if (batch.status === 'in_progress') {
      const reason = await runLines(batch, parts).then(() => null, toReason);
      if (reason !== null) return await failBatch(id, reason, parts);
    }
    const latest = await findBatch(id, parts.store.batches);
    if (latest === undefined || isLeasedElsewhere(latest, parts)) return;
    const isOver = latest.completed + latest.failed >= latest.total || hasExpired(latest, parts);
    if (isOver || latest.status !== 'in_progress') await finishBatch(latest, hasExpired(latest, parts), parts);
  } finally {
    stopRenewing();
    await updateBatch(id, parts.store.batches, (latest) =>
      isLeasedElsewhere(latest, parts) ? latest : { ...latest, lease: null },
    );
  }
}

/** The words for what its owner has to change; anything else is a failure of the gateway, after which it goes on. */
function toReason(thrown: unknown): string {
  if (thrown instanceof GatewayError && (thrown.code === 'conflict' || thrown.code === 'not_found'))
    return thrown.message;
  throw thrown;
}

async function failBatch(id: string, message: string, { store, platform }: RunParts): Promise<void> {
  await updateBatch(id, store.batches, (latest) => ({
    ...latest,
    status: 'failed',
    times: { ...latest.times, failed: platform.now() },
    problems: [{ code: 'batch_failed', message, line: null }],
  }));
}

const hasExpired = ({ expiresAt }: StoredBatch, { platform }: Owning): boolean => expiresAt <= platform.now();

/** Makes this process the one that runs it; undefined where it has ended, or another one does. */
async function take(id: string, parts: RunParts): Promise<StoredBatch | undefined> {
  let isTaken = false;
  const taken = await updateBatch(id, parts.store.batches, (latest) => {
    isTaken = isOpen(latest) && !isLeasedElsewhere(latest, parts);
    if (!isTaken) return latest;
    const owned = { ...latest, lease: toLease(parts) };
    if (latest.status !== 'validating') return owned;
    return { ...owned, status: 'in_progress', times: { ...latest.times, in_progress: parts.platform.now() } };
  });
  return isTaken ? taken : undefined;
}

/** A line may last longer than a lease. Returns what ends that. */
function renewLease(id: string, parts: RunParts): () => void {
  const { store, platform, logger } = parts;
  if (parts.ownerId === null) return () => undefined;
  let cancel = (): void => undefined;
  let isOver = false;
  const schedule = (): void => {
    cancel = platform.setTimer(() => {
      updateBatch(id, store.batches, (latest) =>
        isOver || isLeasedElsewhere(latest, parts) ? latest : { ...latest, lease: toLease(parts) },
      )
        .catch((error: unknown) => logger.warn('a batch could not be saved', { batch: id, reason: String(error) }))
        .finally(() => isOver || schedule());
    }, LEASE_MS / 3);
  };
  schedule();
  return () => {
    isOver = true;
    cancel();
  };
}

/** Makes the calls of the lines that have no result yet, so many at once. */
async function runLines(batch: StoredBatch, parts: RunParts): Promise<void> {
  const principal = await findPrincipal(batch.owner, parts);
  const file = await parts.files.find(batch.inputFileId, batch.workspaceId);
  const results = await listResultsOf(batch.id, parts.store.batches);
  const done = new Set(results.map(({ index }) => index));
  // After a crash the results say what was counted.
  await updateBatch(batch.id, parts.store.batches, (latest) => ({ ...latest, ...sumOf(results) }));
  const lines = readBatch((await parts.files.open(file)).read());
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (;;) {
      if (failure !== undefined || !(await mayGoOn(batch.id, parts))) return;
      const next = await lines.next();
      if (next.done === true) return;
      if (!done.has(next.value.index)) await runLine(next.value, { batch, principal }, parts);
    }
  };
  const workers = Array.from({ length: parts.concurrency }, () =>
    work().catch((error: unknown) => void (failure ??= { error })),
  );
  await Promise.all(workers);
  await lines.return(undefined);
  if (failure !== undefined) throw failure.error;
}

const sumOf = (results: Awaited<ReturnType<typeof listResultsOf>>) => ({
  completed: results.filter(hasSucceeded).length,
  failed: results.filter((result) => !hasSucceeded(result)).length,
  costNanoUsd: results.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
});

async function mayGoOn(id: string, parts: RunParts): Promise<boolean> {
  if (parts.isStopped()) return false;
  const latest = await findBatch(id, parts.store.batches);
  if (latest === undefined || latest.status !== 'in_progress') return false;
  return !isLeasedElsewhere(latest, parts) && !hasExpired(latest, parts);
}

interface Run {
  readonly batch: StoredBatch;
  readonly principal: Principal;
}

async function runLine({ index, line }: PlacedLine, { batch, principal }: Run, parts: RunParts): Promise<void> {
  const { batches, generations } = parts.store;
  let outcome = await parts.makeLine(batch.endpoint, line.body, principal);
  while (outcome.retryAfterSeconds !== undefined) {
    await wait(outcome.retryAfterSeconds, parts);
    if (!(await mayGoOn(batch.id, parts))) return;
    outcome = await parts.makeLine(batch.endpoint, line.body, principal);
  }
  // The end of this process has ended the call; it is made again after the next start.
  if (parts.isStopped() && outcome.status >= 500) return;
  const { generationId, status, body } = outcome;
  const record =
    generationId === null
      ? undefined
      : ((await generations.get(generationId)) ?? (await generations.getLate?.(generationId)));
  const id = batchResultId(batch.id, index);
  const costNanoUsd = record?.costNanoUsd ?? 0;
  const kind = 'result' as const;
  const result = {
    id,
    kind,
    batchId: batch.id,
    index,
    customId: line.custom_id,
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

/** A gateway that closes waits for it. */
const MAX_WAIT_SECONDS = 5;

const wait = (seconds: number, { platform }: Pick<RunParts, 'platform'>): Promise<void> =>
  new Promise((resolve) => {
    platform.setTimer(resolve, Math.min(seconds, MAX_WAIT_SECONDS) * 1000);
  });

/** The present principal of an owner. Throws where its key is gone, or must not call any more. */
async function findPrincipal(owner: BatchOwner, { store, platform }: RunParts): Promise<Principal> {
  const { id, name, userId, workspaceId, isKey } = owner;
  if (!isKey) return { kind: 'api', id, name, userId, workspaceId };
  const record = await store.keys.get(id);
  const isOver = record?.expiresAt != null && Date.parse(record.expiresAt) <= platform.now();
  if (record === undefined || record.disabled || isOver) {
    throw new GatewayError('conflict', `The key "${name}", as which the calls are made, is gone, disabled or expired`);
  }
  return toKeyPrincipal(record);
}
