import type { SharedChannel } from '@model-gateway/core';
import type { PostgresStoreOptions } from '@model-gateway/postgres';
import { describe, expect, test, vi } from 'vitest';

import { toKey } from '../support/stores/generation-records.ts';
import { missingEngines, openDatabase, redisUrl } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { medianOf } from './support/median-of.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';

type By = NonNullable<PostgresStoreOptions['notifications']>;

const BUDGET = { kind: 'key', spenderId: 'k', since: null, includesByok: false } as const;
const prefix = (): string => `test-${Math.random()}`;

async function openChannel(of: string): Promise<SharedChannel> {
  const shared = await openRedisShared({ url: redisUrl(), whenDown: 'open', prefix: of });
  const channel = shared.parts.openChannel?.('store');
  if (channel === undefined) throw new Error('no channel');
  return channel;
}

/** Two processes at a database without a connection that listens. */
async function openDeaf(makeBy: () => Promise<By>) {
  const url = await openDatabase();
  const one = await openStore(url, { notifications: await makeBy() });
  const other = await openStore(url, { notifications: await makeBy() });
  const listening = `select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'`;
  expect(await runStatement(url, listening)).toEqual([]);
  return { one, other };
}

describe.skipIf(missingEngines)('Processes at a database without LISTEN', () => {
  test.each(['Redis', 'looking'] as const)('soon know a key that another has made, by %s', async (by) => {
    const of = prefix();
    const { one, other } = await openDeaf(async () => (by === 'Redis' ? openChannel(of) : 'poll'));
    const took: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      const beganAt = performance.now();
      await one.keys.insert(toKey(`k${index}`));
      await eventually(async () => expect(await other.keys.get(`k${index}`)).toBeDefined(), 5);
      took.push(performance.now() - beganAt);
    }
    // Each is made when the one before has been found: by looking alone it comes half a second later, with the next look,
    // and it would take two seconds if the processes looked as seldom as those that are told.
    expect(medianOf(took)).toBeLessThan(by === 'Redis' ? 400 : 1500);
  });

  test('call back the budget that another holds unused, over Redis', async () => {
    const of = prefix();
    const { one, other } = await openDeaf(() => openChannel(of));
    const [first, second] = [one.budgetSlices, other.budgetSlices];
    if (first === undefined || second === undefined) throw new Error('no slices');
    await first.renew();
    await second.renew();
    const recalled = vi.fn<(budget: unknown) => void>();
    const givenBack = vi.fn<(budget: unknown) => void>();
    first.onRecall(recalled);
    second.onGivenBack(givenBack);
    const request = { budget: BUDGET, limitNanoUsd: 100, keepNanoUsd: 0, recalls: true };
    await first.take({ ...request, needNanoUsd: 100, wantNanoUsd: 100 });
    await second.take({ ...request, needNanoUsd: 50, wantNanoUsd: 50 });
    await eventually(() => expect(recalled).toHaveBeenCalledWith(BUDGET));
    await first.giveBack({ budget: BUDGET, nanoUsd: 0 });
    await eventually(() => expect(givenBack).toHaveBeenCalledWith(BUDGET, expect.any(String)));
  });
});
