import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { expectExactSums, untilRecorded } from './support/accounts.ts';
import { ask } from './support/ask.ts';
import { budgetOf, CENT } from './support/budget-instance.ts';
import type { CallsToMake } from './support/budget-process.ts';
import { openClusterConfig } from './support/cluster-config.ts';
import { missingEngines, openDatabase } from './support/engines.ts';
import { VIDEO_ORDER } from './support/gateway-calls.ts';
import { type GatewayProcess, startGateways } from './support/gateway-process.ts';
import { startInstances } from './support/instances.ts';
import { runStatement } from './support/postgres-server.ts';
import { startSteadyLoad } from './support/steady-load.ts';

const isFull = process.env['TEST_FULL'] === '1';
const PAUSE_MS = isFull ? 60_000 : 3000;
/** Of the slices of an instance: shorter than a pause. */
const LIFE_MS = isFull ? 45_000 : 1500;
/** How fast time passes for video jobs, which an instance owns for about a minute. */
const SPEED = isFull ? 1 : 20;
const LIMIT_MS = 400_000;
const PROGRAM = fileURLToPath(new URL('support/budget-process.ts', import.meta.url));
const MODEL = 'test/text';

interface Caller {
  readonly child: ChildProcess;
  /** How many calls of each message were admitted. */
  readonly admitted: number[];
  make(calls: Pick<CallsToMake, 'calls' | 'callMs'>): void;
}

const KEY = { spender: 'key k', query: { principalId: 'k' } };

async function startCaller(url: string): Promise<Caller> {
  const child = fork(PROGRAM, [url, String(LIFE_MS)], { stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const admitted: number[] = [];
  child.on('message', (count) => admitted.push(Number(count)));
  return {
    child,
    admitted,
    make: (calls) => child.send({ ...calls, budgets: [budgetOf(10.5 * CENT, KEY)], worst: CENT, cost: CENT }),
  };
}

async function sumOf(url: string, select: string): Promise<number> {
  const [row] = (await runStatement(url, `select coalesce((${select}), 0)::int as sum`)) as { sum: number }[];
  return row?.sum ?? 0;
}

const SPENT = `select sum(credits_nano) from gateway.spending where kind = 'key'`;

describe.skipIf(missingEngines)('An instance that is paused for longer than its leases', () => {
  test(
    'spends no more of a budget that others have used up, but for its calls under way',
    async () => {
      const url = await openDatabase();
      const [paused, other] = await Promise.all([startCaller(url), startCaller(url)]);
      // After these, two of which are under way, it has room for one more.
      paused.make({ calls: 1, callMs: 1 });
      paused.make({ calls: 2, callMs: 4000 });
      await expect.poll(() => paused.admitted, { interval: 5 }).toEqual([1]);
      paused.child.kill('SIGSTOP');
      const pausedAt = performance.now();
      await expect
        .poll(
          async () => {
            const before = other.admitted.length;
            other.make({ calls: 10, callMs: 10 });
            await expect.poll(() => other.admitted.length, { interval: 10 }).toBeGreaterThan(before);
            return sumOf(url, SPENT);
          },
          { timeout: PAUSE_MS + 60_000, interval: 100 },
        )
        .toBe(10 * CENT);
      // These wait for it, and are the first that it hears of.
      paused.make({ calls: 20, callMs: 10 });
      await delay(Math.max(0, PAUSE_MS - (performance.now() - pausedAt)));
      paused.child.kill('SIGCONT');
      await expect.poll(() => paused.admitted.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
      await expect.poll(() => sumOf(url, SPENT)).toBe(12 * CENT);
      await expectExactSums(url);
    },
    LIMIT_MS,
  );

  test(
    'leaves its videos to those who have taken them over, and their webhooks are the same',
    async () => {
      const url = await openDatabase();
      const all = await startGateways(url, 3, SPEED);
      const [paused, ...others] = all as [GatewayProcess, GatewayProcess, GatewayProcess];
      const submit = async (at: GatewayProcess, count: number): Promise<string> => {
        const order = { ...VIDEO_ORDER, callback_url: `https://hooks.example/${count}` };
        const { status, json } = await at.ask('POST', '/api/v1/videos', order);
        expect(status).toBe(202);
        return json['id'] as string;
      };
      const ids: string[] = [];
      for (let count = 0; count < 12; count += 1) ids.push(await submit(all[count % 3] ?? paused, count));
      const pollsOf = (some: readonly GatewayProcess[]) =>
        some.flatMap(({ events }) => events.filter(({ type }) => type === 'poll'));
      const jobsOf = (some: readonly GatewayProcess[]) => new Set(pollsOf(some).map(({ upstreamId }) => upstreamId));
      await expect.poll(() => jobsOf(all).size).toBe(12);
      paused.pause();
      const pausedAt = performance.now();
      await expect.poll(() => jobsOf(others).size, { timeout: 120_000, interval: 20 }).toBe(12);
      await delay(Math.max(0, PAUSE_MS - (performance.now() - pausedAt)));
      const resumedAt = Date.now();
      paused.resume();
      const statuses = () =>
        Promise.all(ids.map(async (id) => (await paused.ask('GET', `/api/v1/videos/${id}`)).json['status']));
      await expect.poll(statuses, { timeout: 200_000, interval: 100 }).toEqual(ids.map(() => 'completed'));
      const received = () => all.flatMap(({ events }) => events.filter(({ type }) => type === 'received'));
      const addresses = () => new Set(received().map(({ address }) => address));
      await expect.poll(() => addresses().size, { timeout: 100_000 }).toBe(12);

      // What it was about to do as it was paused, it may do.
      const late = pollsOf([paused]).filter(({ at }) => at >= resumedAt);
      expect(new Set(late.map(({ upstreamId }) => upstreamId)).size).toBe(late.length);
      expect(all.flatMap(({ events }) => events.filter(({ type }) => type === 'submitted'))).toHaveLength(12);
      for (const address of addresses()) {
        const same = received().filter((each) => each.address === address);
        expect(new Set(same.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
      }
      await expect.poll(() => sumOf(url, 'select count(*) from gateway.generations')).toBe(12);
      await expectExactSums(url);
    },
    LIMIT_MS,
  );

  test(
    'takes calls again at once, and has lost and doubled nothing that it has recorded',
    async () => {
      const { database, config } = await openClusterConfig();
      const instances = await startInstances(3, () => config);
      const [first, second] = instances;
      if (first === undefined || second === undefined) throw new Error('no instance');
      const { key } = await second.call<{ key: string }>('POST', '/api/v1/keys', { name: 'load', limit: 1000 });
      const isTaken = async () => (await ask(first.url, { key, model: MODEL, isStreamed: false })).status;
      await expect.poll(isTaken).toBe(200);
      const load = startSteadyLoad({ instances, keys: [key], perSecond: 60, model: MODEL });
      onTestFinished(() => load.stop());
      await delay(1000);
      first.pause();
      await delay(PAUSE_MS);
      first.resume();
      await expect.poll(isTaken).toBe(200);
      await expect.poll(() => first.ready()).toBe(200);
      await delay(500);
      await load.stop();
      const failed = load.outcomes.filter(({ instance, status }) => instance !== 0 && status !== 200);
      expect(failed).toEqual([]);
      await untilRecorded(database, load.outcomes);
      await expectExactSums(database);
    },
    LIMIT_MS,
  );
});
