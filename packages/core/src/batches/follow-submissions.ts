import { GatewayError } from '../foundation/errors.ts';
import type { BatchCall } from '../providers/batch-contract.ts';
import type { BatchApi } from '../providers/provider.ts';
import {
  batchResultId,
  findBatch,
  listSubmissionsOf,
  type StoredSubmission,
  updateSubmission,
} from '../stores/batches.ts';
import { openInput, type PlacedLine, readBatch } from './batch-lines.ts';
import { type BatchRun, type LineParts, wait } from './batch-run.ts';
import { findLostCalls, saveResult } from './line-results.ts';
import { BATCH_CALL_MS, GIVEN_UP, isRefusal, releaseAll } from './submissions.ts';

const FIRST_POLL_SECONDS = 1;
const MAX_POLL_SECONDS = 30;
/** How long a provider has to end a batch that was cancelled, or whose time is over. */
const ENDING_MS = 15 * 60 * 1000;
/** How long a line waits to be admitted before the batches at providers are looked at again. */
const MAX_ADMISSION_MS = 60_000;

/**
 * Waits for the batches of a run that are with providers, and takes over what comes of each. One that is to end, because
 * it was cancelled or its time is over, is cancelled there as well, and what had been made by then still counts. Resolves
 * with whether there were any; stops early where the run is not to go on here.
 */
export async function followSubmissions(
  run: BatchRun,
  { isEnding, isMine }: { readonly isEnding: () => Promise<boolean>; readonly isMine: () => Promise<boolean> },
  parts: LineParts,
): Promise<boolean> {
  let hasFollowed = false;
  let endsAt: number | undefined;
  for (let seconds = FIRST_POLL_SECONDS; ; seconds = Math.min(seconds * 2, MAX_POLL_SECONDS)) {
    const all = await listSubmissionsOf(run.batch.id, parts.store.batches);
    const open = all.filter(({ state }) => state === 'sent');
    if (open.length === 0) return hasFollowed;
    hasFollowed = true;
    const isToEnd = await isEnding();
    if (isToEnd) endsAt ??= parts.platform.now() + ENDING_MS;
    const isOut = endsAt !== undefined && parts.platform.now() >= endsAt;
    for (const submission of open) {
      if (!(await isMine())) return true;
      await look(submission, run, { isToEnd, isOut }, parts);
    }
    if (isToEnd) seconds = FIRST_POLL_SECONDS;
    const until = parts.platform.now() + seconds * 1000;
    while (parts.platform.now() < until) {
      if (!(await isMine())) return true;
      // A cancellation is passed on at once.
      if (!isToEnd && (await isEnding())) break;
      await wait((until - parts.platform.now()) / 1000, parts);
    }
  }
}

interface Ending {
  readonly isToEnd: boolean;
  /** It has taken too long to end. */
  readonly isOut: boolean;
}

async function look(submission: StoredSubmission, run: BatchRun, ending: Ending, parts: LineParts): Promise<void> {
  const { batches } = parts.store;
  const api = parts.calls().findApi(submission.providerSlug, submission.providerKey);
  const { upstreamId } = submission;
  const limits = { signal: parts.stop.stopping, timeoutMs: BATCH_CALL_MS };
  if (api !== undefined && upstreamId !== null) {
    const call = { upstreamId, ...limits };
    // Whatever becomes of it, upstream may have ended the batch, and what it has made is to be read.
    if (ending.isToEnd && !submission.isCancelled) await passOnCancel(submission, api, call, parts);
    if (parts.isStopped()) return;
    try {
      const state = await api.poll(call);
      if (state === 'running' && !ending.isOut) return;
      if (state === 'ended') await collect(submission, run, api, upstreamId, parts);
      if (parts.isStopped()) return;
      // Only what has been taken over is removed there.
      if (state !== 'running') await api.discard(call).catch(() => undefined);
    } catch (error) {
      // The next process follows it.
      if (parts.isStopped()) return;
      parts.logger.warn('a batch could not be followed', { batch: run.batch.id, reason: String(error) });
      if (!isGone(error) && !ending.isOut) return;
      const { providerSlug } = submission;
      const told = { batch: run.batch.id, provider: providerSlug, upstreamId };
      parts.logger.error(GIVEN_UP, told);
    }
  }
  await updateSubmission(submission.id, batches, { state: 'ended' });
  releaseAll(submission, parts);
}

/** Cancels a batch at its provider. One that refuses, because the batch has ended there, is not asked again. */
async function passOnCancel(
  { id, batchId }: StoredSubmission,
  api: BatchApi,
  call: BatchCall,
  { store, logger }: LineParts,
): Promise<void> {
  try {
    await api.cancel(call);
  } catch (error) {
    logger.warn('a provider did not cancel a batch', { batch: batchId, reason: String(error) });
    if (!isFinal(error)) return;
  }
  await updateSubmission(id, store.batches, { isCancelled: true });
}

/** Refusals that another key or another time may change. */
const PASSING: ReadonlySet<number | null> = new Set([401, 403, 429]);

const isFinal = (error: unknown): boolean =>
  isRefusal(error) && error instanceof GatewayError && !PASSING.has(error.upstreamStatus);

/** Upstream does not know it (any more). */
const isGone = (error: unknown): boolean => error instanceof GatewayError && error.upstreamStatus === 404;

/** Takes over the responses, in whatever order they come. Those that have results already are passed over. */
async function collect(
  submission: StoredSubmission,
  run: BatchRun,
  api: BatchApi,
  upstreamId: string,
  parts: LineParts,
): Promise<void> {
  const { batch, principal } = run;
  const { batches } = parts.store;
  const byId = new Map(submission.lines.map((line) => [line.generationId, line]));
  const bodies = await readLinesOf(submission, run, parts);
  const signal = parts.stop.stopping;
  const holds = createHoldRelease(submission, parts);
  for await (const { id, response } of api.read({ upstreamId, signal, timeoutMs: BATCH_CALL_MS })) {
    if (parts.isStopped()) return;
    const placed = bodies.get(byId.get(id)?.index ?? -1);
    if (placed === undefined || response === null) continue;
    const { index, line } = placed;
    if ((await batches.get(batchResultId(batch.id, index))) !== undefined) continue;
    const sent = {
      generationId: id,
      modelId: submission.modelId,
      tag: submission.endpointTag,
      providerKey: submission.providerKey,
      response,
    };
    holds.expect(id);
    const complete = () => parts.calls().complete(batch.endpoint, line.body, principal, sent);
    let outcome = await complete();
    const until = parts.platform.now() + MAX_ADMISSION_MS;
    while (outcome.retryAfterSeconds !== undefined && !parts.isStopped()) {
      if (parts.platform.now() >= until) throw new Error(`line ${index} is not admitted yet`);
      await wait(outcome.retryAfterSeconds, parts);
      outcome = await complete();
    }
    // The end of this process has ended what was made of it.
    if (parts.isStopped() && (outcome.status >= 500 || outcome.retryAfterSeconds !== undefined)) return;
    const { costNanoUsd: lostNanoUsd } = await findLostCalls(batch, index, parts.store.generations, id);
    await saveResult(batch, { index, customId: line.custom_id, outcome, lostNanoUsd }, parts.store);
    await holds.releaseSome();
  }
  await holds.untilCounted();
}

/** A large submission is written anew so often while its holds go, and a small one after so many lines. */
const WRITES = 20;
const MIN_LINES = 100;

/**
 * Lets go of what the row of a submission holds, a part at a time, once the budgets of every instance count the costs:
 * meanwhile an amount counts twice, never not at all. Where budgets count a cost as it is recorded, it writes nothing.
 */
function createHoldRelease({ id, lines }: StoredSubmission, { calls, store }: LineParts) {
  const step = Math.max(MIN_LINES, Math.ceil(lines.length / WRITES));
  const done = new Set<string>();
  let waiting: Promise<void>[] = [];
  const untilCounted = async (): Promise<void> => {
    await Promise.all(waiting);
    waiting = [];
  };
  return {
    expect(generationId: string): void {
      const counted = calls().untilCounted(generationId);
      if (counted === undefined) return;
      waiting.push(counted);
      done.add(generationId);
    },
    async releaseSome(): Promise<void> {
      if (waiting.length < step) return;
      await untilCounted();
      await updateSubmission(id, store.batches, {
        lines: lines.map((line) => (done.has(line.generationId) ? { ...line, hold: null } : line)),
      });
    },
    untilCounted,
  };
}

async function readLinesOf(
  { lines }: StoredSubmission,
  { batch }: BatchRun,
  { files }: LineParts,
): Promise<ReadonlyMap<number, PlacedLine>> {
  const wanted = new Set(lines.map(({ index }) => index));
  const found = new Map<number, PlacedLine>();
  for await (const placed of readBatch((await openInput(batch, files)).read())) {
    if (wanted.has(placed.index)) found.set(placed.index, placed);
  }
  return found;
}

/** Whether a batch is to end before its lines are done. */
export async function isToEnd(id: string, parts: Pick<LineParts, 'store' | 'platform'>): Promise<boolean> {
  const latest = await findBatch(id, parts.store.batches);
  return latest === undefined || latest.status !== 'in_progress' || latest.expiresAt <= parts.platform.now();
}
