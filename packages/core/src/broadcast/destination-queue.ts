import type { Logger } from '../foundation/logger.ts';
import type { Platform } from '../foundation/platform.ts';
import { createUuid } from '../foundation/random-id.ts';
import type { Destination } from '../wire/destinations/destination.ts';
import type { GenerationRecord, Repository } from '../stores/store.ts';
import type { BroadcastDelivery, BroadcastRow } from '../stores/broadcast-row.ts';
import type { Delivered } from './deliver-generations.ts';
import { afterFailure, createDelivery } from './next-delivery.ts';
import { createProgressNote } from './delivery-cursor.ts';
import { createTakesGeneration } from './destination-filter.ts';

export interface DeliveryLaneOptions {
  readonly destination: Destination;
  readonly rows: Repository<BroadcastRow>;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly deliver: (ids: readonly string[], destination: Destination, signal: AbortSignal) => Promise<Delivered>;
}

/** How a destination is doing, since the process began. */
export interface LaneStatus {
  /** Generations that have not been delivered yet, without failed ones. */
  readonly queued: number;
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: { readonly at: number; readonly result: string } | null;
}

/** The way to one destination. Nothing that happens on it is felt on another. */
export interface DeliveryLane {
  /** Queues a generation, if it is this destination's. */
  offer(record: GenerationRecord): void;
  /** Begins to deliver: first `missed`, what was recorded but not sent before, oldest first. */
  open(missed: readonly string[]): void;
  /** The destination has changed: what was held up by how it was before is tried now. */
  change(destination: Destination): void;
  /** Adds deliveries that were stored, or that are to be sent again. */
  add(delivery: BroadcastDelivery): void;
  status(): LaneStatus;
  /** Resolves when the queue is empty, or its content cannot be sent now. */
  drained(): Promise<void>;
  /** Ends all work under way and stores its progress. */
  close(): Promise<void>;
}

const MAX_PENDING = 10_000;
const MAX_BATCH = 50;
/** Limit of failed deliveries for one destination; beyond it the oldest are dropped. */
const MAX_FAILED = 200;
const FIRST_WAIT_MS = 20;
/** While there is more to do than one request can carry, requests follow each other; otherwise they gather. */
const GATHER_MS = 1000;
/** How often a destination that failed is tried with something new. */
const PROBE_MS = 60_000;
const RETRY_STORE_MS = 2000;

/** Creates the lane of a destination; closed to deliveries until `open`. */
export function createDeliveryLane(options: DeliveryLaneOptions): DeliveryLane {
  const { rows, platform, logger, random, deliver } = options;
  let { destination } = options;
  let takes = createTakesGeneration(destination);
  const progress = createProgressNote({ id: destination.id, rows, platform, logger });
  /** Recorded and not sent, oldest first; after a crash it can be read from the store again. */
  let pending: string[] = [];
  const waiting = new Map<string, BroadcastDelivery>();
  let state: 'shut' | 'open' | 'closed' = 'shut';
  let sending: Promise<void> | undefined;
  let work = new AbortController();
  let nextPendingAt = 0;
  /** True before the first attempt, and after a failure until the next success. */
  let mayBeDown = true;
  let cancelTimer: (() => void) | undefined;
  let lastDeliveredAt: number | null = null;
  let lastFailure: LaneStatus['lastFailure'] = null;

  const earliest = (): BroadcastDelivery | undefined =>
    [...waiting.values()].reduce<BroadcastDelivery | undefined>(
      (first, each) => (first === undefined || each.nextAttemptAt < first.nextAttemptAt ? each : first),
      undefined,
    );

  /** Starts what is due, or sets the timer for what will be. */
  const run = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    if (state !== 'open' || sending !== undefined) return;
    const now = platform.now();
    const retry = earliest();
    const retryAt = retry?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
    const pendingAt = pending.length === 0 ? Number.POSITIVE_INFINITY : nextPendingAt;
    const at = Math.min(retryAt, pendingAt);
    if (at === Number.POSITIVE_INFINITY) return;
    if (at > now) return void (cancelTimer = platform.setTimer(run, at - now));
    const attempt = retry !== undefined && retryAt <= now ? tryAgain(retry) : tryPending();
    sending = attempt.catch(onTrouble).then(() => {
      sending = undefined;
      run();
    });
  };

  const onTrouble = (error: unknown): void => {
    if (state === 'closed') return;
    logger.error('a broadcast could not be looked after', { destination: destination.id, reason: String(error) });
    const at = platform.now() + RETRY_STORE_MS;
    nextPendingAt = at;
    for (const row of waiting.values()) waiting.set(row.id, { ...row, nextAttemptAt: Math.max(row.nextAttemptAt, at) });
  };

  const note = ({ outcome, isSent }: Delivered): void => {
    const now = platform.now();
    if (!outcome.isDelivered) lastFailure = { at: now, result: outcome.result };
    if (!outcome.isDelivered || !isSent) return;
    lastDeliveredAt = now;
    if (!mayBeDown) return;
    // It works again: what waits for its turn need not wait longer.
    mayBeDown = false;
    for (const row of waiting.values()) waiting.set(row.id, { ...row, nextAttemptAt: now });
  };

  const tryPending = async (): Promise<void> => {
    const startedAt = platform.now();
    const ids = pending.slice(0, MAX_BATCH);
    const { signal } = work;
    const delivered = await deliver(ids, destination, signal);
    if (signal.aborted) return;
    note(delivered);
    const { outcome, remaining } = delivered;
    nextPendingAt = pending.length > MAX_BATCH ? startedAt : startedAt + GATHER_MS;
    if (!outcome.isDelivered) {
      if (!outcome.isFinal) {
        mayBeDown = true;
        nextPendingAt = platform.now() + Math.max(PROBE_MS, (outcome.retryAfterSeconds ?? 0) * 1000);
        // One batch on the schedule decides when to give up; the others wait for their turn.
        if (waiting.size > 0) return settle(ids.slice(0, ids.length - remaining.length));
      }
      await save(afterFailure(createRow(remaining), outcome, { now: platform.now(), random: random() }));
    }
    settle(ids);
  };

  /** They are through, or written down. */
  const settle = (ids: readonly string[]): void => {
    const last = ids.at(-1);
    if (last === undefined) return;
    // The queue may have run over meanwhile.
    const place = pending.indexOf(last);
    if (place !== -1) pending = pending.slice(place + 1);
    progress.note(last);
  };

  const tryAgain = async (row: BroadcastDelivery): Promise<void> => {
    const { signal } = work;
    const delivered = await deliver(row.generationIds, destination, signal);
    if (signal.aborted) return;
    note(delivered);
    const { outcome, remaining } = delivered;
    if (!outcome.isDelivered) {
      const left = { ...row, generationIds: remaining };
      return save(afterFailure(left, outcome, { now: platform.now(), random: random() }));
    }
    await rows.remove(row.id);
    waiting.delete(row.id);
    nextPendingAt = platform.now();
  };

  const createRow = (generationIds: readonly string[]): BroadcastDelivery =>
    createDelivery({ id: createUuid(platform), destinationId: destination.id, generationIds, now: platform.now() });

  const save = async (row: BroadcastDelivery): Promise<void> => {
    await rows.update(row.id, () => row, row);
    if (row.state === 'waiting') return void waiting.set(row.id, row);
    waiting.delete(row.id);
    const { type, id } = destination;
    logger.warn('generations were not delivered', { destination: id, type, result: row.lastResult, row: row.id });
    await dropOldest();
  };

  const dropOldest = async (): Promise<void> => {
    const failed = (await rows.list()).filter(
      (row) => row.kind === 'delivery' && row.destinationId === destination.id && row.state === 'failed',
    );
    for (const { id } of failed.slice(0, Math.max(failed.length - MAX_FAILED, 0))) {
      await rows.remove(id);
      logger.warn('an undelivered broadcast was dropped, there are too many', { destination: destination.id, row: id });
    }
  };

  /** Removes the oldest batch from a full queue and stores it as failed, to be sent on request. */
  const giveUpOldest = (): void => {
    const ids = pending.slice(0, MAX_BATCH);
    settle(ids);
    save({ ...createRow(ids), state: 'failed', lastResult: 'the queue was full' }).catch(onTrouble);
  };

  return {
    offer(record) {
      const { id } = record.generation;
      if (!takes(record)) {
        if (state === 'open' && sending === undefined && pending.length === 0) progress.note(id);
        return;
      }
      pending.push(id);
      if (pending.length > MAX_PENDING) giveUpOldest();
      if (pending.length > 1) return;
      // Delayed, because the call that is being recorded has not been responded to yet.
      nextPendingAt = Math.max(nextPendingAt, platform.now() + FIRST_WAIT_MS);
      run();
    },
    open(missed) {
      if (state !== 'shut') return;
      const offered = new Set(pending);
      pending = [...missed.filter((id) => !offered.has(id)), ...pending];
      state = 'open';
      run();
    },
    change(changed) {
      destination = changed;
      takes = createTakesGeneration(changed);
      nextPendingAt = 0;
      for (const row of waiting.values()) waiting.set(row.id, { ...row, nextAttemptAt: platform.now() });
      // An attempt with what held before must not decide over what holds now.
      work.abort();
      work = new AbortController();
      run();
    },
    add(delivery) {
      waiting.set(delivery.id, delivery);
      run();
    },
    status: () => ({
      queued: [...waiting.values()].reduce((sum, row) => sum + row.generationIds.length, pending.length),
      lastDeliveredAt,
      lastFailure,
    }),
    async drained() {
      const isStuck = (): boolean => waiting.size > 0 || nextPendingAt > platform.now() + GATHER_MS;
      nextPendingAt = Math.min(nextPendingAt, isStuck() ? nextPendingAt : 0);
      run();
      while (sending !== undefined) {
        await sending;
        if (!isStuck()) {
          nextPendingAt = 0;
          run();
        }
      }
    },
    async close() {
      state = 'closed';
      cancelTimer?.();
      work.abort();
      await sending;
      await progress.close();
    },
  };
}
