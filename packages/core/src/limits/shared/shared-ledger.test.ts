import { expect, test } from 'vitest';

import {
  createVirtualPlatform,
  settle,
  type VirtualPlatform,
} from '../../../../../test/support/async/virtual-platform.ts';
import type { BudgetSlices, GenerationRepository, SlicedBudget, SliceRequest } from '../../stores/store.ts';
import type { Budget } from '../budgets.ts';
import type { Hold, Ledger } from '../ledger.ts';
import { createSharedLedger } from './shared-ledger.ts';

const CENT = 10_000_000;

const budgetOf = (limitNanoUsd: number, key = 'k'): Budget => ({
  refusal: 'Key limit exceeded',
  code: 'payment_required',
  spender: `key ${key}`,
  query: { principalId: key },
  limitNanoUsd,
  includesByok: false,
  resetsAt: null,
});

const holdOf = (id: string, nanoUsd: number, spenders: readonly string[] = ['key k']): Hold => ({
  id,
  spenders,
  creditsNanoUsd: nanoUsd,
  anyNanoUsd: nanoUsd,
});

/** A store in memory, as the ledger of one instance sees it. */
interface Store {
  spentNanoUsd: number;
  heldElsewhereNanoUsd: number;
  /** How many instances are asked for what they do not need. */
  recalledFrom: number;
  isAway: boolean;
  /** So many requests from now on find that the slices belong to others. */
  losses: number;
  /** Awaited before a request is answered. */
  beforeGrant: (request: SliceRequest) => Promise<void> | undefined;
  /** The requests of calls. What is asked in advance is left out. */
  readonly asked: SliceRequest[];
  /** What slices were made as large as. */
  readonly put: number[];
  /** Another instance gives back what it does not need. */
  giveBack(instanceId: string): void;
  /** The sums of every instance include these generations from now on. */
  count(ids: readonly string[]): void;
}

interface Setup {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly platform: VirtualPlatform;
  readonly warnings: string[];
}

function setUp(whenDown: BudgetSlices['whenDown'] = 'refuse'): Setup {
  let tellCounted = (_ids: readonly string[]): void => undefined;
  let tellGivenBack = (_budget: SlicedBudget, _instanceId: string): void => undefined;
  const store: Store = {
    spentNanoUsd: 0,
    heldElsewhereNanoUsd: 0,
    recalledFrom: 0,
    isAway: false,
    losses: 0,
    beforeGrant: () => undefined,
    asked: [],
    put: [],
    giveBack(instanceId) {
      const [first] = store.asked;
      if (first !== undefined) tellGivenBack(first.budget, instanceId);
    },
    count: (ids) => tellCounted(ids),
  };
  const whenThere = <Value>(value: Value): Promise<Value> =>
    store.isAway ? Promise.reject(new Error('No connection')) : Promise.resolve(value);
  const slices: BudgetSlices = {
    whenDown,
    lifeMs: 75_000,
    renew: () => whenThere(true),
    async take(request) {
      if (request.recalls) store.asked.push(request);
      await store.beforeGrant(request);
      await whenThere(undefined);
      if (store.losses > 0) {
        store.losses -= 1;
        return null;
      }
      const { spentNanoUsd, heldElsewhereNanoUsd, recalledFrom } = store;
      const { limitNanoUsd, keepNanoUsd, needNanoUsd, wantNanoUsd } = request;
      const availableNanoUsd = limitNanoUsd - spentNanoUsd - heldElsewhereNanoUsd - keepNanoUsd;
      const granted = availableNanoUsd < needNanoUsd ? 0 : Math.min(availableNanoUsd, wantNanoUsd);
      return {
        sliceNanoUsd: keepNanoUsd + granted,
        spentNanoUsd,
        heldElsewhereNanoUsd,
        availableNanoUsd,
        recalledFrom,
      };
    },
    async put(written) {
      await whenThere(undefined);
      store.put.push(...written.map(({ nanoUsd }) => nanoUsd));
      return true;
    },
    giveBack: () => whenThere(true),
    onRecall: () => () => undefined,
    onGivenBack(listener) {
      tellGivenBack = listener;
      return () => undefined;
    },
  };
  const platform = createVirtualPlatform();
  const warnings: string[] = [];
  const note = (message: string): void => void warnings.push(message);
  const logger = { debug: note, info: note, warn: note, error: note };
  const generations: Pick<GenerationRepository, 'onCounted'> = {
    onCounted(listener) {
      tellCounted = listener;
      return () => undefined;
    },
  };
  return { store, platform, warnings, ledger: createSharedLedger({ slices, generations, platform, logger }) };
}

/** How a call fares for which no time passes. */
async function fareOf(reserving: () => ReturnType<Ledger['reserve']>): Promise<string> {
  let fare = 'waits';
  Promise.resolve()
    .then(reserving)
    .then(
      () => (fare = 'passes'),
      (error: unknown) => (fare = String((error as { code?: unknown }).code)),
    );
  await settle();
  return fare;
}

test('calls that need a budget at once ask the store together', async () => {
  const { store, ledger } = setUp();
  const ids = Array.from({ length: 10 }, (_, index) => `call-${index}`);
  const fares = ids.map((id) => fareOf(() => ledger.reserve(holdOf(id, CENT), [budgetOf(1000 * CENT)])));
  expect(new Set(await Promise.all(fares))).toEqual(new Set(['passes']));
  expect(store.asked).toHaveLength(1);
  expect(ledger.heldNanoUsd()).toBe(10 * CENT);
});

test('what the store has refused is refused for a quarter of a second without asking it again', async () => {
  const { store, ledger, platform } = setUp();
  store.spentNanoUsd = 9 * CENT;
  const fare = (): Promise<string> => fareOf(() => ledger.reserve(holdOf('large', 2 * CENT), [budgetOf(10 * CENT)]));
  expect(await fare()).toBe('payment_required');
  expect(await fare()).toBe('payment_required');
  await platform.advance(249);
  expect(await fare()).toBe('payment_required');
  expect(store.asked).toHaveLength(1);
  store.spentNanoUsd = 8 * CENT;
  await platform.advance(1);
  expect(await fare()).toBe('passes');
});

test('a call waits for what other instances give back until each of them has, and no longer', async () => {
  const { store, ledger, platform } = setUp();
  store.heldElsewhereNanoUsd = 9 * CENT;
  store.recalledFrom = 2;
  const budget = budgetOf(10 * CENT);
  const ended: string[] = [];
  Promise.resolve(ledger.reserve(holdOf('waits', 3 * CENT), [budget])).then(
    () => ended.push('passes'),
    () => ended.push('is refused'),
  );
  await settle();
  store.giveBack('one');
  await settle();
  expect([ended, store.asked.length]).toEqual([[], 1]);
  store.heldElsewhereNanoUsd = 5 * CENT;
  store.giveBack('another');
  await settle();
  expect([ended, store.asked.length]).toEqual([['passes'], 2]);
  // One that does not respond is waited for a quarter of a second.
  const fare = (id: string): Promise<string> => fareOf(() => ledger.reserve(holdOf(id, 4 * CENT), [budget]));
  expect(await fare('later')).toBe('waits');
  await platform.advance(250);
  // By what the store has said to the one that waited.
  expect(await fare('last')).toBe('payment_required');
});

test('a call that one of its budgets refuses leaves the others as if it had not come', async () => {
  const { store, ledger } = setUp();
  const [wide, used] = [budgetOf(10 * CENT, 'wide'), budgetOf(CENT, 'used')];
  let answer = (): void => undefined;
  store.beforeGrant = ({ budget }) =>
    budget.spenderId === 'used' ? new Promise((resolve) => (answer = resolve)) : undefined;
  const both = Promise.resolve(ledger.reserve(holdOf('both', 6 * CENT, ['key wide', 'key used']), [wide, used]));
  const refusal = both.catch((error: unknown) => error);
  const fareOfNext = (id: string): Promise<string> =>
    fareOf(() => ledger.reserve(holdOf(id, 8 * CENT, ['key wide']), [wide]));
  await settle();
  // Meanwhile six cents of the wide one are set aside.
  expect(await fareOfNext('during')).toBe('payment_required');
  answer();
  expect(await refusal).toMatchObject({ code: 'payment_required' });
  expect(await fareOfNext('after')).toBe('passes');
  expect(ledger.heldNanoUsd()).toBe(8 * CENT);
});

test('slices that others were given meanwhile are asked for again, three times', async () => {
  const { store, ledger } = setUp();
  const fare = (id: string, key: string): Promise<string> =>
    fareOf(() => ledger.reserve(holdOf(id, CENT, [`key ${key}`]), [budgetOf(10 * CENT, key)]));
  store.losses = 3;
  expect(await fare('thrice', 'one')).toBe('passes');
  store.losses = 4;
  expect(await fare('too-often', 'another')).toBe('provider_overloaded');
});

test('while the store is away, it is asked twice a second at most, and that is logged once', async () => {
  const { store, ledger, platform, warnings } = setUp();
  const fare = (): Promise<string> => fareOf(() => ledger.reserve(holdOf('call', CENT), [budgetOf(10 * CENT)]));
  await ledger.reserve(holdOf('first', CENT), [budgetOf(10 * CENT, 'another')]);
  store.asked.length = 0;
  store.isAway = true;
  for (let halves = 1; halves <= 3; halves += 1) {
    expect([await fare(), await fare()]).toEqual(['provider_overloaded', 'provider_overloaded']);
    expect(store.asked).toHaveLength(halves);
    await platform.advance(500);
  }
  expect(warnings).toEqual(['budgets cannot be checked at present']);
  store.isAway = false;
  expect(await fare()).toBe('passes');
  store.isAway = true;
  expect(await fareOf(() => ledger.reserve(holdOf('large', 9 * CENT), [budgetOf(10 * CENT)]))).toBe(
    'provider_overloaded',
  );
  expect(warnings).toHaveLength(2);
});

test('while the store is away, calls that may spool use twice the last slice at most', async () => {
  const { store, ledger, platform } = setUp('spool');
  const budget = budgetOf(1000 * CENT);
  await ledger.reserve(holdOf('first', CENT), [budget]);
  store.isAway = true;
  const fares: string[] = [];
  for (let call = 0; call < 9; call += 1) {
    fares.push(await fareOf(() => ledger.reserve(holdOf(`call-${call}`, CENT), [budget])));
  }
  // The first call got room for four.
  expect(fares).toEqual([...Array<string>(7).fill('passes'), 'provider_overloaded', 'provider_overloaded']);
  expect(ledger.heldNanoUsd()).toBe(8 * CENT);
  await platform.advance(500);
  store.isAway = false;
  expect(await fareOf(() => ledger.reserve(holdOf('again', CENT), [budget]))).toBe('passes');
});

test('what no call has used for five seconds is returned', async () => {
  const { store, ledger, platform } = setUp();
  await ledger.reserve(holdOf('first', CENT), [budgetOf(100 * CENT)]);
  ledger.release('first');
  await platform.advance(5000);
  expect(store.put).toEqual([]);
  await platform.advance(1001);
  expect(store.put).toEqual([0]);
});

test('nothing is held for a record that seemed lost after the store had counted it', async () => {
  const { store, ledger } = setUp();
  const budget = budgetOf(10 * CENT);
  await ledger.reserve(holdOf('early', 6 * CENT), [budget]);
  store.spentNanoUsd = 5 * CENT;
  store.count(['early']);
  ledger.keepLost(holdOf('early', 5 * CENT));
  expect(ledger.heldNanoUsd()).toBe(0);
  expect(await fareOf(() => ledger.reserve(holdOf('next', 6 * CENT), [budget]))).not.toBe('passes');
  expect(await fareOf(() => ledger.reserve(holdOf('less', 5 * CENT), [budget]))).toBe('passes');
});

test('the cost of a lost record is held until the store counts it after all', async () => {
  const { store, ledger } = setUp();
  const budget = budgetOf(10 * CENT);
  await ledger.reserve(holdOf('late', 6 * CENT), [budget]);
  ledger.keepLost(holdOf('late', 5 * CENT));
  const fare = (): Promise<string> => fareOf(() => ledger.reserve(holdOf('next', 5 * CENT), [budget]));
  expect(ledger.heldNanoUsd()).toBe(5 * CENT);
  store.spentNanoUsd = 5 * CENT;
  store.count(['late']);
  expect(ledger.heldNanoUsd()).toBe(0);
  expect(await fare()).toBe('passes');
});
