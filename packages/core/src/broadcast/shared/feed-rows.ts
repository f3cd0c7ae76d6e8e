import type { Platform } from '../../foundation/platform.ts';
import type { BroadcastFeed, BroadcastRow } from '../../stores/rows.ts';
import type { Store } from '../../stores/store.ts';
import type { Destination } from '../../wire/destinations.ts';

/** Access to the rows that tell how far destinations are, and who sends to them. */
export interface FeedRows {
  /** The row of a destination; makes one that begins with what is recorded from now on. */
  findOrMake(destination: Pick<Destination, 'id' | 'updated_at'>): Promise<BroadcastFeed>;
  /** Takes a destination that nobody owns. Undefined when somebody does. */
  take(row: BroadcastFeed): Promise<BroadcastFeed | undefined>;
  /** Writes how far an owner has got, and renews its ownership. Undefined when it has lost that. */
  save(owned: BroadcastFeed, how: Pick<BroadcastFeed, 'place' | 'status'>): Promise<BroadcastFeed | undefined>;
  /** The same, and gives the ownership up. */
  leave(owned: BroadcastFeed, how: Pick<BroadcastFeed, 'place' | 'status'>): Promise<void>;
  /** Tells the owner, whoever it is, to read the deliveries anew. */
  wakeOwner(id: string): Promise<void>;
}

export interface FeedRowsOptions {
  readonly store: Pick<Store, 'broadcasts' | 'generations'>;
  readonly platform: Pick<Platform, 'now'>;
  readonly ownerId: () => string;
}

const LEASE_MS = 30_000;
/** An owner that could not renew its ownership for this long sends no more: the clocks of machines may differ. */
export const GIVE_UP_MS = 20_000;

const NO_STATUS: BroadcastFeed['status'] = { queued: 0, lastDeliveredAt: null, lastFailure: null };

export function createFeedRows({ store, platform, ownerId }: FeedRowsOptions): FeedRows {
  const { broadcasts, generations } = store;
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
      const place = (await generations.follow?.(null, 0))?.place ?? '';
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
