import { findOwnerPrincipal } from '../auth/find-owner.ts';
import type { MemberDirectory } from '../auth/keys.ts';
import { messageOf } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import {
  createJobRunner,
  isLeasedElsewhere,
  type JobRunner,
  keepRenewing,
  type LeaseHolder,
  toLease,
} from '../foundation/leased-jobs.ts';
import type { Platform } from '../foundation/platform.ts';
import { createTurns } from '../foundation/queues.ts';
import type { Principal } from '../http/request.ts';
import {
  findRerun,
  listPartsOf,
  listReruns,
  type StoredRerun,
  type StoredRerunItem,
  updateRerun,
} from '../stores/reruns.ts';
import type { Store } from '../stores/store.ts';
import type { RerunState } from '../wire/reruns.ts';
import { dropAgedReruns, failUnfinished } from './aged-reruns.ts';
import { createRerunCap, type RerunCap } from './cap.ts';
import type { RerunJudge } from './judge-by-code.ts';
import { costOfRecord, findRecord, sumItems } from './rerun-rows.ts';
import type { Held, ItemParts, MakeCall } from './run-item.ts';

interface RerunRunnerOptions {
  readonly store: Pick<
    Store,
    'generations' | 'keys' | 'members' | 'presets' | 'reruns' | 'retention' | 'settings' | 'workspaces'
  >;
  readonly members: MemberDirectory;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly makeCall: MakeCall;
  readonly readCatalog: ItemParts['readCatalog'];
  readonly readRequest: ItemParts['readRequest'];
  readonly judges: Readonly<Record<string, RerunJudge>>;
  readonly ownerId: LeaseHolder['ownerId'];
}

/** Runs the reruns of the store that are at `running`. */
export type RerunRunner = JobRunner;

const DROP_EVERY_MS = 60 * 60 * 1000;
/** Far more than the rows of the largest rerun take. */
const MAX_CREATING_MS = 10 * 60 * 1000;

export function createRerunRunner(options: RerunRunnerOptions): RerunRunner {
  const { store, platform, logger, ownerId } = options;
  const runner = createJobRunner({
    name: 'rerun',
    async findIds() {
      const reruns = await listReruns(store.reruns);
      return reruns
        .filter(({ state, lease }) => state === 'running' && !isLeasedElsewhere(lease, options))
        .map(({ id }) => id);
    },
    run: (id, { stopping }) => runRerun(id, { ...options, isStopped: () => stopping.aborted }),
    scansAgain: ownerId !== null,
    platform,
    logger,
  });
  let isStopped = false;
  let cancelDrop = (): void => undefined;
  let dropping = Promise.resolve();
  /** Another process may still be creating one, and nobody knows whether it is. */
  const failLeft = () => failUnfinished(store, ownerId === null ? null : platform.now() - MAX_CREATING_MS);
  /** Every hour, as retention does with the records. */
  const dropAged = (): void => {
    if (isStopped || (store.retention === undefined && ownerId === null)) return;
    dropping = (ownerId === null ? Promise.resolve() : failLeft())
      .then(() => dropAgedReruns(store))
      .catch((error: unknown) => logger.warn('old reruns could not be deleted', { reason: String(error) }));
    cancelDrop = platform.setTimer(dropAged, DROP_EVERY_MS);
  };
  return {
    async start() {
      if (platform.isPerRequest === true) return;
      if (ownerId === null) await failLeft();
      await runner.start();
      dropAged();
    },
    takeUp: (id) => runner.takeUp(id),
    stop() {
      isStopped = true;
      runner.stop();
      cancelDrop();
    },
    async leave() {
      await Promise.all([runner.leave(), dropping]);
    },
  };
}

interface RunParts extends RerunRunnerOptions {
  readonly isStopped: () => boolean;
}

/** Runs what is left of a rerun, until it has ended or is not to go on. */
async function runRerun(id: string, parts: RunParts): Promise<void> {
  const rerun = await take(id, parts);
  if (rerun === undefined) return;
  let principal: Principal;
  try {
    principal = await findOwnerPrincipal(rerun.owner, parts);
  } catch (error) {
    return end(id, 'paused', messageOf(error), parts);
  }
  const items = new Map<string, StoredRerunItem>();
  for (const part of await listPartsOf(id, parts.store.reruns)) {
    if (part.kind === 'item') items.set(part.id, await recover(part, parts));
  }
  const cap = createRerunCap(rerun.maxCostNanoUsd, sumItems(items.values()).spentNanoUsd);
  const run: Run = {
    rerun,
    principal,
    items,
    cap,
    queue: toQueue(items.values()),
    save: createSaving(id, items, parts),
  };
  const stopRenewing = keepRenewing(run.save, parts, (error) =>
    parts.logger.warn('a rerun could not be saved', { reason: String(error) }),
  );
  const held = await runQueue(run, parts).finally(stopRenewing);
  await run.save();
  if (held !== null) return end(id, 'paused', held.reason, parts);
  const { counts } = sumItems(items.values());
  if (counts.pending + counts.running > 0) return release(id, parts);
  const hasFailed = counts.total > 0 && counts.done === 0;
  await end(id, hasFailed ? 'failed' : 'done', hasFailed ? 'Every item has failed; see their reasons' : null, parts);
}

interface Run {
  readonly rerun: StoredRerun;
  readonly principal: Principal;
  readonly items: Map<string, StoredRerunItem>;
  readonly cap: RerunCap;
  /** What is to be run, in order. */
  readonly queue: StoredRerunItem[];
  /** Writes the sums of the items into the rerun; resolves with it. */
  readonly save: () => Promise<StoredRerun | undefined>;
}

/** What was under way goes first. */
function toQueue(items: Iterable<StoredRerunItem>): StoredRerunItem[] {
  const open = [...items].filter(({ state }) => state === 'pending' || state === 'running');
  const isBegun = ({ state }: StoredRerunItem): number => (state === 'running' ? 0 : 1);
  return open.toSorted((a, b) => isBegun(a) - isBegun(b) || a.index - b.index || a.target - b.target);
}

/** Runs so many items at once. Resolves with why the rest waits; with null at the end, and where it is not to go on. */
async function runQueue(run: Run, parts: RunParts): Promise<Held | null> {
  // With the schemas of every format, which a start does without.
  const { runItem } = await import('./run-item.ts');
  let held: Held | null = null;
  let hasFailed = false;
  const itemRun = {
    ...run,
    isStopped: parts.isStopped,
    onChange: (item: StoredRerunItem) => void run.items.set(item.id, item),
  };
  const work = async (): Promise<void> => {
    while (held === null && !hasFailed && (await mayGoOn(run, parts))) {
      const item = run.queue.shift();
      if (item === undefined) return;
      const waits = await runItem(item, itemRun, toItemParts(parts));
      await run.save();
      if (waits === null) continue;
      if (waits.type === 'stopped') return;
      run.queue.unshift(run.items.get(item.id) ?? item);
      // What is held for other calls is more than they will cost, as a rule.
      if (waits.untilRoom) await waits.untilRoom;
      else held ??= waits;
    }
  };
  const guarded = (): Promise<void> =>
    work().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  const results = await Promise.allSettled(Array.from({ length: run.rerun.concurrency }, guarded));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined)
    held ??= { type: 'failure', reason: `It was stopped by a failure: ${String(failed.reason)}` };
  return held;
}

const toItemParts = ({ store, platform, makeCall, readCatalog, readRequest, judges }: RunParts): ItemParts => ({
  store,
  platform,
  makeCall,
  readCatalog,
  readRequest,
  judges,
});

async function mayGoOn({ rerun: { id } }: Run, parts: RunParts): Promise<boolean> {
  if (parts.isStopped()) return false;
  const latest = await findRerun(id, parts.store.reruns);
  return latest?.state === 'running' && !isLeasedElsewhere(latest.lease, parts);
}

/** Makes this process the one that runs it; undefined where it is not to be run, or another one does. */
async function take(id: string, parts: RunParts): Promise<StoredRerun | undefined> {
  const { store, ownerId } = parts;
  let isTaken = false;
  const taken = await updateRerun(id, store.reruns, (latest) => {
    isTaken = latest.state === 'running' && !isLeasedElsewhere(latest.lease, parts);
    return isTaken && ownerId !== null ? { ...latest, lease: toLease(parts) } : latest;
  });
  return isTaken ? taken : undefined;
}

/** A call that was under way when its process died: its record says what it cost, or else it is lost. */
async function recover(item: StoredRerunItem, { store }: RunParts): Promise<StoredRerunItem> {
  if (item.calls.every(({ costNanoUsd, isLost }) => costNanoUsd !== null || isLost === true)) return item;
  const calls = await Promise.all(
    item.calls.map(async (call) => {
      if (call.costNanoUsd !== null || call.isLost === true) return call;
      const record = await findRecord(call.generationId, store.generations);
      if (record === undefined) return { ...call, isLost: true as const };
      return { ...call, costNanoUsd: costOfRecord(record, call.reservedNanoUsd) };
    }),
  );
  const row = await store.reruns.update(item.id, (latest) => (latest.kind === 'item' ? { ...latest, calls } : latest));
  return row?.kind === 'item' ? row : item;
}

/** Makes the writer of the sums: one after the other, so that a later one is never overwritten by an earlier one. */
function createSaving(id: string, items: ReadonlyMap<string, StoredRerunItem>, parts: RunParts): Run['save'] {
  const { store, ownerId } = parts;
  const inTurn = createTurns();
  return () =>
    inTurn(() => {
      const sums = sumItems(items.values());
      return updateRerun(id, store.reruns, (latest) =>
        // One that has lost it to another process, which knows more, has no say any more.
        isLeasedElsewhere(latest.lease, parts)
          ? latest
          : { ...latest, ...sums, ...(ownerId !== null && { lease: toLease(parts) }) },
      );
    });
}

/** Puts a rerun into another state, unless it has been put into one by somebody else meanwhile. */
async function end(id: string, state: RerunState, reason: string | null, { store }: RunParts): Promise<void> {
  await updateRerun(id, store.reruns, (latest) =>
    latest.state === 'running' ? { ...latest, state, reason, lease: null } : { ...latest, lease: null },
  );
}

/** Leaves it to the process that looks next. */
async function release(id: string, { store }: RunParts): Promise<void> {
  await updateRerun(id, store.reruns, (latest) => ({ ...latest, lease: null }));
}
