import type { Awaitable } from '../../foundation/async/awaitable.ts';
import type { Store } from '../../stores/store.ts';
import type { ContractCase } from '../contract-case.ts';

/** An empty place for the stores of one case, which are opened one after the other. */
export interface StorePlace {
  open(): Awaitable<Store>;
  /** Removes what the stores have left, once they are closed. */
  remove?(): Awaitable<void>;
}

/** Makes a place that shares nothing with another one. */
export type MakeStorePlace = () => Awaitable<StorePlace>;

export interface StoreCase extends ContractCase<MakeStorePlace> {
  /** The case opens the store again, and expects to find there what was stored before. */
  readonly needsDurability: boolean;
}

/** A case for every store. */
export function storeCase(title: string, check: (store: Store) => Promise<void>): StoreCase {
  return { title, needsDurability: false, run: (makePlace) => runInPlace(makePlace, check) };
}

/** A case for stores that outlive a restart. `reopen` closes the store and opens it again. */
export function durableStoreCase(
  title: string,
  check: (store: Store, reopen: () => Promise<Store>) => Promise<void>,
): StoreCase {
  return { title, needsDurability: true, run: (makePlace) => runInPlace(makePlace, check) };
}

async function runInPlace(
  makePlace: MakeStorePlace,
  check: (store: Store, reopen: () => Promise<Store>) => Promise<void>,
): Promise<void> {
  const place = await makePlace();
  try {
    let store = await place.open();
    try {
      await check(store, async () => {
        await store.close();
        store = await place.open();
        return store;
      });
    } finally {
      await store.close();
    }
  } finally {
    await place.remove?.();
  }
}
