import { once } from '../foundation/awaitable.ts';
import { createRandomId } from '../foundation/platform.ts';
import { createTurns } from '../foundation/queues.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import type { Destination } from '../wire/destinations.ts';
import { type Broadcaster, type BroadcasterOptions, createBroadcaster, createGoneRemoval } from './broadcaster.ts';
import type { QueueStatus } from './destination-queue.ts';
import { createFeedRows, openOwnedDestination, type OwnedDestination } from './owned-destination.ts';

/** How often a process looks for destinations without an owner. */
const LOOK_EVERY_MS = 5000;

interface Owned {
  readonly work: OwnedDestination;
  seen: string;
}

/**
 * For processes that share a store: one of them sends to a destination, all that any of them has recorded, and another
 * goes on where it was when it dies (docs/decisions/0042).
 */
export function createSharedBroadcaster(options: BroadcasterOptions): Broadcaster {
  const { store, platform, logger, random, broadcast } = options;
  const rows = createFeedRows({
    store,
    platform,
    ownerId: once(() => createRandomId(platform)),
    findEnd: async () => (await store.generations.follow?.(null, 0))?.place ?? '',
  });
  const owned = new Map<string, Owned>();
  const removeGone = createGoneRemoval(store);
  let active: readonly Destination[] = [];
  let isClosed = false;
  let hasFailed = false;
  let cancelLook = (): void => undefined;
  const turns = createTurns();
  /** Two pieces of work at once would both open a destination. */
  const inTurn = (work: () => Promise<void>): Promise<void> =>
    turns(() => (isClosed || broadcast === undefined ? undefined : work()));

  const look = async (): Promise<void> => {
    for (const destination of active) {
      if (owned.has(destination.id)) continue;
      const row = await rows.take(await rows.findOrMake(destination));
      if (row === undefined || isClosed) continue;
      const { id } = destination;
      const onLost = (): void => void owned.delete(id);
      const work = openOwnedDestination({ ...options, destination, row, rows, onLost });
      owned.set(id, { work, seen: JSON.stringify(destination) });
    }
  };
  const refresh = async (): Promise<void> => {
    const all = await store.destinations.list();
    active = all.filter(({ enabled }) => enabled);
    const isActive = (id: string): boolean => active.some((each) => each.id === id);
    for (const [id, { work }] of owned) {
      if (isActive(id)) continue;
      owned.delete(id);
      await work.close();
    }
    for (const { id, updated_at: since, enabled } of all) {
      const row = enabled ? undefined : await store.broadcasts.get(id);
      // A row that is newer than what this process has heard of was made after the destination was switched on again.
      if (row?.kind === 'feed' && row.since <= since) await store.broadcasts.remove(id);
    }
    await removeGone(all);
    for (const destination of active) {
      const known = owned.get(destination.id);
      const seen = JSON.stringify(destination);
      if (known === undefined || known.seen === seen) continue;
      known.seen = seen;
      known.work.change(destination);
    }
    await look();
  };
  const lookLater = (): void => {
    const again = (): void => {
      inTurn(look)
        .then(
          () => (hasFailed = false),
          (error: unknown) => {
            // Logged once, because it is tried again every few seconds.
            if (!hasFailed) logger.error('the destinations could not be processed', { reason: String(error) });
            hasFailed = true;
          },
        )
        .finally(() => isClosed || lookLater());
    };
    cancelLook = platform.setTimer(again, LOOK_EVERY_MS * (0.9 + random() / 5));
  };

  return {
    ...createBroadcaster(options),
    // It comes from the store, as what other processes record does.
    offer: () => undefined,
    async start() {
      lookLater();
      await inTurn(refresh).catch((error: unknown) => {
        logger.error('the destinations could not be read', { reason: String(error) });
      });
    },
    async begin(destination) {
      if (broadcast !== undefined) await rows.findOrMake(destination);
    },
    refresh: () => inTurn(refresh),
    async resend(deliveryId) {
      const row = await store.broadcasts.get(deliveryId);
      const destination = row?.kind === 'delivery' ? await store.destinations.get(row.destinationId) : undefined;
      if (row?.kind !== 'delivery' || destination?.enabled !== true) return undefined;
      const renewed: BroadcastDelivery = { ...row, state: 'waiting', attempts: 0, nextAttemptAt: platform.now() };
      if ((await store.broadcasts.update(row.id, () => renewed)) === undefined) return undefined;
      const here = owned.get(row.destinationId);
      if (here === undefined) await rows.wakeOwner(row.destinationId);
      else await here.work.readWaiting();
      return renewed;
    },
    async status() {
      const found = new Map<string, QueueStatus>();
      for (const { id, enabled } of await store.destinations.list()) {
        if (!enabled) continue;
        const row = owned.has(id) ? undefined : await store.broadcasts.get(id);
        const status = owned.get(id)?.work.status() ?? (row?.kind === 'feed' ? row.status : undefined);
        if (status !== undefined) found.set(id, status);
      }
      return found;
    },
    queued: () => [...owned.values()].reduce((sum, { work }) => sum + work.status().queued, 0),
    async close(limitMs) {
      isClosed = true;
      cancelLook();
      await turns(() => undefined);
      cancelLook();
      const all = [...owned.values()].map(({ work }) => work);
      if (all.length === 0) return;
      let cancelLimit = (): void => undefined;
      const limit = new Promise<void>((resolve) => {
        cancelLimit = platform.setTimer(resolve, limitMs);
      });
      await Promise.race([Promise.allSettled(all.map((work) => work.drained())), limit]);
      cancelLimit();
      await Promise.allSettled(all.map((work) => work.close()));
    },
  };
}
