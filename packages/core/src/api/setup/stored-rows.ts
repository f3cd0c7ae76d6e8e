import type { ProviderRecord, Store } from '../../stores/store.ts';
import type { StoredSetup } from './compose-setup.ts';

/** What was learnt of a provider and no longer holds. */
export interface Outdated {
  readonly provider: string;
  /** Whether another server is asked from now on, so that the list of models does not hold either. */
  readonly isMoved: boolean;
}

/** Settings of a provider by which another server is called. */
export const SERVER_FIELDS = ['preset', 'wire', 'baseUrl', 'query'] as const;

/**
 * Creates a reader of what is stored. A row that says the same as before is the same object, because what was made of a
 * row is known by it, and a shared store may read all rows anew.
 */
export function createStoredReader(store: Pick<Store, 'providers' | 'models'>): () => Promise<StoredSetup> {
  let known = new Map<string, object>();
  return async () => {
    const kept = new Map<string, object>();
    const keep = <Row extends object>(row: Row): Row => {
      const text = JSON.stringify(row);
      const same = known.get(text) ?? row;
      kept.set(text, same);
      return same as Row;
    };
    const [providers, models] = [await store.providers.list(), await store.models.list()];
    const rows = { providers: providers.map(keep), models: models.map(keep) };
    known = kept;
    return rows;
  };
}

export function areSame(one: StoredSetup, other: StoredSetup): boolean {
  return JSON.stringify([one.providers, one.models]) === JSON.stringify([other.providers, other.models]);
}

/** What was learnt of providers that have changed, or have gone. */
export function findOutdated(before: readonly ProviderRecord[], after: readonly ProviderRecord[]): Outdated[] {
  return before.flatMap((row) => {
    const next = after.find(({ id }) => id === row.id);
    const isMoved =
      next === undefined || SERVER_FIELDS.some((field) => differs(row.settings[field], next.settings[field]));
    return isMoved || row.sealed !== next.sealed ? [{ provider: row.id, isMoved }] : [];
  });
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
