import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { expectExactSums, tally, untilRecorded } from './support/accounts.ts';
import { ask } from './support/ask.ts';
import { toClusterConfig } from './support/cluster-config.ts';
import type { EngineServer } from './support/engine-server.ts';
import { missingEngines } from './support/engines.ts';
import { type FaultProxy, startFaultProxy } from './support/fault-proxy.ts';
import { type AtEnd, type Instance, startInstances } from './support/instances.ts';
import { type PostgresServer, startPostgres } from './support/postgres-server.ts';
import { startRedis } from './support/redis-server.ts';
import { type Outcome, type SteadyLoad, startSteadyLoad } from './support/steady-load.ts';
import { tell } from './support/tell.ts';

const isFull = process.env['TEST_FULL'] === '1';
const OUTAGE_MS = isFull ? 60_000 : 4000;
const CALLS_PER_SECOND = isFull ? 200 : 80;
const RECOVERY_LIMIT_MS = 60_000;
/** A call that waited for an engine would take as long as that is away, or the six seconds that a statement has. */
const USUAL_MS = 2000;
/** What a few may take that are the first to find that it is away, on a machine that is busy with other things. */
const SLOWEST_MS = 10_000;
const MODEL = 'test/text';

interface Cluster {
  readonly postgres: PostgresServer;
  readonly redis: EngineServer;
  readonly toPostgres: FaultProxy;
  readonly toRedis: FaultProxy;
  readonly instances: readonly Instance[];
  readonly database: string;
}

interface Fault {
  readonly title: string;
  /** Whether the database is away meanwhile, so that calls with a budget may be refused. */
  readonly isDatabaseAway: boolean;
  begin(cluster: Cluster): Promise<void> | void;
  end(cluster: Cluster): Promise<void> | void;
}

const FAULTS: readonly Fault[] = [
  {
    title: 'PostgreSQL is killed and started again',
    isDatabaseAway: true,
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    title: 'PostgreSQL answers nothing for a while',
    isDatabaseAway: true,
    begin: ({ postgres }) => postgres.pause(),
    end: ({ postgres }) => postgres.resume(),
  },
  {
    title: 'the network to PostgreSQL drops everything',
    isDatabaseAway: true,
    begin: ({ toPostgres }) => toPostgres.hold(),
    end: ({ toPostgres }) => toPostgres.cut(),
  },
  {
    title: 'the network from PostgreSQL drops everything, so that no commit is heard of',
    isDatabaseAway: true,
    begin: ({ toPostgres }) => toPostgres.hold(['toClient']),
    end: ({ toPostgres }) => toPostgres.cut(),
  },
  {
    title: 'connections to PostgreSQL are reset again and again',
    isDatabaseAway: true,
    begin: ({ toPostgres }) => toPostgres.cut(),
    end: () => undefined,
  },
  {
    title: 'the network to PostgreSQL is slow',
    isDatabaseAway: false,
    begin: ({ toPostgres }) => toPostgres.slow({ delayMs: 150, bytesPerSecond: 1_000_000 }),
    end: () => undefined,
  },
  {
    title: 'Redis is killed and started again',
    isDatabaseAway: false,
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
  },
  {
    title: 'the network to Redis drops everything',
    isDatabaseAway: false,
    begin: ({ toRedis }) => toRedis.hold(),
    end: ({ toRedis }) => toRedis.cut(),
  },
  {
    title: 'the network to Redis is slow',
    isDatabaseAway: false,
    begin: ({ toRedis }) => toRedis.slow({ delayMs: 300 }),
    end: () => undefined,
  },
];

/** What is to be done when all tests of this file are over, last first. */
const ends: (() => Promise<void> | void)[] = [];
const atEnd: AtEnd = (work) => void ends.unshift(work);

/** Three instances, of which each is near the engines but for two proxies. They are the same for all tests of this file. */
async function startCluster(): Promise<Cluster> {
  const [postgres, redis, upstream] = await Promise.all([
    startPostgres({ fsync: 'on' }),
    startRedis(),
    startScriptedUpstream(),
  ]);
  for (const server of [postgres, redis]) atEnd(() => server.remove());
  atEnd(() => upstream.close());
  const [toPostgres, toRedis] = await Promise.all([startFaultProxy(postgres.port), startFaultProxy(redis.port)]);
  for (const proxy of [toPostgres, toRedis]) atEnd(() => proxy.close());
  const database = await postgres.createDatabase();
  const addresses = { database: toPostgres.through(database), redis: toRedis.through(redis.url) };
  const limits = { rateLimits: [{ key: '*', requestsPerMinute: 1_000_000 }] };
  const instances = await startInstances(3, () => toClusterConfig(upstream, addresses, limits), atEnd);
  return { postgres, redis, toPostgres, toRedis, instances, database };
}

async function makeKey({ call }: Instance, limit: number | null): Promise<string> {
  return (await call<{ key: string }>('POST', '/api/v1/keys', { name: 'load', limit })).key;
}

/** Resolves with how long it took until every instance takes every call and a new key again. */
async function untilRecovered(instances: readonly Instance[], keys: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  let last = '';
  while (performance.now() - startedAt < RECOVERY_LIMIT_MS) {
    const calls = instances.flatMap(({ url }) => keys.map((key) => ask(url, { key, model: MODEL, isStreamed: false })));
    const failed = (await Promise.all(calls)).filter(({ status }) => status !== 200);
    const unready = (await Promise.all(instances.map((each) => each.ready()))).filter((status) => status !== 200);
    const made = await Promise.allSettled(instances.map((each) => makeKey(each, null)));
    const refused = made.filter(({ status }) => status === 'rejected');
    if (failed.length + unready.length + refused.length === 0) return performance.now() - startedAt;
    last = `${failed[0]?.status ?? ''} ${failed[0]?.text ?? ''} ready ${unready.join()} keys ${refused.length}`;
    await delay(100);
  }
  throw new Error(`no recovery: ${last}\n${instances.map((each) => each.log().slice(-500)).join('\n')}`);
}

/** Resolves when so many more calls have ended. */
async function untilMore({ outcomes }: SteadyLoad, count: number): Promise<void> {
  const wanted = outcomes.length + count;
  await expect.poll(() => outcomes.length, { interval: 20 }).toBeGreaterThanOrEqual(wanted);
}

describe.skipIf(missingEngines)('Three instances under load', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test.each(FAULTS)(
    '$title: calls go on, nothing acknowledged is lost, nothing is doubled',
    async (fault) => {
      const { instances, database } = cluster;
      const [first] = instances;
      if (first === undefined) throw new Error('no instance');
      const [open, limited] = [await makeKey(first, null), await makeKey(first, 1000)];
      await untilRecovered(instances, [open, limited]);

      const load = startSteadyLoad({ instances, keys: [open, limited], perSecond: CALLS_PER_SECOND, model: MODEL });
      onTestFinished(() => load.stop());
      await untilMore(load, CALLS_PER_SECOND);
      const beganAt = performance.now();
      await fault.begin(cluster);
      await delay(OUTAGE_MS);
      const endedAt = performance.now();
      await fault.end(cluster);
      cluster.toPostgres.pass();
      cluster.toRedis.pass();
      const recoveryMs = await untilRecovered(instances, [open, limited]);
      await untilMore(load, CALLS_PER_SECOND);
      await load.stop();

      const meanwhile = load.outcomes.filter(({ startedAt }) => startedAt > beganAt && startedAt < endedAt);
      const ofKey = (key: string): Outcome[] => meanwhile.filter((outcome) => outcome.key === key);
      const slowestMs = Math.max(...load.outcomes.map(({ ms }) => ms));
      tell(
        `well again after ${Math.round(recoveryMs)} ms; meanwhile ${JSON.stringify(tally(ofKey(open)))}, ` +
          `with a budget ${JSON.stringify(tally(ofKey(limited)))}; the slowest ${Math.round(slowestMs)} ms`,
      );
      // A key without a budget is never refused for an engine's sake.
      expect(tally(ofKey(open))).toEqual({ 200: ofKey(open).length });
      expect(ofKey(open).length).toBeGreaterThan((OUTAGE_MS / 1000) * (CALLS_PER_SECOND / 4));
      // With the database away a budget lasts for as long as what was leased.
      const wrong = ofKey(limited).filter(({ status }) => status !== 200 && !(fault.isDatabaseAway && status === 503));
      expect(tally(wrong)).toEqual({});
      expect(slowestMs).toBeLessThan(SLOWEST_MS);
      const fastFirst = meanwhile.map(({ ms }) => ms).toSorted((a, b) => a - b);
      expect(fastFirst[Math.floor(fastFirst.length * 0.95)]).toBeLessThan(USUAL_MS);
      await untilRecorded(database, load.outcomes);
      await expectExactSums(database);
    },
    OUTAGE_MS + RECOVERY_LIMIT_MS + 120_000,
  );
});
