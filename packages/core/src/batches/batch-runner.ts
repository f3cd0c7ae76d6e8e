import { GatewayError } from '../foundation/errors.ts';
import { findBatch, listBatches, type StoredBatch, updateBatch } from '../stores/batches.ts';
import type { BatchStatus } from '../wire/batches.ts';
import { type LineParts, openRun } from './batch-run.ts';
import { finishBatch } from './finish-batch.ts';
import { followSubmissions, isToEnd } from './follow-submissions.ts';
import { runLines } from './run-lines.ts';
import { resumeSending } from './submissions.ts';

export interface BatchRunnerOptions extends Omit<LineParts, 'calls' | 'isStopped' | 'mayGoOn'> {
  /** They are loaded with the first batch. */
  readonly loadLineCalls: () => Promise<LineParts['calls']>;
  /** Distinguishes this process from others at the same store; null where there are none. */
  readonly ownerId: (() => string) | null;
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

const isLeasedElsewhere = (batch: StoredBatch | undefined, { ownerId, platform }: Owning): boolean => {
  const lease = batch?.lease ?? null;
  return ownerId !== null && lease !== null && lease.ownerId !== ownerId() && lease.untilMs > platform.now();
};

const toLease = ({ ownerId, platform }: Owning): StoredBatch['lease'] =>
  ownerId === null ? null : { ownerId: ownerId(), untilMs: platform.now() + LEASE_MS };

interface RunParts extends BatchRunnerOptions {
  readonly isStopped: () => boolean;
}

/** Runs what is left of a batch, until it has ended or is not to go on here. */
async function runBatch(id: string, parts: RunParts): Promise<void> {
  const taken = await take(id, parts);
  if (taken === undefined) return;
  const stopRenewing = renewLease(id, parts);
  try {
    const reason = await work(taken, parts).then(() => null, toReason);
    if (reason !== null) return await failBatch(id, reason, parts);
    const latest = await findBatch(id, parts.store.batches);
    if (latest === undefined || parts.isStopped() || isLeasedElsewhere(latest, parts)) return;
    const isOver = latest.completed + latest.failed >= latest.total || hasExpired(latest, parts);
    if (isOver || latest.status !== 'in_progress') await finishBatch(latest, hasExpired(latest, parts), parts);
  } finally {
    stopRenewing();
    await updateBatch(id, parts.store.batches, (latest) =>
      isLeasedElsewhere(latest, parts) ? latest : { ...latest, lease: null },
    );
  }
}

/** Makes the calls of its lines, and waits for those that providers make; one that is to end, for these alone. */
async function work({ batch, isResumed }: Taken, parts: RunParts): Promise<void> {
  if (batch.status === 'finalizing') return;
  const calls = await parts.loadLineCalls();
  const lineParts: LineParts = { ...parts, calls, mayGoOn: (id) => mayGoOn(id, parts) };
  const run = await openRun(batch, isResumed, lineParts);
  if (isResumed) await resumeSending(run, lineParts);
  const checks = {
    isEnding: () => isToEnd(batch.id, parts),
    isMine: async () => !parts.isStopped() && !isLeasedElsewhere(await findBatch(batch.id, parts.store.batches), parts),
  };
  do {
    if (await mayGoOn(batch.id, parts)) await runLines(run, lineParts);
    // What a provider has not made is made here.
  } while ((await followSubmissions(run, checks, lineParts)) && (await mayGoOn(batch.id, parts)));
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
async function take(id: string, parts: RunParts): Promise<Taken | undefined> {
  let isTaken = false;
  let isResumed = false;
  const taken = await updateBatch(id, parts.store.batches, (latest) => {
    isTaken = isOpen(latest) && !isLeasedElsewhere(latest, parts);
    if (!isTaken) return latest;
    isResumed = latest.status !== 'validating';
    const owned = { ...latest, lease: toLease(parts) };
    if (latest.status !== 'validating') return owned;
    return { ...owned, status: 'in_progress', times: { ...latest.times, in_progress: parts.platform.now() } };
  });
  return isTaken && taken !== undefined ? { batch: taken, isResumed } : undefined;
}

interface Taken {
  readonly batch: StoredBatch;
  readonly isResumed: boolean;
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

async function mayGoOn(id: string, parts: RunParts): Promise<boolean> {
  if (parts.isStopped()) return false;
  const latest = await findBatch(id, parts.store.batches);
  if (latest === undefined || latest.status !== 'in_progress') return false;
  return !isLeasedElsewhere(latest, parts) && !hasExpired(latest, parts);
}
