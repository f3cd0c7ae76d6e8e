import type { Awaitable, Store } from '@model-gateway/core';

import type { ContractCase } from '../contract-case.ts';

const MEMBERS = {
  audit: ({ audit }: Store): unknown => audit,
  'batches.listBatches': ({ batches }: Store): unknown => batches.listBatches,
  'batches.listOpenBatches': ({ batches }: Store): unknown => batches.listOpenBatches,
  'batches.listSubmissionsOf': ({ batches }: Store): unknown => batches.listSubmissionsOf,
  'batches.pageResultsOf': ({ batches }: Store): unknown => batches.pageResultsOf,
  'broadcasts.listOf': ({ broadcasts }: Store): unknown => broadcasts.listOf,
  'broadcasts.page': ({ broadcasts }: Store): unknown => broadcasts.page,
  'files.listOf': ({ files }: Store): unknown => files.listOf,
  'generations.follow': ({ generations }: Store): unknown => generations.follow,
  'generations.noteRunning': ({ generations }: Store): unknown => generations.noteRunning,
  'guardrailHits.listDays': ({ guardrailHits }: Store): unknown => guardrailHits.listDays,
  'presets.listHeads': ({ presets }: Store): unknown => presets.listHeads,
  'prompts.listHeads': ({ prompts }: Store): unknown => prompts.listHeads,
  'reruns.listPartsOf': ({ reruns }: Store): unknown => reruns.listPartsOf,
  'reruns.listReruns': ({ reruns }: Store): unknown => reruns.listReruns,
  'videoJobs.findByIdempotencyKey': ({ videoJobs }: Store): unknown => videoJobs.findByIdempotencyKey,
  'videoJobs.listNewest': ({ videoJobs }: Store): unknown => videoJobs.listNewest,
  'videoJobs.listOrdered': ({ videoJobs }: Store): unknown => videoJobs.listOrdered,
  'videoJobs.listWorking': ({ videoJobs }: Store): unknown => videoJobs.listWorking,
  'videoJobs.page': ({ videoJobs }: Store): unknown => videoJobs.page,
} as const;

/** A part of a store that it may do without, and of which there are cases. */
export type OptionalMember = keyof typeof MEMBERS;

/** Throws where a store does without a member, as a case about it would say nothing. */
function expectMember(store: Store, member: OptionalMember): void {
  if (MEMBERS[member](store) !== undefined) return;
  throw new Error(`The store has no ${member}, which is optional: skip the cases that need it`);
}

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

/** Ids that a store must not take for something else: paths, fields, members of every object. */
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  '../../etc/passwd',
  'a"b\\c',
  ',"generation":{',
  'line\nbreak',
  '',
];
