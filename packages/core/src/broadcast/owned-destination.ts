import type { Platform } from '../foundation/platform.ts';
import type { BroadcastFeed, BroadcastRow } from '../stores/rows.ts';
import type { GenerationRecord, Store } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import { type BroadcasterOptions, createDeliver } from './broadcaster.ts';
import { listDeliveriesOf } from './deliveries.ts';
import { createDestinationFilter } from './destination-filter.ts';
import { createDestinationQueue, type DestinationQueue, type QueueStatus } from './destination-queue.ts';

/** A destination that this process sends to, and no other. */
export interface OwnedDestination {
  change(destination: Destination): void;
  status(): QueueStatus;
  /** Reads the deliveries that wait, among them those that are to be sent again. */
  readWaiting(): Promise<void>;
  /** Sends what is recorded by now, as far as it can be sent. */
  drained(): Promise<void>;
  /** Stores how far it is, and leaves the destination to others. */
  close(): Promise<void>;
}

interface OwnedDestinationOptions extends BroadcasterOptions {
  readonly destination: Destination;
  /** As it was taken. */
  readonly row: BroadcastFeed;
  readonly rows: FeedRows;
  /** Called once, when it could not be kept. Nothing is sent any more then. */
  readonly onLost: () => void;
}

const READ_EVERY_MS = 1000;
const SAVE_EVERY_MS = 5000;
const PAGE = 200;
/** No more is read while this many wait to be sent: the store has them. */
const MAX_AHEAD = 500;

/** Sends to a destination what the store holds for it, recorded by any process. */
export function openOwnedDestination(options: OwnedDestinationOptions): OwnedDestination {
  const owned = createOwnedState(options);
  const { queue } = owned;
  owned.readWaiting().then(
    () => queue.open([]),
    (error: unknown) => lose(owned, error),
  );
  void readOn(owned);
  saveLater(owned);
  return {
    change(destination) {
      owned.takes = createDestinationFilter(destination);
      queue.change(destination);
    },
    status: () => statusOf(owned),
    readWaiting: owned.readWaiting,
    async drained() {
      // Two at work on one place would read the same page, and its generations would be sent twice.
      owned.isDraining = true;
      owned.cancelRead();
      await owned.reading;
      do await queue.drained();
      while (!owned.isClosed && owned.held.size < MAX_AHEAD && (await readPage(owned)));
      await queue.drained();
    },
    async close() {
      if (owned.isClosed) return;
      end(owned);
      await queue.close();
      await options.rows.leave(owned.row, { place: owned.donePlace, status: statusOf(owned) });
    },
  };
}

type OwnedState = ReturnType<typeof createOwnedState>;

function createOwnedState(options: OwnedDestinationOptions) {
  const { store, destination, row, platform } = options;
  /** Records that wait to be sent, so that they are not read again one by one. */
  const held = new Map<string, GenerationRecord>();
  const generations: BroadcasterOptions['store']['generations'] = {
    ...store.generations,
    get: (id) => held.get(id) ?? store.generations.get(id),
  };
  const queue: DestinationQueue = createDestinationQueue({
    ...options,
    rows: store.broadcasts,
    deliver: createDeliver({ ...options, store: { ...store, generations } }),
    cursor: { moveTo: (id) => settle(id, state), close: () => Promise.resolve() },
  });
  const state = {
    ...options,
    queue,
    held,
    takes: createDestinationFilter(destination),
    row,
    /** What comes after it has not been read. */
    readPlace: row.place,
    /** What comes before it needs no delivery any more. */
    donePlace: row.place,
    /** Pages under way: the place after each is reached when the last that it had for this destination is settled. */
    pages: [] as { readonly lastId: string; place: string }[],
    renewedAt: platform.monotonicNow(),
    reading: Promise.resolve() as Promise<unknown>,
    cancelRead: (): void => undefined,
    cancelSave: (): void => undefined,
    isDraining: false,
    isClosed: false,
    hasFailed: false,
    async readWaiting() {
      for (const each of await listDeliveriesOf(destination.id, store.broadcasts)) {
        if (each.state === 'waiting') queue.add(each);
      }
    },
  };
  return state;
}

function statusOf({ queue, row }: OwnedState): QueueStatus {
  const { queued, lastDeliveredAt, lastFailure } = queue.status();
  return {
    queued,
    lastDeliveredAt: lastDeliveredAt ?? row.status.lastDeliveredAt,
    lastFailure: lastFailure ?? row.status.lastFailure,
  };
}

/** Moves the place past pages whose generations all need no delivery any more. */
function settle(id: string, owned: OwnedState): void {
  const { pages, held } = owned;
  if (!held.has(id)) return;
  // Generations settle in order, so all before it have.
  for (const known of held.keys()) {
    held.delete(known);
    if (known === id) break;
  }
  const done = pages.filter(({ lastId }) => !held.has(lastId));
  owned.donePlace = done.at(-1)?.place ?? owned.donePlace;
  owned.pages = pages.filter(({ lastId }) => held.has(lastId));
}

/** Reads a page, and queues what of it is for this destination. False when there is nothing more to read now. */
async function readPage(owned: OwnedState): Promise<boolean> {
  const { store, queue, held } = owned;
  if (owned.isClosed || held.size >= MAX_AHEAD) return false;
  const found = await store.generations.follow?.(owned.readPlace, PAGE);
  if (found === undefined || owned.isClosed) return false;
  owned.readPlace = found.place;
  const taken = found.records.filter(owned.takes);
  for (const record of taken) held.set(record.generation.id, record);
  const last = taken.at(-1);
  const latest = owned.pages.at(-1);
  if (last !== undefined) owned.pages.push({ lastId: last.generation.id, place: found.place });
  else if (latest !== undefined) latest.place = found.place;
  else owned.donePlace = found.place;
  for (const record of taken) queue.offer(record);
  return found.records.length === PAGE;
}

async function readOn(owned: OwnedState): Promise<void> {
  const { platform, logger, destination } = owned;
  const reading = (async () => {
    while (await readPage(owned));
    owned.hasFailed = false;
  })();
  owned.reading = reading.catch((error: unknown) => {
    // Logged once, because it is tried again every second.
    if (owned.hasFailed) return;
    owned.hasFailed = true;
    logger.error('pending broadcasts could not be read', { destination: destination.id, reason: String(error) });
  });
  await owned.reading;
  if (!owned.isClosed && !owned.isDraining)
    owned.cancelRead = platform.setTimer(() => void readOn(owned), READ_EVERY_MS);
}

function saveLater(owned: OwnedState): void {
  owned.cancelSave = owned.platform.setTimer(() => {
    save(owned).then(
      () => owned.isClosed || saveLater(owned),
      (error: unknown) => lose(owned, error),
    );
  }, SAVE_EVERY_MS);
}

async function save(owned: OwnedState): Promise<void> {
  const { platform, rows } = owned;
  const at = platform.monotonicNow();
  let saved: BroadcastFeed | undefined;
  try {
    saved = await rows.save(owned.row, { place: owned.donePlace, status: statusOf(owned) });
  } catch (error) {
    if (at - owned.renewedAt < GIVE_UP_MS - SAVE_EVERY_MS) return;
    throw error;
  }
  if (owned.isClosed) return;
  if (saved === undefined) throw new Error('another process sends to it now');
  const isWoken = saved.resends !== owned.row.resends;
  owned.row = saved;
  owned.renewedAt = at;
  if (isWoken) await owned.readWaiting();
}

function end(owned: OwnedState): void {
  owned.isClosed = true;
  owned.cancelRead();
  owned.cancelSave();
}

function lose(owned: OwnedState, error: unknown): void {
  if (owned.isClosed) return;
  end(owned);
  const { logger, destination, queue } = owned;
  logger.warn('a broadcast was left to other processes', { destination: destination.id, reason: String(error) });
  void queue.close();
  owned.onLost();
}

/** Access to the rows with the progress of destinations and their owners. */
export interface FeedRows {
  /** The row of a destination; makes one that begins with what is recorded from now on. */
  findOrMake(destination: Pick<Destination, 'id' | 'updated_at'>): Promise<BroadcastFeed>;
  /** Takes a destination without an owner. Undefined when it has one. */
  take(row: BroadcastFeed): Promise<BroadcastFeed | undefined>;
  /** Writes how far an owner has got, and renews its ownership. Undefined when it has lost that. */
  save(owned: BroadcastFeed, how: Pick<BroadcastFeed, 'place' | 'status'>): Promise<BroadcastFeed | undefined>;
  /** The same, and gives the ownership up. */
  leave(owned: BroadcastFeed, how: Pick<BroadcastFeed, 'place' | 'status'>): Promise<void>;
  /** Makes the present owner read the deliveries again. */
  wakeOwner(id: string): Promise<void>;
}

interface FeedRowsOptions {
  readonly store: Pick<Store, 'broadcasts'>;
  readonly platform: Pick<Platform, 'now'>;
  readonly ownerId: () => string;
  /** The place after all that is recorded by now. */
  readonly findEnd: () => Promise<string>;
}

const LEASE_MS = 30_000;
/** An owner that could not renew its ownership for this long sends no more: the clocks of machines may differ. */
const GIVE_UP_MS = 20_000;

const NO_STATUS: BroadcastFeed['status'] = { queued: 0, lastDeliveredAt: null, lastFailure: null };

export function createFeedRows({ store, platform, ownerId, findEnd }: FeedRowsOptions): FeedRows {
  const { broadcasts } = store;
  /** Changes what is still the owner's. */
  const change = async (
    { id, lease: owned }: BroadcastFeed,
    toNext: (latest: BroadcastFeed) => BroadcastFeed,
  ): Promise<BroadcastFeed | undefined> => {
    let isOurs = false;
    const changed = await broadcasts.update(id, (latest) => {
      isOurs = latest.kind === 'feed' && latest.lease !== null && latest.lease.token === owned?.token;
      return isOurs && latest.kind === 'feed' ? toNext(latest) : latest;
    });
    return isOurs && changed?.kind === 'feed' ? changed : undefined;
  };
  const toLease = (token: number): NonNullable<BroadcastFeed['lease']> => ({
    ownerId: ownerId(),
    token,
    untilMs: platform.now() + LEASE_MS,
  });
  return {
    async findOrMake({ id, updated_at: since }) {
      const known = await broadcasts.get(id);
      if (known?.kind === 'feed') return known;
      const place = await findEnd();
      const first: BroadcastFeed = { kind: 'feed', id, since, place, lease: null, resends: 0, status: NO_STATUS };
      const toFeed = (latest: BroadcastRow): BroadcastRow => (latest.kind === 'feed' ? latest : first);
      const row = await broadcasts.update(id, toFeed, first);
      return row?.kind === 'feed' ? row : first;
    },
    async take(row) {
      if (isOwned(row, platform.now())) return undefined;
      const token = (row.lease?.token ?? 0) + 1;
      const lease = toLease(token);
      const taken = await broadcasts.update(row.id, (latest) =>
        latest.kind !== 'feed' || isOwned(latest, platform.now()) || (latest.lease?.token ?? 0) >= token
          ? latest
          : { ...latest, lease },
      );
      const isOurs = taken?.kind === 'feed' && taken.lease?.token === token && taken.lease.ownerId === lease.ownerId;
      return isOurs ? taken : undefined;
    },
    save: (owned, how) => change(owned, (latest) => ({ ...latest, ...how, lease: toLease(latest.lease?.token ?? 0) })),
    async leave(owned, how) {
      await change(owned, (latest) => ({ ...latest, ...how, lease: latest.lease && { ...latest.lease, untilMs: 0 } }));
    },
    async wakeOwner(id) {
      await broadcasts.update(id, (latest) =>
        latest.kind === 'feed' ? { ...latest, resends: latest.resends + 1 } : latest,
      );
    },
  };
}

const isOwned = ({ lease }: BroadcastFeed, nowMs: number): boolean => lease !== null && lease.untilMs > nowMs;
