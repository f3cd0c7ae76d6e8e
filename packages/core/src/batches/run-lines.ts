import { listSubmissionsOf, updateBatch } from '../stores/batches.ts';
import { openInput, type PlacedLine, readBatch } from './batch-lines.ts';
import { type BatchRun, type LineParts, wait } from './batch-run.ts';
import { findLostCalls, lineCallId, NONE_LOST, saveResult, sumUpResults } from './line-results.ts';
import { createSubmitter, type Submitter } from './submissions.ts';

/**
 * Goes through the lines that have no result yet, so many at once: those that a provider takes into a batch of its own
 * are sent to it, unless they have been before, and the calls of the others are made.
 */
export async function runLines(run: BatchRun, parts: LineParts): Promise<void> {
  const { batch } = run;
  const { batches } = parts.store;
  const input = await openInput(batch, parts.files);
  const { indexes, ...sums } = await sumUpResults(batch.id, batches);
  // After a crash the results say what was counted.
  await updateBatch(batch.id, batches, (latest) => ({ ...latest, ...sums }));
  const submissions = await listSubmissionsOf(batch.id, batches);
  const indexesOf = (isOpen: boolean): number[] =>
    submissions
      .filter(({ state }) => (state !== 'ended') === isOpen)
      .flatMap(({ lines }) => lines.map(({ index }) => index));
  const done = new Set([...indexes, ...indexesOf(true)]);
  const submitter = createSubmitter(run, new Set(indexesOf(false)), parts);

  const lines = readBatch(input.read());
  const next = async (): Promise<PlacedLine | undefined> => {
    const refused = submitter.takeRefused();
    if (refused !== undefined) return refused;
    for (;;) {
      const read = await lines.next();
      if (read.done === true) return undefined;
      if (!done.has(read.value.index)) return read.value;
    }
  };
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    while (failure === undefined && (await parts.mayGoOn(batch.id))) {
      const placed = await next();
      if (placed === undefined) return;
      await runLine(placed, run, submitter, parts);
    }
  };
  const workAll = async (): Promise<void> => {
    const workers = Array.from({ length: parts.concurrency }, () =>
      work().catch((error: unknown) => void (failure ??= { error })),
    );
    await Promise.all(workers);
    if (failure !== undefined) throw failure.error;
  };
  try {
    await workAll();
    await submitter.flush();
    // Those that a provider has just refused.
    await workAll();
  } finally {
    submitter.close();
    await lines.return(undefined);
  }
}

async function runLine(placed: PlacedLine, run: BatchRun, submitter: Submitter, parts: LineParts): Promise<void> {
  const { batch, principal, isResumed } = run;
  const { index, line } = placed;
  const { generations } = parts.store;
  const lost = isResumed ? await findLostCalls(batch, index, generations) : NONE_LOST;
  const generationId = lineCallId(batch, index, lost.count);
  const offered = await submitter.offer(placed, generationId);
  if (offered === 'taken') return;
  const make = () => parts.calls().make(batch.endpoint, line.body, principal, generationId);
  let outcome = offered === 'own' ? await make() : offered;
  while (outcome.retryAfterSeconds !== undefined) {
    await wait(outcome.retryAfterSeconds, parts);
    if (!(await parts.mayGoOn(batch.id))) return;
    outcome = await make();
  }
  // The end of this process has ended the call; it is made again after the next start.
  if (parts.isStopped() && outcome.status >= 500) return;
  await saveResult(batch, { index, customId: line.custom_id, outcome, lostNanoUsd: lost.costNanoUsd }, parts.store);
}
