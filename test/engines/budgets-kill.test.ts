import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { budgetOf, CENT } from './support/budget-instance.ts';
import { openClosingInstance } from './support/budget-instances.ts';
import type { CallsToMake } from './support/budget-process.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { medianOf } from './support/median-of.ts';
import { runStatement } from './support/postgres-server.ts';

const PROGRAM = fileURLToPath(new URL('support/budget-process.ts', import.meta.url));
const LIFE_MS = 1500;
const ROUNDS = 10;

async function startProcess(url: string): Promise<ChildProcess> {
  const child = fork(PROGRAM, [url, String(LIFE_MS)], { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** Resolves with how many calls were admitted; zero where the process was killed before it said so. */
async function makeCalls(child: ChildProcess, calls: CallsToMake): Promise<number> {
  const ended = Promise.race([
    once(child, 'message').then(([admitted]) => Number(admitted)),
    once(child, 'exit').then(() => 0),
  ]);
  child.send(calls);
  return ended;
}

describe.skipIf(missingPostgres)('A process that is killed with slices of budgets', () => {
  test('never lets more pass than there is room for, and what it had is free for the others after its lease', async () => {
    const url = await openDatabase();
    const onlooker = await openClosingInstance({ url, budgets: { lifeMs: LIFE_MS, patienceMs: 0 } });
    const all = await Promise.all([1, 2, 3, 4].map(() => startProcess(url)));
    const freeAfterMs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `k${round}`;
      const budgets = [budgetOf(10.5 * CENT, { spender: `key ${key}`, query: { principalId: key } })];
      const victim = round % 4;
      const made = all.map((child) =>
        makeCalls(child, { calls: 50, callMs: 100, budgets, worst: CENT, cost: CENT, key }),
      );
      // In the middle: some have slices, calls under way, or are asking.
      await vi.waitUntil(async () => (await countSlices(url, key)) > round % 3, {
        timeout: 30_000,
        interval: 5,
      });
      all[victim]?.kill('SIGKILL');
      const killedAt = performance.now();
      await Promise.all(made);
      expect(await spentOn(url, key)).toBeLessThanOrEqual(10 * CENT);
      all[victim] = await startProcess(url);
      await eventually(async () => {
        await onlooker.call({ budgets, worst: CENT, cost: CENT, key });
        expect(await spentOn(url, key)).toBe(10 * CENT);
      });
      freeAfterMs.push(performance.now() - killedAt);
      expect(await onlooker.call({ budgets, worst: CENT, cost: CENT, key })).toBe(false);
    }
    const [summed] = (await runStatement(
      url,
      `select (select sum(cost_nano) from gateway.generations)::text as calls,
           (select sum(credits_nano) from gateway.spending where kind = 'account')::text as spent`,
    )) as { calls: string; spent: string }[];
    expect(summed).toEqual({ calls: String(ROUNDS * 10 * CENT), spent: String(ROUNDS * 10 * CENT) });
    expect(medianOf(freeAfterMs)).toBeLessThan(LIFE_MS * 6);
  });
});

async function countSlices(url: string, key: string): Promise<number> {
  const [row] = (await runStatement(
    url,
    `select count(*)::int as slices from gateway.budget_slices where spender_id = '${key}'`,
  )) as { slices: number }[];
  return row?.slices ?? 0;
}

async function spentOn(url: string, key: string): Promise<number> {
  const [row] = (await runStatement(
    url,
    `select coalesce(sum(credits_nano), 0)::int as spent from gateway.spending where kind = 'key' and id = '${key}'`,
  )) as { spent: number }[];
  return row?.spent ?? 0;
}
