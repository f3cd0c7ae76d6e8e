import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import type { ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { endLeases } from './support/end-leases.ts';
import { missingEngines } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { type Instance, startInstances } from './support/instances.ts';

const CALLS = 24;
const CONCURRENCY = 4;
const DEATHS = 3;

interface Rerun {
  readonly id: string;
  readonly state: string;
  readonly counts: { readonly done: number; readonly failed: number };
  readonly spent_usd: number;
  readonly lost_usd: number;
}

interface Item {
  readonly original_generation_id: string;
  readonly generation_id: string;
}

/** How often upstream has been asked for a completion of a rerun, which it holds back. */
const askedOf = ({ calls }: ScriptedUpstream): number => calls.filter(({ body }) => body.model === 'held').length;

async function makeCalls(instance: Instance): Promise<string[]> {
  const made = Array.from({ length: CALLS }, (_, index) => {
    const messages = [{ role: 'user', content: `question ${index}` }];
    return instance.call<{ id: string }>(
      'POST',
      '/api/v1/chat/completions',
      { model: 'test/text', messages },
      TEST_KEY,
    );
  });
  return (await Promise.all(made)).map(({ id }) => id);
}

test.skipIf(missingEngines)(
  'a rerun whose instance is killed again and again is run by the other, each item once, within its cap',
  async () => {
    const { upstream, database, config } = await openClusterConfig();
    const instances = (await startInstances(2, () => config)) as [Instance, Instance];
    const ids = await makeCalls(instances[0]);
    await eventually(() =>
      Promise.all(ids.map((id) => instances[1].call('GET', `/admin/v1/generations/${id}/request`))),
    );
    const plan = {
      set: { generation_ids: ids },
      targets: [{ model: 'test/held', parameters: { max_tokens: 64 } }],
      judges: [{ type: 'length' }],
      concurrency: CONCURRENCY,
      max_cost_usd: 5,
    };
    const { data: made } = await instances[0].call<{ data: Rerun }>('POST', '/admin/v1/reruns', plan);
    const path = `/admin/v1/reruns/${made.id}`;

    await eventually(() => expect(askedOf(upstream)).toBe(CONCURRENCY));
    for (let death = 0; death < DEATHS; death += 1) {
      const soFar = askedOf(upstream);
      upstream.release();
      await eventually(() => expect(askedOf(upstream)).toBeGreaterThan(soFar));
      const [running, other] = death % 2 === 0 ? instances : [instances[1], instances[0]];
      await running.kill();
      const atDeath = askedOf(upstream);
      await endLeases(database);
      await eventually(() => expect(askedOf(upstream)).toBeGreaterThan(atDeath));
      await running.start();
      const { data } = await other.call<{ data: Rerun }>('GET', path);
      expect(data.state).toBe('running');
    }

    const rerun = await eventually(async () => {
      upstream.release();
      const { data } = await instances[0].call<{ data: Rerun }>('GET', path);
      expect(data.state).toBe('done');
      return data;
    });
    expect(rerun.counts).toMatchObject({ done: CALLS, failed: 0 });
    expect(rerun.spent_usd).toBeLessThanOrEqual(plan.max_cost_usd);
    const { data: items } = await instances[1].call<{ data: Item[] }>('GET', `${path}/items?limit=100`);
    expect(items.map((item) => item.original_generation_id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(items.map((item) => item.generation_id)).size).toBe(CALLS);
    // Asked twice is at most what was under way when an instance died.
    expect(askedOf(upstream)).toBeLessThanOrEqual(CALLS + DEATHS * CONCURRENCY);
    expect(askedOf(upstream)).toBeGreaterThan(CALLS);
    expect(rerun.lost_usd).toBeGreaterThan(0);
  },
);
