import type { BroadcastDelivery } from '../stores/broadcast-row.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Destination } from '../wire/destinations/destination.ts';
import type { Delivered } from './deliver-generations.ts';
import { createProgressNote } from './delivery-cursor.ts';
import { createTakesGeneration } from './destination-filter.ts';
import { afterFailure, createDelivery, type RetryContext, reschedule, saveDelivery } from './retry-schedule.ts';

export interface DeliveryLaneOptions extends Omit<RetryContext, 'retries'> {
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
const FIRST_WAIT_MS = 20;
/** While there is more to do than one request can carry, requests follow each other; otherwise they gather. */
const GATHER_MS = 1000;
/** How often a destination that failed is tried with something new. */
const PROBE_MS = 60_000;
const RETRY_STORE_MS = 2000;

/** Creates the lane of a destination; closed to deliveries until `open`. */
export function createDeliveryLane(options: DeliveryLaneOptions): DeliveryLane {
  const lane = createLaneState(options);
  return {
    offer: (record) => offer(record, lane),
    open(missed) {
      if (lane.phase !== 'shut') return;
      const offered = new Set(lane.pending);
      lane.pending = [...missed.filter((id) => !offered.has(id)), ...lane.pending];
      lane.phase = 'open';
      run(lane);
    },
    change(destination) {
      const now = lane.platform.now();
      lane.destination = destination;
      lane.takes = createTakesGeneration(destination);
      lane.nextPendingAt = 0;
      reschedule(lane.retries, () => now);
      // An attempt with what held before must not decide over what holds now.
      lane.work.abort();
      lane.work = new AbortController();
      run(lane);
    },
    add(delivery) {
      lane.retries.set(delivery.id, delivery);
      run(lane);
    },
    status: () => ({
      queued: [...lane.retries.values()].reduce((sum, row) => sum + row.generationIds.length, lane.pending.length),
      lastDeliveredAt: lane.lastDeliveredAt,
      lastFailure: lane.lastFailure,
    }),
    drained: () => drain(lane),
    async close() {
      lane.phase = 'closed';
      lane.cancelTimer();
      lane.work.abort();
      await lane.sending;
      await lane.progress.close();
    },
  };
}

type LaneState = ReturnType<typeof createLaneState>;

/** What a lane works with, and what it remembers. */
function createLaneState(options: DeliveryLaneOptions) {
  return {
    ...options,
    takes: createTakesGeneration(options.destination),
    progress: createProgressNote({ ...options, id: options.destination.id }),
    retries: new Map<string, BroadcastDelivery>(),
    /** Recorded and not sent, oldest first; after a crash it can be read from the store again. */
    pending: [] as string[],
    nextPendingAt: 0,
    phase: 'shut' as 'shut' | 'open' | 'closed',
    /** The attempt under way. */
    sending: undefined as Promise<void> | undefined,
    work: new AbortController(),
    cancelTimer: (): void => undefined,
    /** True before the first attempt, and after a failure until the next success. */
    mayBeDown: true,
    lastDeliveredAt: null as number | null,
    lastFailure: null as LaneStatus['lastFailure'],
  };
}

function offer(record: GenerationRecord, lane: LaneState): void {
  const { pending, platform } = lane;
  const { id } = record.generation;
  if (!lane.takes(record)) {
    if (lane.phase === 'open' && lane.sending === undefined && pending.length === 0) lane.progress.note(id);
    return;
  }
  pending.push(id);
  if (pending.length > MAX_PENDING) giveUpOldest(lane);
  if (lane.pending.length > 1) return;
  // Delayed, because the call that is being recorded has not had its response yet.
  lane.nextPendingAt = Math.max(lane.nextPendingAt, platform.now() + FIRST_WAIT_MS);
  run(lane);
}

/** Removes the oldest batch from a full queue and stores it as failed, to be sent on request. */
function giveUpOldest(lane: LaneState): void {
  const ids = lane.pending.slice(0, MAX_BATCH);
  settle(ids, lane);
  const failed = { ...createDelivery(ids, lane), state: 'failed', lastResult: 'the queue was full' } as const;
  saveDelivery(failed, lane).catch((error: unknown) => onTrouble(error, lane));
}

async function drain(lane: LaneState): Promise<void> {
  for (;;) {
    const isStuck = lane.retries.size > 0 || lane.nextPendingAt > lane.platform.now() + GATHER_MS;
    if (!isStuck) lane.nextPendingAt = 0;
    run(lane);
    if (lane.sending === undefined) return;
    await lane.sending;
  }
}

/** Starts what is due, or sets the timer for what will be. */
function run(lane: LaneState): void {
  const { platform, pending } = lane;
  lane.cancelTimer();
  if (lane.phase !== 'open' || lane.sending !== undefined) return;
  const now = platform.now();
  const [due] = [...lane.retries.values()].toSorted((one, other) => one.nextAttemptAt - other.nextAttemptAt);
  const retryAt = due?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
  const pendingAt = pending.length === 0 ? Number.POSITIVE_INFINITY : lane.nextPendingAt;
  const at = Math.min(retryAt, pendingAt);
  if (at === Number.POSITIVE_INFINITY) return;
  if (at > now) return void (lane.cancelTimer = platform.setTimer(() => run(lane), at - now));
  const attempt = due !== undefined && retryAt <= now ? retry(due, lane) : sendPending(lane);
  lane.sending = attempt
    .catch((error: unknown) => onTrouble(error, lane))
    .then(() => {
      lane.sending = undefined;
      run(lane);
    });
}

function onTrouble(error: unknown, lane: LaneState): void {
  const { destination, platform, logger } = lane;
  if (lane.phase === 'closed') return;
  logger.error('a broadcast could not be looked after', { destination: destination.id, reason: String(error) });
  const retryAt = platform.now() + RETRY_STORE_MS;
  lane.nextPendingAt = retryAt;
  reschedule(lane.retries, (at) => Math.max(at, retryAt));
}

async function sendPending(lane: LaneState): Promise<void> {
  const { platform } = lane;
  const startedAt = platform.now();
  const ids = lane.pending.slice(0, MAX_BATCH);
  const { signal } = lane.work;
  const delivered = await lane.deliver(ids, lane.destination, signal);
  if (signal.aborted) return;
  note(delivered, lane);
  const { outcome, remaining } = delivered;
  lane.nextPendingAt = lane.pending.length > MAX_BATCH ? startedAt : startedAt + GATHER_MS;
  if (!outcome.isDelivered) {
    if (!outcome.isFinal) {
      lane.mayBeDown = true;
      lane.nextPendingAt = platform.now() + Math.max(PROBE_MS, (outcome.retryAfterSeconds ?? 0) * 1000);
      // One batch on the schedule decides when to give up; the others wait for their turn.
      if (lane.retries.size > 0) return settle(ids.slice(0, ids.length - remaining.length), lane);
    }
    await saveDelivery(afterFailure(createDelivery(remaining, lane), outcome, lane), lane);
  }
  settle(ids, lane);
}

async function retry(row: BroadcastDelivery, lane: LaneState): Promise<void> {
  const { signal } = lane.work;
  const delivered = await lane.deliver(row.generationIds, lane.destination, signal);
  if (signal.aborted) return;
  note(delivered, lane);
  const { outcome, remaining } = delivered;
  if (!outcome.isDelivered) {
    return saveDelivery(afterFailure({ ...row, generationIds: remaining }, outcome, lane), lane);
  }
  await lane.rows.remove(row.id);
  lane.retries.delete(row.id);
  lane.nextPendingAt = lane.platform.now();
}

function note({ outcome, isSent }: Delivered, lane: LaneState): void {
  const now = lane.platform.now();
  if (!outcome.isDelivered) lane.lastFailure = { at: now, result: outcome.result };
  if (!outcome.isDelivered || !isSent) return;
  lane.lastDeliveredAt = now;
  if (!lane.mayBeDown) return;
  // It works again: what waits for its turn need not wait longer.
  lane.mayBeDown = false;
  reschedule(lane.retries, () => now);
}

/** They are through, or written down. */
function settle(ids: readonly string[], lane: LaneState): void {
  const last = ids.at(-1);
  if (last === undefined) return;
  // The queue may have run over meanwhile.
  const place = lane.pending.indexOf(last);
  if (place !== -1) lane.pending = lane.pending.slice(place + 1);
  lane.progress.note(last);
}
