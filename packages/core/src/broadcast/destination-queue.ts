import type { Logger } from '../foundation/host.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { BroadcastRepository, GenerationRecord } from '../stores/store.ts';
import { type DeliveryOutcome, nextDeliveryDelayMs, remainingDelayMs } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import type { Delivered } from './deliver-generations.ts';
import { createDeliveryCursor, type DeliveryCursor, listDeliveriesOf } from './deliveries.ts';
import { createDestinationFilter } from './destination-filter.ts';

export interface DestinationQueueOptions extends Omit<RetryContext, 'retries'> {
  /** Where its progress is kept. Default: a row of the destination. */
  readonly cursor?: DeliveryCursor | undefined;
  readonly deliver: (ids: readonly string[], destination: Destination, signal: AbortSignal) => Promise<Delivered>;
}

/** The status of deliveries to a destination since the process began. */
export interface QueueStatus {
  /** Generations that have not been delivered yet, without failed ones. */
  readonly queued: number;
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: { readonly at: number; readonly result: string } | null;
}

/** The generations that wait for one destination. Queues are independent: a failing destination delays no other. */
export interface DestinationQueue {
  /** Queues a generation, if it is this destination's. */
  offer(record: GenerationRecord): void;
  /** Begins to deliver, first `undelivered`: ids that an earlier process recorded but did not send, oldest first. */
  open(undelivered: readonly string[]): void;
  /** Applies a change of the destination; whatever waits is tried at once. */
  change(destination: Destination): void;
  /** Adds deliveries that were stored, or that are to be sent again. */
  add(delivery: BroadcastDelivery): void;
  status(): QueueStatus;
  /** Resolves when the queue is empty, or its content cannot be sent now. */
  drained(): Promise<void>;
  /** Aborts the attempt under way and stores the cursor. */
  close(): Promise<void>;
}

const MAX_PENDING = 10_000;
const MAX_BATCH = 50;
const FIRST_WAIT_MS = 20;
/** Generations gather for this long before a request; a full batch is sent without waiting. */
const GATHER_MS = 1000;
/** How often new generations are sent to a destination that failed. */
const PROBE_MS = 60_000;
const RETRY_STORE_MS = 2000;

/** Creates the queue of a destination. Nothing is delivered before `open`. */
export function createDestinationQueue(options: DestinationQueueOptions): DestinationQueue {
  const queue = createQueueState(options);
  return {
    offer: (record) => offer(record, queue),
    open(undelivered) {
      if (queue.phase !== 'unopened') return;
      const offered = new Set(queue.pending);
      queue.pending = [...undelivered.filter((id) => !offered.has(id)), ...queue.pending];
      queue.phase = 'open';
      run(queue);
    },
    change(destination) {
      const now = queue.platform.monotonicNow();
      queue.destination = destination;
      queue.takes = createDestinationFilter(destination);
      queue.nextPendingAt = 0;
      reschedule(queue.retries, () => now);
      // The attempt under way uses the old settings; its result is not about the new ones.
      queue.work.abort();
      queue.work = new AbortController();
      run(queue);
    },
    add(delivery) {
      schedule(delivery, queue);
      run(queue);
    },
    status: () => ({
      queued: [...queue.retries.values()].reduce(
        (sum, { delivery }) => sum + delivery.generationIds.length,
        queue.pending.length,
      ),
      lastDeliveredAt: queue.lastDeliveredAt,
      lastFailure: queue.lastFailure,
    }),
    drained: () => drain(queue),
    async close() {
      queue.phase = 'closed';
      queue.cancelTimer();
      queue.work.abort();
      await queue.sending;
      await queue.cursor.close();
    },
  };
}

type QueueState = ReturnType<typeof createQueueState>;

/** The options and the state of a queue. */
function createQueueState(options: DestinationQueueOptions) {
  return {
    ...options,
    takes: createDestinationFilter(options.destination),
    cursor: options.cursor ?? createDeliveryCursor({ ...options, id: options.destination.id }),
    retries: new Map() as RetryContext['retries'],
    /** Ids of generations that were not sent, oldest first; after a crash they are found in the store again. */
    pending: [] as string[],
    /** Time on the monotonic clock. */
    nextPendingAt: 0,
    phase: 'unopened' as 'unopened' | 'open' | 'closed',
    /** The attempt under way. */
    sending: undefined as Promise<void> | undefined,
    work: new AbortController(),
    cancelTimer: (): void => undefined,
    /** True before the first attempt, and after a failure until the next success. */
    mayBeDown: true,
    lastDeliveredAt: null as number | null,
    lastFailure: null as QueueStatus['lastFailure'],
  };
}

function offer(record: GenerationRecord, queue: QueueState): void {
  const { pending, platform } = queue;
  const { id } = record.generation;
  if (!queue.takes(record)) {
    if (queue.phase === 'open' && queue.sending === undefined && pending.length === 0) queue.cursor.moveTo(id);
    return;
  }
  pending.push(id);
  if (pending.length > MAX_PENDING) giveUpOldest(queue);
  if (queue.pending.length > 1) return;
  // Delayed, because the response to the recorded call has not ended yet.
  queue.nextPendingAt = Math.max(queue.nextPendingAt, platform.monotonicNow() + FIRST_WAIT_MS);
  run(queue);
}

/** Removes the oldest batch from a full queue and stores it as failed, to be sent on request. */
function giveUpOldest(queue: QueueState): void {
  const ids = queue.pending.slice(0, MAX_BATCH);
  settle(ids, queue);
  const failed = { ...createDelivery(ids, queue), state: 'failed', lastResult: 'the queue was full' } as const;
  saveDelivery(failed, queue).catch((error: unknown) => onTrouble(error, queue));
}

async function drain(queue: QueueState): Promise<void> {
  for (;;) {
    const isStuck = queue.retries.size > 0 || queue.nextPendingAt > queue.platform.monotonicNow() + GATHER_MS;
    if (!isStuck) queue.nextPendingAt = 0;
    run(queue);
    if (queue.sending === undefined) return;
    await queue.sending;
  }
}

/** Starts what is due, or sets the timer for what will be. */
function run(queue: QueueState): void {
  const { platform, pending } = queue;
  queue.cancelTimer();
  if (queue.phase !== 'open' || queue.sending !== undefined) return;
  const now = platform.monotonicNow();
  const [due] = [...queue.retries.values()].toSorted((one, other) => one.dueAt - other.dueAt);
  const retryAt = due?.dueAt ?? Number.POSITIVE_INFINITY;
  const pendingAt = pending.length === 0 ? Number.POSITIVE_INFINITY : queue.nextPendingAt;
  const at = Math.min(retryAt, pendingAt);
  if (at === Number.POSITIVE_INFINITY) return;
  if (at > now) return void (queue.cancelTimer = platform.setTimer(() => run(queue), at - now));
  const attempt = due !== undefined && retryAt <= now ? retry(due.delivery, queue) : sendPending(queue);
  queue.sending = attempt
    .catch((error: unknown) => onTrouble(error, queue))
    .then(() => {
      queue.sending = undefined;
      run(queue);
    });
}

function onTrouble(error: unknown, queue: QueueState): void {
  const { destination, platform, logger } = queue;
  if (queue.phase === 'closed') return;
  logger.error('a broadcast could not be processed', { destination: destination.id, reason: String(error) });
  const retryAt = platform.monotonicNow() + RETRY_STORE_MS;
  queue.nextPendingAt = retryAt;
  reschedule(queue.retries, (at) => Math.max(at, retryAt));
}

async function sendPending(queue: QueueState): Promise<void> {
  const { platform } = queue;
  const startedAt = platform.monotonicNow();
  const ids = queue.pending.slice(0, MAX_BATCH);
  const { signal } = queue.work;
  const delivered = await queue.deliver(ids, queue.destination, signal);
  if (signal.aborted) return;
  note(delivered, queue);
  const { outcome, remaining } = delivered;
  queue.nextPendingAt = queue.pending.length > MAX_BATCH ? startedAt : startedAt + GATHER_MS;
  if (!outcome.isDelivered) {
    if (!outcome.isFinal) {
      queue.mayBeDown = true;
      queue.nextPendingAt = platform.monotonicNow() + Math.max(PROBE_MS, (outcome.retryAfterSeconds ?? 0) * 1000);
      // Only one batch is retried on the schedule, and decides when to give up; the others stay in the queue.
      if (queue.retries.size > 0) return settle(ids.slice(0, ids.length - remaining.length), queue);
    }
    await saveDelivery(afterFailure(createDelivery(remaining, queue), outcome, queue), queue);
  }
  settle(ids, queue);
}

async function retry(row: BroadcastDelivery, queue: QueueState): Promise<void> {
  const { signal } = queue.work;
  const delivered = await queue.deliver(row.generationIds, queue.destination, signal);
  if (signal.aborted) return;
  note(delivered, queue);
  const { outcome, remaining } = delivered;
  if (!outcome.isDelivered) {
    return saveDelivery(afterFailure({ ...row, generationIds: remaining }, outcome, queue), queue);
  }
  await queue.rows.remove(row.id);
  queue.retries.delete(row.id);
  queue.nextPendingAt = queue.platform.monotonicNow();
}

function note({ outcome, isSent }: Delivered, queue: QueueState): void {
  const now = queue.platform.now();
  if (!outcome.isDelivered) queue.lastFailure = { at: now, result: outcome.result };
  if (!outcome.isDelivered || !isSent) return;
  queue.lastDeliveredAt = now;
  if (!queue.mayBeDown) return;
  // The destination works again, so the waiting deliveries are tried at once.
  queue.mayBeDown = false;
  const at = queue.platform.monotonicNow();
  reschedule(queue.retries, () => at);
}

/** Removes ids that were delivered, or stored as a delivery, and moves the cursor past them. */
function settle(ids: readonly string[], queue: QueueState): void {
  const last = ids.at(-1);
  if (last === undefined) return;
  // A full queue may have dropped these ids meanwhile.
  const place = queue.pending.indexOf(last);
  if (place !== -1) queue.pending = queue.pending.slice(place + 1);
  queue.cursor.moveTo(last);
}

interface WaitingDelivery {
  readonly delivery: BroadcastDelivery;
  /** Time on the monotonic clock. */
  readonly dueAt: number;
}

/** Deliveries of one destination that wait for another attempt, by id. */
type RetrySchedule = Map<string, WaitingDelivery>;

interface RetryContext {
  readonly destination: Destination;
  readonly retries: RetrySchedule;
  readonly rows: BroadcastRepository;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Limit of failed deliveries for one destination; beyond it the oldest are dropped. */
const MAX_FAILED = 200;

/** A delivery that has not been tried. */
function createDelivery(ids: readonly string[], { destination, platform }: RetryContext): BroadcastDelivery {
  const now = platform.now();
  const what = { id: createUuid(platform), destinationId: destination.id, generationIds: ids };
  const never = { state: 'waiting', attempts: 0, lastResult: null } as const;
  return { kind: 'delivery', ...what, ...never, nextAttemptAt: now, createdAt: now };
}

/** Returns the delivery after a failed attempt: waiting for the next one, or failed. */
function afterFailure(
  delivery: BroadcastDelivery,
  outcome: Extract<DeliveryOutcome, { readonly isDelivered: false }>,
  { platform, random }: RetryContext,
): BroadcastDelivery {
  const attempts = delivery.attempts + 1;
  const delayMs = outcome.isFinal ? null : nextDeliveryDelayMs({ attempts, ...outcome }, random());
  const state = delayMs === null ? 'failed' : 'waiting';
  return { ...delivery, attempts, lastResult: outcome.result, state, nextAttemptAt: platform.now() + (delayMs ?? 0) };
}

/** Schedules a stored delivery. */
function schedule(
  delivery: BroadcastDelivery,
  { retries, platform }: Pick<RetryContext, 'retries' | 'platform'>,
): void {
  const delayMs = remainingDelayMs(delivery.nextAttemptAt, platform.now());
  retries.set(delivery.id, { delivery, dueAt: platform.monotonicNow() + delayMs });
}

/** Stores a delivery, and schedules its next attempt unless it has failed. */
async function saveDelivery(delivery: BroadcastDelivery, context: RetryContext): Promise<void> {
  const { destination, retries, rows, logger } = context;
  await rows.update(delivery.id, () => delivery, delivery);
  if (delivery.state === 'waiting') return schedule(delivery, context);
  retries.delete(delivery.id);
  const { type, id } = destination;
  logger.warn('generations were not delivered', {
    destination: id,
    type,
    result: delivery.lastResult,
    row: delivery.id,
  });
  await dropOldest(context);
}

async function dropOldest({ destination, rows, logger }: RetryContext): Promise<void> {
  const failed = (await listDeliveriesOf(destination.id, rows)).filter(({ state }) => state === 'failed');
  for (const { id } of failed.slice(0, Math.max(failed.length - MAX_FAILED, 0))) {
    await rows.remove(id);
    logger.warn('an undelivered broadcast was dropped, there are too many', { destination: destination.id, row: id });
  }
}

/** Moves the next attempt of every delivery to the time that `toTime` returns for its current one. */
function reschedule(retries: RetrySchedule, toTime: (at: number) => number): void {
  for (const [id, { delivery, dueAt }] of retries) retries.set(id, { delivery, dueAt: toTime(dueAt) });
}
