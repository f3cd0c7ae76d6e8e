import { GatewayError } from '../foundation/errors.ts';
import {
  createJobRunner,
  isLeasedElsewhere,
  type JobRunner,
  type JobStop,
  keepRenewing,
  type LeaseHolder,
  toLease,
} from '../foundation/leased-jobs.ts';
import { findBatch, isOpen, listOpenBatches, type StoredBatch, updateBatch } from '../stores/batches.ts';
import { type LineParts, openRun } from './batch-run.ts';
import { finishBatch } from './finish-batch.ts';
import { followSubmissions, isToEnd } from './follow-submissions.ts';
import { runLines } from './run-lines.ts';
import { abandonSubmissions, resumeSending } from './submissions.ts';

export interface BatchRunnerOptions extends Omit<LineParts, 'calls' | 'stop' | 'isStopped' | 'mayGoOn'> {
  /** They are loaded with the first batch. */
  readonly loadLineCalls: () => Promise<LineParts['calls']>;
  readonly ownerId: LeaseHolder['ownerId'];
}

/** Runs the batches of the store that have not ended. */
export type BatchRunner = JobRunner;

export function createBatchRunner(options: BatchRunnerOptions): BatchRunner {
  const { store, platform, logger } = options;
  return createJobRunner({
    name: 'batch',
    async findIds() {
      const open = await listOpenBatches(store.batches);
      return open.filter((batch) => !isElsewhere(batch, options)).map(({ id }) => id);
    },
    run: (id, stop) => runBatch(id, { ...options, stop, isStopped: () => stop.stopping.aborted }),
    scansAgain: true,
    platform,
    logger,
  });
}

const isElsewhere = (batch: StoredBatch | undefined, holder: LeaseHolder): boolean =>
  isLeasedElsewhere(batch?.lease, holder);

interface RunParts extends BatchRunnerOptions {
  readonly stop: JobStop;
  readonly isStopped: () => boolean;
}

/** Runs what is left of a batch, until it has ended or is not to go on here. */
async function runBatch(id: string, parts: RunParts): Promise<void> {
  const taken = await take(id, parts);
  if (taken === undefined) return;
  const { batches } = parts.store;
  const renew = () =>
    updateBatch(id, batches, (latest) => (isElsewhere(latest, parts) ? latest : { ...latest, lease: toLease(parts) }));
  const stopRenewing = keepRenewing(renew, parts, (error) =>
    parts.logger.warn('a batch could not be saved', { batch: id, reason: String(error) }),
  );
  try {
    const reason = await work(taken, parts).then(() => null, toReason);
    if (reason !== null) return await failBatch(id, reason, parts);
    const latest = await findBatch(id, parts.store.batches);
    if (latest === undefined || parts.isStopped() || isElsewhere(latest, parts)) return;
    const isOver = latest.completed + latest.failed >= latest.total || hasExpired(latest, parts);
    if (isOver || latest.status !== 'in_progress') await end(latest, parts);
  } finally {
    stopRenewing();
    await updateBatch(id, parts.store.batches, (latest) =>
      isElsewhere(latest, parts) ? latest : { ...latest, lease: null },
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
    isMine: async () => !parts.isStopped() && !isElsewhere(await findBatch(batch.id, parts.store.batches), parts),
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

/** From here on none of its lines is made any more, whatever its owner changes. One that was cancelled stays that. */
async function failBatch(id: string, message: string, parts: RunParts): Promise<void> {
  const failing = await updateBatch(id, parts.store.batches, (latest) =>
    latest.status === 'cancelling'
      ? latest
      : {
          ...latest,
          status: 'finalizing',
          times: { ...latest.times, finalizing: parts.platform.now() },
          problems: [{ code: 'batch_failed', message, line: null }],
        },
  );
  if (failing === undefined) return;
  await abandon(id, parts);
  await finishBatch(failing, hasExpired(failing, parts), parts);
}

/** Ends a batch, also one of which an earlier process has only written that it is to end. */
async function end(batch: StoredBatch, parts: RunParts): Promise<void> {
  if (batch.problems.length > 0) await abandon(batch.id, parts);
  await finishBatch(batch, hasExpired(batch, parts), parts);
}

const abandon = async (id: string, { store, logger, stop, loadLineCalls }: RunParts): Promise<void> =>
  abandonSubmissions(id, { store, logger, stop, calls: await loadLineCalls() });

const hasExpired = ({ expiresAt }: StoredBatch, { platform }: LeaseHolder): boolean => expiresAt <= platform.now();

/** Makes this process the one that runs it; undefined where it has ended, or another one does. */
async function take(id: string, parts: RunParts): Promise<Taken | undefined> {
  let isTaken = false;
  let isResumed = false;
  const taken = await updateBatch(id, parts.store.batches, (latest) => {
    isTaken = isOpen(latest) && !isElsewhere(latest, parts);
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

async function mayGoOn(id: string, parts: RunParts): Promise<boolean> {
  if (parts.isStopped()) return false;
  const latest = await findBatch(id, parts.store.batches);
  if (latest === undefined || latest.status !== 'in_progress') return false;
  return !isElsewhere(latest, parts) && !hasExpired(latest, parts);
}
