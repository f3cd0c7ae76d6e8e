import { describe, expect, test } from 'vitest';

import type { StoredSubmission } from '../../packages/core/src/stores/batches.ts';
import { createBatchUpstream } from '../support/upstreams/batch-upstream.ts';
import { budgetOf, CENT, holdOf } from './support/budget-instance.ts';
import { openTwoInstances } from './support/budget-instances.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { endLeases } from './support/end-leases.ts';
import { missingEngines, missingPostgres } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { type Instance, startInstances } from './support/instances.ts';
import { runStatement } from './support/postgres-server.ts';

const lineOf = (index: number, cents: number) => ({
  index,
  generationId: `gen-1790000000-line${index}`,
  hold: { creditsNanoUsd: cents * CENT, anyNanoUsd: cents * CENT },
});

const SUBMISSION: StoredSubmission = {
  id: 'batch_a-1',
  kind: 'submission',
  batchId: 'batch_a',
  providerSlug: 'up',
  modelId: 'acme/chat',
  endpointTag: 'up',
  state: 'sending',
  upstreamId: null,
  isCancelled: false,
  payer: { principalId: 'k', userId: 'mo', workspaceId: 'w' },
  lines: [lineOf(0, 2), lineOf(1, 4)],
};

describe.skipIf(missingPostgres)('What lines of batches hold that are with a provider', () => {
  test('counts for the account, the key, the member and the workspace on every instance, until they have ended', async () => {
    const { one, other } = await openTwoInstances({ budgets: { patienceMs: 0 } });
    const { batches } = one.store;
    await batches.insert(SUBMISSION);
    const spenders = [
      budgetOf(10 * CENT, { spender: 'account', query: {} }),
      budgetOf(10 * CENT),
      budgetOf(10 * CENT, { spender: 'member mo', query: { userId: 'mo' } }),
      budgetOf(10 * CENT, { spender: 'workspace w', query: { workspaceId: 'w' } }),
    ];
    const fits = (worst: number, budget = spenders[1]!) =>
      other.call({ budgets: [budget], worst: worst * CENT, cost: 0, key: 'another' });
    for (const budget of spenders) {
      expect(await fits(5, budget)).toBe(false);
      expect(await fits(4, budget)).toBe(true);
    }
    // A line is recorded, and its cost is counted.
    await batches.update(SUBMISSION.id, () => ({
      ...SUBMISSION,
      state: 'sent',
      lines: [lineOf(0, 2), { ...lineOf(1, 4), hold: null }],
    }));
    await eventually(async () => expect(await fits(8)).toBe(true));
    expect(await fits(9)).toBe(false);
    await batches.update(SUBMISSION.id, (row) => ({ ...row, state: 'ended' }) as StoredSubmission);
    await eventually(async () => expect(await fits(10)).toBe(true));
  });

  test('does not count against credits where the caller pays the provider', async () => {
    const { one, other } = await openTwoInstances({ budgets: { patienceMs: 0 } });
    const hold = { creditsNanoUsd: null, anyNanoUsd: 6 * CENT };
    await one.store.batches.insert({ ...SUBMISSION, lines: [{ ...lineOf(0, 6), hold }] });
    const including = budgetOf(10 * CENT, { includesByok: true });
    expect(await other.call({ budgets: [including], worst: 5 * CENT, cost: 0 })).toBe(false);
    expect(await other.call({ budgets: [budgetOf(10 * CENT)], worst: 10 * CENT, cost: 0 })).toBe(true);
  });

  test('goes from the ledger to the row without a moment in which nobody holds it', async () => {
    const { one, other } = await openTwoInstances({ budgets: { patienceMs: 0 } });
    const slices = other.store.budgetSlices!;
    await slices.renew();
    const budget = { kind: 'key', spenderId: 'k', since: null, includesByok: false } as const;
    const tooMuch = { needNanoUsd: 99 * CENT, wantNanoUsd: 99 * CENT, keepNanoUsd: 0, recalls: false };
    const left = async () => (await slices.take({ budget, limitNanoUsd: 10 * CENT, ...tooMuch }))?.availableNanoUsd;
    for (const { generationId, hold } of SUBMISSION.lines) {
      await one.ledger.reserve(holdOf(generationId, hold!.anyNanoUsd), [budgetOf(10 * CENT)]);
    }
    expect(await left()).toBeLessThanOrEqual(4 * CENT);
    await one.store.batches.insert(SUBMISSION);
    expect(await left()).toBeLessThanOrEqual(-2 * CENT);
    for (const { generationId } of SUBMISSION.lines) one.ledger.handOver(generationId);
    expect(one.ledger.heldNanoUsd()).toBe(0);
    expect(await left()).toBeLessThanOrEqual(4 * CENT);
    await one.ledger.close();
    expect(await left()).toBe(4 * CENT);
  });
});

const LINES = 3;
const WORST_USD = 0.1;
const MODEL = {
  id: 'acme/chat',
  endpoints: [{ provider: 'up', providerModel: 'm-1', pricing: { prompt: '0', completion: '0.01' } }],
};

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly cost: number;
}

test.skipIf(missingEngines)(
  'what budgets hold for lines at a provider outlasts the instance that sent them, until their costs are counted',
  async () => {
    const batched = createBatchUpstream('openai');
    const provider = { slug: 'up', wire: 'openai', baseUrl: await batched.listen(), apiKey: 'key-up', batches: true };
    const { database, config } = await openClusterConfig({ providers: [provider], models: [MODEL] });
    const [one, other] = (await startInstances(2, () => config)) as [Instance, Instance];
    const limit = LINES * WORST_USD + WORST_USD / 2;
    const { key } = await one.call<{ key: string }>('POST', '/api/v1/keys', { name: 'batches', limit });
    const messages = [{ role: 'user', content: 'a' }];
    const chat = { model: MODEL.id, max_tokens: 10, messages };
    const ask = async (instance: Instance): Promise<number> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(chat) };
      return (await fetch(`${instance.url}/api/v1/chat/completions`, sent)).status;
    };
    const requests = Array.from({ length: LINES }, (_, at) => ({ custom_id: `line ${at}`, body: chat }));
    const body = { endpoint: '/v1/chat/completions', requests };
    const { id } = await one.call<Batch>('POST', '/api/beta/batches', body, key);
    await eventually(() => expect(batched.batches).toHaveLength(1));
    // The row says so once the provider has said that it took them.
    await eventually(async () =>
      expect(
        await runStatement(database, 'select 1 from gateway.batches where row like \'%"state":"sent"%\''),
      ).toHaveLength(1),
    );
    expect(await ask(other)).toBe(402);

    await one.kill();
    // As after 75 seconds: the slices of the dead instance belong to nobody.
    await runStatement(database, 'delete from gateway.budget_slices');
    expect(await ask(other)).toBe(402);

    batched.finish();
    await endLeases(database);
    const batch = await eventually(async () => {
      const latest = await other.call<Batch>('GET', `/api/beta/batches/${id}`, undefined, key);
      expect(latest.status).toBe('completed');
      return latest;
    });
    // One character of each answer, at half the price.
    expect(batch.cost).toBeCloseTo(LINES * 0.005);
    await eventually(async () => expect(await ask(other)).toBe(200));
  },
);
