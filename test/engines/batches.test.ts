import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import type { ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { endLeases } from './support/end-leases.ts';
import { missingEngines } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { type Instance, startInstances } from './support/instances.ts';

const LINES = 60;
const DEATHS = 3;
/** Lines of a batch that are under way at once. */
const CONCURRENCY = 8;

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly request_counts: object;
  readonly results:
    | readonly {
        readonly custom_id: string;
        readonly response: { readonly request_id: string; readonly status_code: number };
      }[]
    | null;
}

const askedOf = ({ calls }: ScriptedUpstream): number => calls.length;

test.skipIf(missingEngines)(
  'a batch whose instance is killed again and again is run by the other, and every line has one result',
  async () => {
    const { upstream, database, config } = await openClusterConfig();
    const instances = (await startInstances(2, () => config)) as [Instance, Instance];
    const requests = Array.from({ length: LINES }, (_, at) => ({
      custom_id: `line ${at}`,
      body: { model: 'test/held', max_tokens: 64, messages: [{ role: 'user', content: `question ${at}` }] },
    }));
    const body = { endpoint: '/v1/chat/completions', requests };
    const made = await instances[0].call<Batch>('POST', '/api/beta/batches', body, TEST_KEY);
    const read = (instance: Instance): Promise<Batch> =>
      instance.call<Batch>('GET', `/api/beta/batches/${made.id}`, undefined, TEST_KEY);

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
      expect((await read(other)).status).toBe('in_progress');
    }

    const batch = await eventually(async () => {
      upstream.release();
      const latest = await read(instances[0]);
      expect(latest.status).toBe('completed');
      return latest;
    });
    expect(batch.results?.filter(({ response }) => response.status_code !== 200)).toEqual([]);
    expect(batch.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
    expect(batch.results?.map(({ custom_id: id }) => id)).toEqual(requests.map(({ custom_id: id }) => id));
    const generations = new Set(batch.results?.map(({ response }) => response.request_id));
    expect(generations.size).toBe(LINES);
    // Asked twice is at most what was under way when an instance died.
    expect(askedOf(upstream)).toBeLessThanOrEqual(LINES + DEATHS * CONCURRENCY);
    expect(askedOf(upstream)).toBeGreaterThan(LINES);
  },
);
