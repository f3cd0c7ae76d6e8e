import type { BootstrapKey } from '../auth/authenticate.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { Logger } from '../foundation/host.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { createTurns } from '../foundation/queues.ts';
import type { CacheExaminer } from '../generations/cache-doctor/cache-examiner.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { DeliveryAttempt, GenerationRecord, Store } from '../stores/store.ts';
import type { DeliveryOutcome } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import type { DestinationArrival, Generation } from '../wire/generation.ts';
import { configOf, createTraceLoader, deliverGenerations, sendRequest } from './deliver-generations.ts';
import { findUndelivered, listDeliveriesOf } from './deliveries.ts';
import { createDestinationFilter } from './destination-filter.ts';
import type { BroadcastOptions } from './destination-format.ts';
import {
  createDestinationQueue,
  type DestinationQueue,
  type DestinationQueueOptions,
  type QueueStatus,
} from './destination-queue.ts';

export interface BroadcasterOptions {
  readonly store: Pick<Store, 'broadcasts' | 'deliveries' | 'destinations' | 'generations' | 'isShared' | 'keys'>;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly bootstrapKeys: readonly BootstrapKey[];
  /** Says why calls missed the caches of providers; null or absent where nobody wants to know. */
  readonly cacheExaminer?: Pick<CacheExaminer, 'examine'> | null | undefined;
  /** Undefined: nothing is sent anywhere. */
  readonly broadcast: BroadcastOptions | undefined;
}

/** Sends generations to destinations after their calls; destinations do not affect each other. */
export interface Broadcaster {
  /**
   * Queues a generation that has been recorded, or sends it: the promise then resolves when that is done. Costs almost
   * nothing while there is no destination.
   */
  offer(record: GenerationRecord): Awaitable<void>;
  /** Resumes what an earlier process has left. */
  start(): Promise<void>;
  /** Called before a destination is stored: what is recorded from now on is for it. */
  begin(destination: Pick<Destination, 'id' | 'updated_at'>): Promise<void>;
  /** Reads the destinations again, after one of them was written. */
  refresh(): Promise<void>;
  /** Sends a request without content to a destination, now. */
  test(destination: Destination): Promise<DeliveryOutcome>;
  /** Sends a delivery again, whatever its last result; undefined when there is none, or its destination is disabled. */
  resend(deliveryId: string): Promise<BroadcastDelivery | undefined>;
  /** Status of each enabled destination, by its id, even if another process sends to it. */
  status(): Promise<ReadonlyMap<string, QueueStatus>>;
  /** The same of the audit log, for destinations that get it. */
  auditStatus(): Promise<ReadonlyMap<string, QueueStatus>>;
  /** The same of the figures of this process, for destinations that get them. */
  metricsStatus(): ReadonlyMap<string, QueueStatus>;
  /** Generations that wait in this process. */
  queued(): number;
  /** When a generation was sent to its destinations, and what became of it. */
  arrivalsOf(generation: Pick<Generation, 'id' | 'created_at'>): Promise<DestinationArrival[]>;
  /** Sends what can be sent within `limitMs`, and ends. The store stays open. */
  close(limitMs: number): Promise<void>;
}

const LOOK_EVERY_MS = 30_000;

type Deliver = DestinationQueueOptions['deliver'];
type Queues = Map<string, { readonly queue: DestinationQueue; seen: string }>;

/** Creates the broadcaster; `start` begins its work. */
export function createBroadcaster(options: BroadcasterOptions): Broadcaster {
  const { store, platform, logger } = options;
  const queues: Queues = new Map();
  const deliver = createDeliver(options);
  const removeGone = createGoneRemoval(store);
  let isClosed = false;
  let cancelLook: (() => void) | undefined;
  // Two refreshes at once would both create the queue of a new destination.
  const inTurn = createTurns();
  const refresh = (): Promise<void> =>
    inTurn(() => (isClosed ? undefined : updateQueues(queues, { deliver, removeGone }, options)));

  /** Other processes write to a shared store, and send no notification. */
  const lookAgain = (): void => {
    cancelLook = platform.setTimer(() => {
      refresh().then(lookAgain, (error: unknown) => {
        logger.error('the destinations could not be read', { reason: String(error) });
        lookAgain();
      });
    }, LOOK_EVERY_MS);
  };

  return {
    offer(record) {
      if (queues.size === 0) return;
      for (const { queue } of queues.values()) queue.offer(record);
    },
    async start() {
      await refresh();
      if (store.isShared === true) lookAgain();
    },
    begin: () => Promise.resolve(),
    refresh,
    test: (destination) => sendTest(destination, options),
    async resend(deliveryId) {
      const row = await store.broadcasts.get(deliveryId);
      const known = row?.kind === 'delivery' ? queues.get(row.destinationId) : undefined;
      if (row?.kind !== 'delivery' || known === undefined) return undefined;
      const renewed: BroadcastDelivery = { ...row, state: 'waiting', attempts: 0, nextAttemptAt: platform.now() };
      if ((await store.broadcasts.update(row.id, () => renewed)) === undefined) return undefined;
      known.queue.add(renewed);
      return renewed;
    },
    status: async () => new Map([...queues].map(([id, { queue }]) => [id, queue.status()])),
    auditStatus: () => Promise.resolve(new Map()),
    metricsStatus: () => new Map(),
    queued: () => [...queues.values()].reduce((sum, { queue }) => sum + queue.status().queued, 0),
    arrivalsOf: async ({ id, created_at: createdAt }) =>
      (await store.deliveries.of(id, Date.parse(createdAt))).map(toArrival),
    async close(limitMs) {
      isClosed = true;
      cancelLook?.();
      await inTurn(() => undefined);
      cancelLook?.();
      const all = [...queues.values()].map(({ queue }) => queue);
      if (all.length > 0) await closeQueues(all, limitMs, platform);
    },
  };
}

const toArrival = ({ destinationId, sentAt, tookMs, hasArrived, result }: DeliveryAttempt): DestinationArrival => ({
  destination_id: destinationId,
  sent_at: new Date(sentAt).toISOString(),
  took_ms: tookMs,
  has_arrived: hasArrived,
  result,
});

/** Makes the function that sends generations to a destination. */
export function createDeliver(options: BroadcasterOptions): Deliver {
  const { broadcast, store, logger } = options;
  // Nothing waits for it: that a delivery was not noted is no reason to send it again.
  const onAttempt = (attempt: DeliveryAttempt): void => {
    store.deliveries.append(attempt).catch((error: unknown) => {
      logger.warn('a delivery could not be recorded', { destination: attempt.destinationId, reason: String(error) });
    });
  };
  const loadTrace = createTraceLoader(options);
  return async (ids, destination, signal) => {
    const format = broadcast?.formats.find(({ type }) => type === destination.type);
    // A destination whose format is missing is treated like a receiver that is down: it may be available after the next
    // start.
    if (broadcast === undefined || format === undefined) {
      const result = `destinations of type ${destination.type} are not available`;
      return { outcome: { isDelivered: false, result, isFinal: false }, isSent: false, remaining: ids };
    }
    const load = await loadTrace(destination);
    return deliverGenerations(ids, {
      ...options,
      ...broadcast,
      destination,
      format,
      loadTrace: load,
      onAttempt,
      signal,
    });
  };
}

/** Opens, changes and closes queues, so that there is one for every enabled destination. */
async function updateQueues(
  queues: Queues,
  { deliver, removeGone }: { readonly deliver: Deliver; readonly removeGone: GoneRemoval },
  options: BroadcasterOptions,
): Promise<void> {
  const { store, broadcast } = options;
  if (broadcast === undefined) return;
  const destinations = await store.destinations.list();
  const active = new Map(destinations.filter(({ enabled }) => enabled).map((each) => [each.id, each]));
  for (const [id, { queue }] of queues) {
    if (active.has(id)) continue;
    queues.delete(id);
    await queue.close();
    await removeRows(id, !destinations.some((each) => each.id === id), store);
  }
  await removeGone(destinations);
  for (const destination of active.values()) {
    const known = queues.get(destination.id);
    const seen = JSON.stringify(destination);
    if (known === undefined) {
      const queue = createDestinationQueue({ ...options, destination, rows: store.broadcasts, deliver });
      queues.set(destination.id, { queue, seen });
      await openQueue(queue, destination, options);
    } else if (known.seen !== seen) {
      known.seen = seen;
      known.queue.change(destination);
    }
  }
}

/** Resolves when the queue has its stored deliveries; it opens once the undelivered generations were found. */
async function openQueue(
  queue: DestinationQueue,
  destination: Destination,
  options: BroadcasterOptions,
): Promise<void> {
  const { store, logger } = options;
  for (const row of await listDeliveriesOf(destination.id, store.broadcasts)) {
    if (row.state === 'waiting') queue.add(row);
  }
  findUndelivered(destination, store).then(
    (undelivered) => queue.open(undelivered),
    (error: unknown) => {
      logger.error('pending broadcasts could not be read', { reason: String(error) });
      queue.open([]);
    },
  );
}

/** Removes the rows of a destination that was deleted or switched off: generations of the pause are not sent later. */
async function removeRows(id: string, isGone: boolean, { broadcasts }: Pick<Store, 'broadcasts'>): Promise<void> {
  for (const row of isGone ? await listDeliveriesOf(id, broadcasts) : []) await broadcasts.remove(row.id);
  await broadcasts.remove(id);
}

type GoneRemoval = (destinations: readonly Destination[]) => Promise<void>;

/**
 * Makes the function that removes the rows of destinations that are gone, also of those that were switched off before. In
 * a shared store, another process may know a destination earlier than this one, so only what was seen here can be gone.
 */
export function createGoneRemoval({ broadcasts, isShared }: Pick<Store, 'broadcasts' | 'isShared'>): GoneRemoval {
  let before: ReadonlySet<string> | undefined;
  return async (destinations) => {
    const stored = async (): Promise<string[]> =>
      (await broadcasts.list()).flatMap((row) => (row.kind === 'delivery' ? row.destinationId : []));
    const known = before ?? new Set(isShared === true ? [] : await stored());
    const present = new Set(destinations.map(({ id }) => id));
    for (const id of known) if (!present.has(id)) await removeRows(id, true, { broadcasts });
    before = present;
  };
}

async function sendTest(destination: Destination, options: BroadcasterOptions): Promise<DeliveryOutcome> {
  const { broadcast, platform } = options;
  const format = broadcast?.formats.find(({ type }) => type === destination.type);
  if (broadcast === undefined || format === undefined) {
    return { isDelivered: false, result: `destinations of type ${destination.type} are not available`, isFinal: true };
  }
  const request = await format.toTestRequest(configOf(destination));
  const { signal } = new AbortController();
  return sendRequest(request, { ...broadcast, platform, statuses: format.testStatuses, signal });
}

async function closeQueues(queues: readonly DestinationQueue[], limitMs: number, platform: Platform): Promise<void> {
  let cancelLimit: (() => void) | undefined;
  const limit = new Promise<void>((resolve) => {
    cancelLimit = platform.setTimer(resolve, limitMs);
  });
  await Promise.race([Promise.all(queues.map((queue) => queue.drained())), limit]);
  cancelLimit?.();
  await Promise.all(queues.map((queue) => queue.close()));
}

/**
 * For runtimes where nothing goes on between requests: a generation is sent within the request that it was made for,
 * once. What was not delivered is stored as failed, to be sent again on request.
 */
export function createDirectBroadcaster(options: BroadcasterOptions): Broadcaster {
  const { store, platform, logger, broadcast } = options;
  const deliver = createDeliver(options);
  const doNothing = (): Promise<void> => Promise.resolve();

  const send = async (delivery: BroadcastDelivery, destination: Destination): Promise<void> => {
    const { outcome, remaining } = await deliver(delivery.generationIds, destination, new AbortController().signal);
    if (outcome.isDelivered) return void (await store.broadcasts.remove(delivery.id));
    const failed: BroadcastDelivery = {
      ...delivery,
      generationIds: remaining,
      state: 'failed',
      attempts: delivery.attempts + 1,
      lastResult: outcome.result,
    };
    await store.broadcasts.update(delivery.id, () => failed, failed);
    logger.warn('generations were not delivered', { destination: destination.id, result: outcome.result });
  };

  const sendToAll = async (record: GenerationRecord): Promise<void> => {
    const destinations = (await store.destinations.list()).filter(
      (destination) => destination.enabled && createDestinationFilter(destination)(record),
    );
    const now = platform.now();
    const what = { kind: 'delivery', generationIds: [record.generation.id], state: 'waiting' } as const;
    const never = { attempts: 0, lastResult: null, nextAttemptAt: now, createdAt: now };
    await Promise.all(
      destinations.map((destination) =>
        send({ ...what, ...never, id: createUuid(platform), destinationId: destination.id }, destination),
      ),
    );
  };

  return {
    ...createBroadcaster(options),
    offer: (record) => (broadcast === undefined ? undefined : sendToAll(record)),
    start: doNothing,
    refresh: doNothing,
    async resend(deliveryId) {
      const row = await store.broadcasts.get(deliveryId);
      if (row?.kind !== 'delivery') return undefined;
      const destination = await store.destinations.get(row.destinationId);
      if (destination?.enabled !== true) return undefined;
      const renewed: BroadcastDelivery = { ...row, state: 'waiting', attempts: 0, nextAttemptAt: platform.now() };
      await send(renewed, destination);
      return renewed;
    },
    close: doNothing,
  };
}
