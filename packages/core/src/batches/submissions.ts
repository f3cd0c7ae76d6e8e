import { GatewayError } from '../foundation/errors.ts';
import { toPayer } from '../limits/budgets.ts';
import type { BatchApi } from '../providers/provider.ts';
import { listSubmissionsOf, type StoredSubmission, type SubmittedLine, updateSubmission } from '../stores/batches.ts';
import type { PlacedLine } from './batch-lines.ts';
import type { BatchRun, LineParts } from './batch-run.ts';
import type { LineOutcome, LinePlace } from './line-calls.ts';

/** Limit of one request to a batch API; one that sends lines carries 16 MB. */
export const BATCH_CALL_MS = 120_000;

/** Collects lines for the batch APIs of providers, and sends them. */
export interface Submitter {
  /** `taken`: it will be sent. `own`: its call has to be made. An outcome: it was refused before either. */
  offer(placed: PlacedLine, generationId: string): Promise<'taken' | 'own' | LineOutcome>;
  /** Sends what has been collected. */
  flush(): Promise<void>;
  /** A line that was taken, and that its provider has refused; undefined for none. */
  takeRefused(): PlacedLine | undefined;
  /** Lets go of what was collected and not sent. */
  close(): void;
}

interface CollectedLine extends SubmittedLine {
  readonly placed: PlacedLine;
  readonly body: string;
}

/** Lines for one endpoint, which become one batch of its provider. */
interface Pack {
  readonly place: LinePlace;
  readonly group: string;
  readonly lines: CollectedLine[];
  bytes: number;
}

/** Creates one for a run. `returned`: lines that have been with a provider before, which has not made them. */
export function createSubmitter(run: BatchRun, returned: ReadonlySet<number>, parts: LineParts): Submitter {
  const { batch, principal } = run;
  const packs = new Map<string, Pack>();
  const refused: PlacedLine[] = [];
  /** Providers that have refused lines of this batch. */
  const refusing = new Set<string>();
  let count = 0;

  const send = async (pack: Pack): Promise<void> => {
    count += 1;
    if (await submit(pack, `${batch.id}-${parts.platform.now()}-${count}`, run, parts)) return;
    refusing.add(pack.place.providerSlug);
    for (const { generationId, placed } of pack.lines) {
      parts.calls().release(generationId);
      refused.push(placed);
    }
  };

  return {
    async offer(placed, generationId) {
      if (returned.has(placed.index)) return 'own';
      const calls = parts.calls();
      const prepared = await calls.prepare(batch.endpoint, placed.line.body, principal, generationId);
      if (prepared.type === 'own') return 'own';
      if (prepared.type === 'refused') return prepared.outcome;
      const { place, request, hold } = prepared;
      const api = calls.findApi(place.providerSlug);
      if (api === undefined || refusing.has(place.providerSlug) || request.body.length > api.maxBytes) {
        calls.release(generationId);
        return 'own';
      }
      const key = JSON.stringify([place, request.group]);
      const present = packs.get(key);
      const isFull =
        present !== undefined &&
        (present.lines.length >= api.maxRequests || present.bytes + request.body.length > api.maxBytes);
      const pack: Pack =
        present === undefined || isFull ? { place, group: request.group, lines: [], bytes: 0 } : present;
      pack.lines.push({ index: placed.index, generationId, hold, placed, body: request.body });
      pack.bytes += request.body.length;
      packs.set(key, pack);
      if (isFull) await send(present);
      return 'taken';
    },
    async flush() {
      for (const [key, pack] of packs) {
        const api = parts.calls().findApi(pack.place.providerSlug);
        if (api === undefined || !(await parts.mayGoOn(batch.id))) continue;
        packs.delete(key);
        await send(pack);
      }
    },
    takeRefused: () => refused.shift(),
    close() {
      for (const { lines } of packs.values()) for (const { generationId } of lines) parts.calls().release(generationId);
    },
  };
}

/**
 * Sends a pack. A row is written before and after, so that whoever goes on after a death knows of it. Resolves with
 * whether upstream has it; where that is not known, upstream is asked, by the next process where this one ends.
 */
async function submit(pack: Pack, id: string, { batch, principal }: BatchRun, parts: LineParts): Promise<boolean> {
  const { batches } = parts.store;
  const { place, group, lines } = pack;
  const row: StoredSubmission = {
    id,
    kind: 'submission',
    batchId: batch.id,
    providerSlug: place.providerSlug,
    modelId: place.modelId,
    endpointTag: place.tag,
    state: 'sending',
    upstreamId: null,
    isCancelled: false,
    payer: toPayer(principal),
    lines: lines.map(({ index, generationId, hold }) => ({ index, generationId, hold })),
  };
  try {
    await batches.insert(row);
  } catch (error) {
    // Without a row nobody else lets go of what is held, and the same lines are held again when the batch goes on.
    releaseAll(row, parts);
    throw error;
  }
  // The row holds it from now on, also after the end of this process.
  for (const { generationId } of lines) parts.calls().handOver(generationId);
  // What is cut off may be there, and sent a second time where upstream cannot be asked for it.
  const limits = { signal: parts.stop.cutOff, timeoutMs: BATCH_CALL_MS };
  const requests = lines.map(({ generationId, body }) => ({ id: generationId, body }));
  let upstreamId: string | undefined;
  let asked: BatchApi | undefined;
  try {
    upstreamId = await parts.calls().send({ ...place, batchId: batch.id }, async (api, providerKey) => {
      // Whoever asks for it after a death has to ask with the same key.
      if (providerKey !== undefined) await updateSubmission(id, batches, { providerKey });
      asked = api;
      return api.submit({ marker: id, group, providerModel: place.providerModel, requests, ...limits });
    });
  } catch (error) {
    parts.logger.warn('a provider did not take a batch', { batch: batch.id, reason: String(error) });
    if (asked !== undefined && !isRefusal(error)) {
      // Whoever goes on asks upstream for it, by the row.
      if (parts.isStopped()) return true;
      upstreamId = await findAgain(id, asked, parts);
      if (upstreamId === undefined && parts.isStopped()) return true;
    }
  }
  if (upstreamId === undefined) await batches.remove(id);
  else await updateSubmission(id, batches, { state: 'sent', upstreamId });
  return upstreamId !== undefined;
}

/** Whether upstream has certainly not taken what it was sent. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof GatewayError &&
  typeof error.upstreamStatus === 'number' &&
  error.upstreamStatus >= 400 &&
  error.upstreamStatus < 500 &&
  error.upstreamStatus !== 408;

async function findAgain(marker: string, api: BatchApi, { logger, stop }: LineParts): Promise<string | undefined> {
  try {
    return await api.find?.({ marker, signal: stop.stopping, timeoutMs: BATCH_CALL_MS });
  } catch (error) {
    logger.warn('a provider could not be asked for a batch', { marker, reason: String(error) });
    return undefined;
  }
}

/**
 * Clears up what a process has left that died while it was sending: upstream is asked whether it has the lines. Where it
 * has not, or cannot tell, they are sent again.
 */
export async function resumeSending({ batch }: Pick<BatchRun, 'batch'>, parts: LineParts): Promise<void> {
  const { batches } = parts.store;
  for (const submission of await listSubmissionsOf(batch.id, batches)) {
    if (submission.state !== 'sending') continue;
    const api = parts.calls().findApi(submission.providerSlug, submission.providerKey);
    const upstreamId = api && (await findAgain(submission.id, api, parts));
    if (upstreamId === undefined && parts.isStopped()) return;
    if (upstreamId !== undefined) await updateSubmission(submission.id, batches, { state: 'sent', upstreamId });
    else {
      await batches.remove(submission.id);
      releaseAll(submission, parts);
    }
  }
}

/** Lets go of what budgets hold for the lines of a submission; for those that are recorded, nothing is held any more. */
export function releaseAll({ lines }: Pick<StoredSubmission, 'lines'>, parts: Pick<LineParts, 'calls'>): void {
  for (const { generationId } of lines) parts.calls().release(generationId);
}

/** For the log: the provider may charge for what it has made. */
export const GIVEN_UP = 'a batch at a provider was given up; what it made there was not charged';

/** Gives up what is with providers, because nobody is there any more to make it for: it is cancelled, and not held. */
export async function abandonSubmissions(
  batchId: string,
  parts: Pick<LineParts, 'store' | 'calls' | 'logger' | 'stop'>,
): Promise<void> {
  const { batches } = parts.store;
  for (const submission of await listSubmissionsOf(batchId, batches)) {
    const { id, upstreamId, state, providerSlug, providerKey } = submission;
    if (upstreamId !== null && state !== 'ended') {
      const signal = parts.stop.cutOff;
      const api = parts.calls().findApi(providerSlug, providerKey);
      // What the end of this process cuts off is cancelled by the next, which finds the row.
      await api?.cancel({ upstreamId, signal, timeoutMs: BATCH_CALL_MS }).catch((error: unknown) => {
        if (signal.aborted) throw error;
      });
      parts.logger.error(GIVEN_UP, { batch: batchId, provider: providerSlug, upstreamId });
    }
    await batches.remove(id);
    releaseAll(submission, parts);
  }
}
