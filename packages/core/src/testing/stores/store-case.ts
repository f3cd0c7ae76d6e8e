import type { Awaitable } from '../../foundation/awaitable.ts';
import type { Store } from '../../stores/store.ts';
import type { ContractCase } from '../contract-case.ts';
import { expectMember, type OptionalMember } from './optional-member.ts';

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
  /** The member that the case is about, where it is an optional one. A store without it fails the case: skip it there. */
  readonly needs?: OptionalMember | undefined;
}

type Check = (store: Store, reopen: () => Promise<Store>) => Promise<void>;

/** A case for every store, or for those that have what it `needs`. */
export function storeCase(title: string, check: (store: Store) => Promise<void>, needs?: OptionalMember): StoreCase {
  return { title, needsDurability: false, needs, run: (makePlace) => runInPlace(makePlace, check, needs) };
}

/** The same for stores that outlive a restart. `reopen` closes the store and opens it again. */
export function durableStoreCase(title: string, check: Check, needs?: OptionalMember): StoreCase {
  return { title, needsDurability: true, needs, run: (makePlace) => runInPlace(makePlace, check, needs) };
}

async function runInPlace(makePlace: MakeStorePlace, check: Check, needs: OptionalMember | undefined): Promise<void> {
  const place = await makePlace();
  try {
    let store = await place.open();
    try {
      if (needs !== undefined) expectMember(store, needs);
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
