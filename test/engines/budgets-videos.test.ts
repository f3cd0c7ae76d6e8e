import { describe, expect, test } from 'vitest';

import { toRecord } from '../../packages/core/testing/rows.ts';
import { toVideoJob } from '../support/stores/video-jobs.ts';
import { budgetOf, CENT, holdOf } from './support/budget-instance.ts';
import { openTwoInstances } from './support/budget-instances.ts';
import { missingPostgres } from './support/engines.ts';
import { eventually } from './support/eventually.ts';

const openTwo = () => openTwoInstances({ budgets: { patienceMs: 0 } });

const JOB = toVideoJob('v1', {
  principalId: 'k',
  userId: 'mo',
  workspaceId: 'w',
  reservedNanoUsd: 6 * CENT,
  generationId: 'gen-1790000000-video',
});
const HOLD = holdOf(JOB.generationId, 6 * CENT);

describe.skipIf(missingPostgres)('What open video jobs hold', () => {
  test('counts for the account, the key, the member and the workspace on every instance, until the job has ended', async () => {
    const { one, other } = await openTwo();
    await one.store.videoJobs.insert(JOB);
    const spenders = [
      budgetOf(10 * CENT, { spender: 'account', query: {} }),
      budgetOf(10 * CENT),
      budgetOf(10 * CENT, { spender: 'member mo', query: { userId: 'mo' } }),
      budgetOf(10 * CENT, { spender: 'workspace w', query: { workspaceId: 'w' } }),
    ];
    for (const budget of spenders) {
      expect(await other.call({ budgets: [budget], worst: 5 * CENT, cost: 0, key: 'another' })).toBe(false);
      expect(await other.call({ budgets: [budget], worst: 4 * CENT, cost: 0, key: 'another' })).toBe(true);
    }
    await one.store.videoJobs.update(JOB.id, (job) => ({ ...job, status: 'completed', reservedNanoUsd: 0 }));
    const [, byKey] = spenders;
    await eventually(async () =>
      expect(await other.call({ budgets: [byKey!], worst: 10 * CENT, cost: 0, key: 'another' })).toBe(true),
    );
  });

  test('does not count against credits where the caller pays the provider', async () => {
    const { one, other } = await openTwo();
    await one.store.videoJobs.insert({ ...JOB, isByok: true });
    const including = budgetOf(10 * CENT, { includesByok: true });
    expect(await other.call({ budgets: [including], worst: 5 * CENT, cost: 0 })).toBe(false);
    expect(await other.call({ budgets: [budgetOf(10 * CENT)], worst: 10 * CENT, cost: 0 })).toBe(true);
  });

  test('counts the fee alone against credits where the caller pays the provider and the account a fee', async () => {
    const { one, other } = await openTwo();
    await one.store.videoJobs.insert({ ...JOB, isByok: true, ownKeyId: 'own', reservedFeeNanoUsd: CENT });
    for (const key of ['k', 'another']) {
      const query = key === 'k' ? {} : { spender: 'account', query: {} };
      const including = budgetOf(10 * CENT, { ...query, includesByok: true });
      expect(await other.call({ budgets: [including], worst: 5 * CENT, cost: 0, key })).toBe(false);
      expect(await other.call({ budgets: [including], worst: 4 * CENT, cost: 0, key })).toBe(true);
      const credits = budgetOf(10 * CENT, query);
      expect(await other.call({ budgets: [credits], worst: 10 * CENT, cost: 0, key })).toBe(false);
      expect(await other.call({ budgets: [credits], worst: 9 * CENT, cost: 0, key })).toBe(true);
    }
  });

  test('goes from the ledger to the row of the job without a moment in which nobody holds it', async () => {
    const { one, other } = await openTwo();
    const slices = other.store.budgetSlices!;
    await slices.renew();
    const budget = { kind: 'key', spenderId: 'k', since: null, includesByok: false } as const;
    const tooMuch = { needNanoUsd: 99 * CENT, wantNanoUsd: 99 * CENT, keepNanoUsd: 0, recalls: false };
    const left = async () => (await slices.take({ budget, limitNanoUsd: 10 * CENT, ...tooMuch }))?.availableNanoUsd;
    await one.ledger.reserve(HOLD, [budgetOf(10 * CENT)]);
    // It may be less, by what the ledger asks for in advance.
    expect(await left()).toBeLessThanOrEqual(4 * CENT);
    await one.store.videoJobs.insert(JOB);
    expect(await left()).toBeLessThanOrEqual(-2 * CENT);
    one.ledger.handOver(JOB.generationId);
    expect(one.ledger.heldNanoUsd()).toBe(0);
    expect(await left()).toBeLessThanOrEqual(4 * CENT);
    await one.ledger.close();
    expect(await left()).toBe(4 * CENT);
  });

  test('is held until the generation of the job is in the sums of every instance', async () => {
    const { one, other } = await openTwo();
    const counted = one.ledger.untilCounted('gen-1790000000-video');
    let isCounted = false;
    void counted?.then(() => (isCounted = true));
    await one.call({ budgets: [], worst: 0, cost: CENT });
    expect(isCounted).toBe(false);
    const { generations } = one.store;
    await generations.append(toRecord('gen-1790000000-video', { principalId: 'k', costNanoUsd: 6 * CENT }), null);
    await counted;
    expect(await other.store.generations.spent({ principalId: 'k' })).toMatchObject({ creditsNanoUsd: 7 * CENT });
  });
});
