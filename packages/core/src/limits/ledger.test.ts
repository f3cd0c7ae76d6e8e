import { expect, test } from 'vitest';

import type { Spent } from '../stores/store.ts';
import type { Budget } from './budgets.ts';
import { createLedger, type Hold, type Ledger } from './ledger.ts';

const CENT = 10_000_000;
const NOTHING: Spent = { creditsNanoUsd: 0, byokNanoUsd: 0 };

const budgetOf = (limitNanoUsd: number, changes: Partial<Budget> = {}): Budget => ({
  refusal: 'Key limit exceeded',
  code: 'payment_required',
  spender: 'key 1',
  query: { principalId: '1' },
  limitNanoUsd,
  includesByok: false,
  resetsAt: null,
  ...changes,
});
const holdOf = (id: string, nanoUsd = CENT, changes: Partial<Hold> = {}): Hold => ({
  id,
  spenders: ['account', 'key 1'],
  creditsNanoUsd: nanoUsd,
  anyNanoUsd: nanoUsd,
  ...changes,
});
const ledgerWith = (spent: Spent | (() => Promise<Spent>), found: readonly Hold[] = []): Ledger =>
  createLedger({
    generations: { spent: () => (typeof spent === 'function' ? spent() : spent) },
    findHolds: () => found,
  });
const isAdmitted = async (ledger: Ledger, hold: Hold, ...budgets: Budget[]): Promise<boolean> => {
  try {
    await ledger.reserve(hold, budgets);
    return true;
  } catch (error) {
    // A failure that is no refusal would look like one otherwise.
    expect(error).toMatchObject({ code: expect.stringMatching(/^(payment_required|permission_denied)$/) as string });
    return false;
  }
};

test('admits as many calls as there is room for, to the last nano-dollar', async () => {
  const ledger = ledgerWith({ creditsNanoUsd: 2 * CENT, byokNanoUsd: 99 * CENT });
  const admitted: boolean[] = [];
  for (let n = 0; n < 5; n += 1) admitted.push(await isAdmitted(ledger, holdOf(`g${n}`), budgetOf(5 * CENT)));
  expect(admitted).toEqual([true, true, true, false, false]);
  expect(ledger.heldNanoUsd()).toBe(3 * CENT);
  expect(await isAdmitted(ledger, holdOf('more', 1), budgetOf(5 * CENT))).toBe(false);
  ledger.release('g0');
  ledger.release('g0');
  ledger.release('never held');
  expect(ledger.heldNanoUsd()).toBe(2 * CENT);
  expect(await isAdmitted(ledger, holdOf('one more'), budgetOf(5 * CENT))).toBe(true);
});

test('admits no more calls while the store is slow to return the amount spent', async () => {
  const resolvers: (() => void)[] = [];
  const ledger = ledgerWith(() => new Promise((resolve) => resolvers.push(() => resolve(NOTHING))));
  const asked = Array.from({ length: 200 }, (_, n) => isAdmitted(ledger, holdOf(`g${n}`), budgetOf(10 * CENT)));
  for (const resolveSpent of resolvers.toReversed()) resolveSpent();
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(10);
  expect(ledger.heldNanoUsd()).toBe(10 * CENT);
});

test('a call that ends while the store sums is taken back once alone', async () => {
  const resolvers: (() => void)[] = [];
  const spent: Spent = { creditsNanoUsd: 10 * CENT, byokNanoUsd: 0 };
  const ledger = ledgerWith(() => new Promise((resolve) => resolvers.push(() => resolve(spent))));
  const refused = isAdmitted(ledger, holdOf('ended'), budgetOf(10 * CENT));
  ledger.release('ended');
  for (const resolveSpent of resolvers.splice(0)) resolveSpent();
  expect(await refused).toBe(false);
  // Nothing is left of it, so that what is held for others counts in full.
  ledger.keepLost(holdOf('lost', 3 * CENT));
  const next = isAdmitted(ledger, holdOf('next', 8 * CENT), budgetOf(20 * CENT));
  for (const resolveSpent of resolvers) resolveSpent();
  expect(await next).toBe(false);
});

test('reports the amounts spent, held and needed, and the time of the reset', async () => {
  const ledger = ledgerWith({ creditsNanoUsd: 123_456_789, byokNanoUsd: 0 });
  const budget = budgetOf(200_000_000, { resetsAt: '2026-01-03T00:00:00.000Z' });
  await ledger.reserve(holdOf('g1'), [budget]);
  expect(() => ledger.reserve(holdOf('g2', 100_000_000), [budget])).toThrow(
    expect.objectContaining({
      code: 'payment_required',
      message:
        'Key limit exceeded: the call may cost up to $0.1, $0.123456789 of $0.2 is spent and $0.01 is held for calls ' +
        'under way; a lower max_tokens costs less; it resets at 2026-01-03T00:00:00.000Z',
      metadata: {
        limit_usd: 0.2,
        spent_usd: 0.123456789,
        reserved_usd: 0.01,
        required_usd: 0.1,
        resets_at: '2026-01-03T00:00:00.000Z',
      },
    }),
  );
  expect(() => ledger.reserve(holdOf('g3', 0), [budgetOf(1_000)])).toThrow(
    'Key limit exceeded: $0.123456789 of $0.000001 is spent',
  );
});

test('lets nothing pass where the limit is nothing, or is spent, however little it costs', async () => {
  const ledger = ledgerWith({ creditsNanoUsd: CENT, byokNanoUsd: 0 });
  expect(await isAdmitted(ledgerWith(NOTHING), holdOf('g', 0), budgetOf(0))).toBe(false);
  expect(await isAdmitted(ledger, holdOf('g', 0), budgetOf(CENT))).toBe(false);
  expect(await isAdmitted(ledger, holdOf('g', 0), budgetOf(CENT + 1))).toBe(true);
});

test('counts what callers pay to providers only where a budget includes it', async () => {
  const ledger = ledgerWith({ creditsNanoUsd: 0, byokNanoUsd: 2 * CENT });
  const own = { creditsNanoUsd: null, anyNanoUsd: CENT };
  expect(await isAdmitted(ledger, holdOf('g1', 0, own), budgetOf(0))).toBe(true);
  expect(await isAdmitted(ledger, holdOf('g2', 0, own), budgetOf(3 * CENT, { includesByok: true }))).toBe(false);
  ledger.release('g1');
  expect(await isAdmitted(ledger, holdOf('g3', 0, own), budgetOf(3 * CENT, { includesByok: true }))).toBe(true);
  expect(await isAdmitted(ledger, holdOf('g4'), budgetOf(CENT))).toBe(true);
});

test('lets a call pass only if it fits into every budget, each on its own', async () => {
  const ledger = ledgerWith(NOTHING);
  const member = budgetOf(3 * CENT, { spender: 'member mo', query: { userId: 'mo' }, code: 'permission_denied' });
  const byMo = (id: string, key: string): Hold => holdOf(id, CENT, { spenders: [`key ${key}`, 'member mo'] });
  const ofKey = (key: string): Budget => budgetOf(2 * CENT, { spender: `key ${key}` });
  expect(await isAdmitted(ledger, byMo('g1', 'a'), ofKey('a'), member)).toBe(true);
  expect(await isAdmitted(ledger, byMo('g2', 'a'), ofKey('a'), member)).toBe(true);
  expect(await isAdmitted(ledger, byMo('g3', 'a'), ofKey('a'), member)).toBe(false);
  expect(await isAdmitted(ledger, byMo('g4', 'b'), ofKey('b'), member)).toBe(true);
  expect(() => ledger.reserve(byMo('g5', 'b'), [ofKey('b'), member])).toThrow(
    expect.objectContaining({ code: 'permission_denied' }),
  );
  expect(ledger.heldNanoUsd()).toBe(3 * CENT);
});

test('holds more for a call that goes on, and lets go of all of it at once', async () => {
  const ledger = ledgerWith(NOTHING);
  await ledger.reserve(holdOf('g1'), [budgetOf(3 * CENT)]);
  await ledger.reserve(holdOf('g1'), [budgetOf(3 * CENT)]);
  expect(await isAdmitted(ledger, holdOf('g1', 2 * CENT), budgetOf(3 * CENT))).toBe(false);
  expect(ledger.heldNanoUsd()).toBe(2 * CENT);
  ledger.release('g1');
  expect(ledger.heldNanoUsd()).toBe(0);
});

test('goes on holding what a call has cost whose record was lost', async () => {
  const ledger = ledgerWith(NOTHING);
  await ledger.reserve(holdOf('g1', 3 * CENT), [budgetOf(4 * CENT)]);
  ledger.replace('g1', { creditsNanoUsd: 2 * CENT, anyNanoUsd: 2 * CENT });
  ledger.replace('g2', { creditsNanoUsd: CENT, anyNanoUsd: CENT });
  expect(ledger.heldNanoUsd()).toBe(2 * CENT);
  expect(await isAdmitted(ledger, holdOf('g3', 3 * CENT), budgetOf(4 * CENT))).toBe(false);
  expect(await isAdmitted(ledger, holdOf('g4', 2 * CENT), budgetOf(4 * CENT))).toBe(true);
});

test('holds nothing for a call after the store failed to return the amount spent', async () => {
  const ledger = ledgerWith(() => Promise.reject(new Error('the store is down')));
  await expect(ledger.reserve(holdOf('g1'), [budgetOf(CENT)])).rejects.toThrow('the store is down');
  expect(ledger.heldNanoUsd()).toBe(0);
});

test('begins with what is held already, found once, and tries again when that fails', async () => {
  let calls = 0;
  const ledger = createLedger({
    generations: { spent: () => NOTHING },
    async findHolds() {
      calls += 1;
      if (calls === 1) throw new Error('the store is down');
      return [holdOf('job', 2 * CENT)];
    },
  });
  await expect(ledger.reserve(holdOf('g1'), [budgetOf(3 * CENT)])).rejects.toThrow('the store is down');
  const asked = ['g2', 'g3'].map((id) => isAdmitted(ledger, holdOf(id), budgetOf(3 * CENT)));
  expect(await Promise.all(asked)).toEqual([true, false]);
  expect(calls).toBe(2);
  ledger.release('job');
  expect(await isAdmitted(ledger, holdOf('g4', 2 * CENT), budgetOf(3 * CENT))).toBe(true);
});

test('adds up a hundred thousand small amounts without drift', async () => {
  const ledger = ledgerWith(NOTHING);
  for (let n = 0; n < 100_000; n += 1) await ledger.reserve(holdOf(`g${n}`, 100), [budgetOf(1e15)]);
  expect(ledger.heldNanoUsd()).toBe(10_000_000);
  for (let n = 0; n < 100_000; n += 1) ledger.release(`g${n}`);
  expect(ledger.heldNanoUsd()).toBe(0);
});
