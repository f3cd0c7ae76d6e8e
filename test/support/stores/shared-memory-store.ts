import {
  type GenerationRecord,
  hasWork,
  type SharedEntries,
  type Store,
  type Tables,
  type VideoJob,
} from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

export interface SharedMemoryStore extends Store {
  readonly entries: SharedEntries;
  /** While true, everything that is asked of the entries is refused. */
  isAway: boolean;
  /** How often `entries.get` was asked. */
  readonly looks: number;
  /** Tells every gateway at the store that tables have changed, as a change in another process does. */
  tell(...tables: (keyof Tables)[]): void;
}

/** A store in memory that several gateways of one test share as processes share a database. Entries end by `now`. */
export function createSharedMemoryStore(now: () => number): SharedMemoryStore {
  const store = createMemoryStore();
  const values = new Map<string, { readonly value: string; readonly endsAt: number }>();
  const listeners = new Set<Parameters<NonNullable<Store['onTablesChanged']>>[0]>();
  const appended: GenerationRecord[] = [];
  let looks = 0;

  const refuseAway = (): void => {
    if (shared.isAway) throw new Error('the store is away');
  };
  const find = (id: string): string | undefined => {
    const found = values.get(id);
    return found !== undefined && found.endsAt > now() ? found.value : undefined;
  };
  const shared: SharedMemoryStore = {
    ...store,
    isShared: true,
    isAway: false,
    get looks() {
      return looks;
    },
    tell: (...tables) => listeners.forEach((listener) => listener(new Set(tables))),
    entries: {
      async get(id) {
        looks += 1;
        refuseAway();
        return find(id);
      },
      async put(id, value, ttlMs) {
        refuseAway();
        values.set(id, { value, endsAt: now() + ttlMs });
      },
      async claim(id, value, ttlMs) {
        refuseAway();
        const known = find(id);
        if (known === undefined) values.set(id, { value, endsAt: now() + ttlMs });
        return known;
      },
      async renew(id, value, ttlMs) {
        refuseAway();
        if (find(id) !== value) return false;
        values.set(id, { value, endsAt: now() + ttlMs });
        return true;
      },
      async take(id, value) {
        refuseAway();
        const known = find(id);
        if (value !== undefined && known !== value) return undefined;
        values.delete(id);
        return known;
      },
    },
    onTablesChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    videoJobs: {
      ...store.videoJobs,
      async listWorking({ freeAtMs = Number.POSITIVE_INFINITY, limit }) {
        const all = await store.videoJobs.list();
        const isAsked = (job: VideoJob): boolean =>
          hasWork(job) && (freeAtMs === Number.POSITIVE_INFINITY || (job.lease?.untilMs ?? 0) <= freeAtMs);
        return all.filter(isAsked).slice(0, limit);
      },
      async findByIdempotencyKey(principalId, key, exceptId) {
        const all = await store.videoJobs.list();
        const isIts = (job: VideoJob): boolean => job.principalId === principalId && job.idempotency?.key === key;
        return all.findLast((job) => isIts(job) && job.id !== exceptId);
      },
      listNewest: async (limit) => (await store.videoJobs.list()).toReversed().slice(0, limit),
    },
    generations: {
      ...store.generations,
      async append(record, content) {
        await store.generations.append(record, content);
        appended.push(record);
      },
      async follow(place, limit) {
        const start = place === null ? appended.length : Number(place);
        const records = appended.slice(start, start + limit);
        return { records, place: String(start + records.length) };
      },
    },
  };
  return shared;
}
