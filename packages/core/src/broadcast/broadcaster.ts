import type { BootstrapKey } from '../auth/bootstrap-key.ts';
import type { Logger } from '../foundation/logger.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BroadcastDelivery } from '../stores/broadcast-row.ts';
import type { GenerationRecord, Store } from '../stores/store.ts';
import type { DeliveryOutcome } from '../webhooks/deliver-webhook.ts';
import type { Destination } from '../wire/destinations/destination.ts';
import { configOf, deliverGenerations } from './deliver-generations.ts';
import type { BroadcastOptions } from './destination-format.ts';
import {
  createDeliveryLane,
  type DeliveryLane,
  type DeliveryLaneOptions,
  type LaneStatus,
} from './destination-queue.ts';
import { findMissed } from './find-undelivered.ts';
import { createTraceLoader } from './load-trace.ts';
import { sendRequest } from './send-request.ts';

export interface BroadcasterOptions {
  readonly store: Pick<Store, 'broadcasts' | 'destinations' | 'generations' | 'isShared' | 'keys'>;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly bootstrapKeys: readonly BootstrapKey[];
  /** Undefined: nothing is sent anywhere. */
  readonly broadcast: BroadcastOptions | undefined;
}

/** Sends generations to destinations, each separately, after and apart from the calls that made them. */
export interface Broadcaster {
  /** Queues a generation that has been recorded. Costs almost nothing while there is no destination. */
  offer(record: GenerationRecord): void;
  /** Resumes what an earlier process has left. */
  start(): Promise<void>;
  /** Looks at the destinations again, after one of them was written. */
  refresh(): Promise<void>;
  /** Sends a destination something without content, now. */
  test(destination: Destination): Promise<DeliveryOutcome>;
  /** Sends a delivery again, whatever its last result; undefined when there is none, or its destination is off. */
  resend(deliveryId: string): Promise<BroadcastDelivery | undefined>;
  /** Status of each destination that is on, by its id. */
  status(): ReadonlyMap<string, LaneStatus>;
  /** Sends what can be sent within `limitMs`, and ends. The store stays open. */
  close(limitMs: number): Promise<void>;
}

const LOOK_EVERY_MS = 30_000;

type Deliver = DeliveryLaneOptions['deliver'];
type Lanes = Map<string, { readonly lane: DeliveryLane; seen: string }>;

/** Creates the broadcaster; `start` begins its work. */
export function createBroadcaster(options: BroadcasterOptions): Broadcaster {
  const { store, platform, logger } = options;
  const lanes: Lanes = new Map();
  const deliver = createDeliver(options);
  let isClosed = false;
  let cancelLook: (() => void) | undefined;
  let refreshing: Promise<unknown> = Promise.resolve();

  // One after the other, or two would both make a lane.
  const refresh = (): Promise<void> => {
    const done = refreshing.then(() => (isClosed ? undefined : updateLanes(lanes, deliver, options)));
    refreshing = done.catch(() => undefined);
    return done;
  };

  /** Other processes write to the same store without a notification. */
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
      if (lanes.size === 0) return;
      for (const { lane } of lanes.values()) lane.offer(record);
    },
    async start() {
      await refresh();
      if (store.isShared === true) lookAgain();
    },
    refresh,
    test: (destination) => sendTest(destination, options),
    async resend(deliveryId) {
      const row = await store.broadcasts.get(deliveryId);
      const known = row?.kind === 'delivery' ? lanes.get(row.destinationId) : undefined;
      if (row?.kind !== 'delivery' || known === undefined) return undefined;
      const renewed: BroadcastDelivery = { ...row, state: 'waiting', attempts: 0, nextAttemptAt: platform.now() };
      if ((await store.broadcasts.update(row.id, () => renewed)) === undefined) return undefined;
      known.lane.add(renewed);
      return renewed;
    },
    status: () => new Map([...lanes].map(([id, { lane }]) => [id, lane.status()])),
    async close(limitMs) {
      isClosed = true;
      cancelLook?.();
      await refreshing;
      cancelLook?.();
      const all = [...lanes.values()].map(({ lane }) => lane);
      if (all.length > 0) await closeLanes(all, limitMs, platform);
    },
  };
}

function createDeliver(options: BroadcasterOptions): Deliver {
  const { broadcast } = options;
  const loadTrace = createTraceLoader(options);
  return async (ids, destination, signal) => {
    const format = broadcast?.formats.find(({ type }) => type === destination.type);
    // A destination whose format is missing is treated like a receiver that is down: it may be available after the next
    // start.
    if (broadcast === undefined || format === undefined) {
      const result = `nothing here speaks ${destination.type}`;
      return { outcome: { isDelivered: false, result, isFinal: false }, isSent: false, remaining: ids };
    }
    const load = await loadTrace(destination);
    return deliverGenerations(ids, { ...options, ...broadcast, destination, format, loadTrace: load, signal });
  };
}

/** Opens, changes and closes lanes, so that there is one for every destination that is on. */
async function updateLanes(lanes: Lanes, deliver: Deliver, options: BroadcasterOptions): Promise<void> {
  const { store, broadcast } = options;
  if (broadcast === undefined) return;
  const destinations = await store.destinations.list();
  const active = new Map(destinations.filter(({ enabled }) => enabled).map((each) => [each.id, each]));
  for (const [id, { lane }] of lanes) {
    if (active.has(id)) continue;
    lanes.delete(id);
    await lane.close();
    await removeRows(id, !destinations.some((each) => each.id === id), store);
  }
  for (const destination of active.values()) {
    const known = lanes.get(destination.id);
    const seen = JSON.stringify(destination);
    if (known === undefined) {
      const lane = createDeliveryLane({ ...options, destination, rows: store.broadcasts, deliver });
      lanes.set(destination.id, { lane, seen });
      await openLane(lane, destination, options);
    } else if (known.seen !== seen) {
      known.seen = seen;
      known.lane.change(destination);
    }
  }
}

/** Resolves when the lane has its stored deliveries; it opens later, once it is known what else was not sent. */
async function openLane(lane: DeliveryLane, destination: Destination, options: BroadcasterOptions): Promise<void> {
  const { store, logger } = options;
  for (const row of await store.broadcasts.list()) {
    if (row.kind === 'delivery' && row.destinationId === destination.id && row.state === 'waiting') lane.add(row);
  }
  findMissed(destination, store).then(
    (missed) => lane.open(missed),
    (error: unknown) => {
      logger.error('what is still to be broadcast could not be read', { reason: String(error) });
      lane.open([]);
    },
  );
}

/** Removes the rows of a destination that was deleted or switched off: generations of the pause are not sent later. */
async function removeRows(id: string, isGone: boolean, { broadcasts }: Pick<Store, 'broadcasts'>): Promise<void> {
  for (const row of await broadcasts.list()) {
    const isIts = row.kind === 'progress' ? row.id === id : isGone && row.destinationId === id;
    if (isIts) await broadcasts.remove(row.id);
  }
}

async function sendTest(destination: Destination, options: BroadcasterOptions): Promise<DeliveryOutcome> {
  const { broadcast, platform } = options;
  const format = broadcast?.formats.find(({ type }) => type === destination.type);
  if (broadcast === undefined || format === undefined) {
    return { isDelivered: false, result: `nothing here speaks ${destination.type}`, isFinal: true };
  }
  const request = await format.toTestRequest(configOf(destination));
  const { signal } = new AbortController();
  return sendRequest(request, { ...broadcast, platform, statuses: format.testStatuses, signal });
}

async function closeLanes(lanes: readonly DeliveryLane[], limitMs: number, platform: Platform): Promise<void> {
  let cancelLimit: (() => void) | undefined;
  const limit = new Promise<void>((resolve) => {
    cancelLimit = platform.setTimer(resolve, limitMs);
  });
  await Promise.race([Promise.all(lanes.map((lane) => lane.drained())), limit]);
  cancelLimit?.();
  await Promise.all(lanes.map((lane) => lane.close()));
}
