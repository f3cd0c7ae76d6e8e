import type { RateCounter } from '@model-gateway/core';
import { createRedisShared, type RedisShared } from '@model-gateway/redis';
import { createClient } from '@redis/client';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type EngineServer, findFreePort } from './support/engine-server.ts';
import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { startOwnRedis } from './support/own-servers.ts';
import { createTestLogger } from './support/test-logger.ts';

/** A command has 100 ms. Without that, a call would wait for the five seconds after which a connection is given up. */
const BOUND_MS = 4000;
const UP_LIMIT_MS = 30_000;

function openShared(url: string, whenDown: 'open' | 'closed') {
  const { logger, lines } = createTestLogger();
  const shared = createRedisShared({ url, logger, whenDown });
  onTestFinished(() => shared.close());
  return { shared, lines };
}

async function runCommand(server: EngineServer, ...words: string[]): Promise<string> {
  const client = await createClient({ url: server.url }).connect();
  const reply: unknown = await client.sendCommand(words);
  await client.close();
  return typeof reply === 'string' ? reply : '';
}

/** What became of a call: whether it may pass, or the status by which it is refused. */
async function ask(counter: RateCounter, id = 'k'): Promise<{ readonly result: string; readonly ms: number }> {
  const startedAt = performance.now();
  let result: string;
  try {
    result = (await counter.take(id)).isExceeded ? 'exceeded' : 'passes';
  } catch (error) {
    result = String((error as { status?: number }).status ?? error);
  }
  return { result, ms: performance.now() - startedAt };
}

async function askTimes(counter: RateCounter, count: number, id?: string): Promise<string[]> {
  const results: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { result, ms } = await ask(counter, id);
    expect(ms).toBeLessThan(BOUND_MS);
    results.push(result);
  }
  return results;
}

/** Whether it settles before anything else happens: without a timer, a command or a connection. */
async function isAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const note = (): void => void (isSettled = true);
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return isSettled;
}

const counterOf = ({ createRateCounter }: RedisShared, limitPerMinute = 2): RateCounter =>
  createRateCounter({ name: 'a', limitPerMinute });

/** What can happen to a server that was up, and what ends it. */
const TROUBLES: readonly {
  readonly name: string;
  readonly begin: (server: EngineServer) => unknown;
  readonly end: (server: EngineServer) => unknown;
  readonly said: RegExp;
}[] = [
  {
    name: 'is stopped',
    begin: (server) => server.kill(),
    end: (server) => server.start(),
    said: /Redis at 127\.0\.0\.1:\d+ (cannot be reached|has closed the connection)/,
  },
  {
    name: 'does not respond',
    begin: (server) => server.pause(),
    end: (server) => server.resume(),
    said: /Redis at 127\.0\.0\.1:\d+ does not respond/,
  },
  {
    name: 'has become a replica',
    begin: (server) => runCommand(server, 'REPLICAOF', '127.0.0.1', '1'),
    end: (server) => runCommand(server, 'REPLICAOF', 'NO', 'ONE'),
    said: /is a replica that takes no writes/,
  },
  {
    name: 'has no memory left',
    begin: (server) => runCommand(server, 'CONFIG', 'SET', 'maxmemory', '1'),
    end: (server) => runCommand(server, 'CONFIG', 'SET', 'maxmemory', '0'),
    said: /has no memory left/,
  },
];

describe.skipIf(missingRedis).each(TROUBLES)('200: while Redis $name', ({ begin, end, said }) => {
  test('each process counts for itself where it fails open, and counts with the others again afterwards', async () => {
    const server = await startOwnRedis();
    const { shared, lines } = openShared(server.url, 'open');
    await shared.waitUntilUp(UP_LIMIT_MS);
    const counter = counterOf(shared);
    expect(await askTimes(counter, 1)).toEqual(['passes']);
    await begin(server);
    const other = counterOf(shared, 3);
    expect(await askTimes(other, 4)).toEqual(['passes', 'passes', 'passes', 'exceeded']);
    expect(await isAtOnce(other.take('another'))).toBe(true);
    expect(lines.join('\n')).toMatch(said);
    const { engine } = shared.parts;
    expect(engine).toMatchObject({ type: 'redis', address: `127.0.0.1:${server.port}` });
    expect(engine?.outage?.()).toMatch(said);
    await end(server);
    const peer = openShared(server.url, 'closed').shared;
    await peer.waitUntilUp(UP_LIMIT_MS);
    let round = 0;
    await eventually(async () => {
      const id = `after ${(round += 1)}`;
      const results = [await ask(counter, id), await ask(counterOf(peer), id), await ask(counterOf(peer), id)];
      expect(results.map(({ result }) => result)).toEqual(['passes', 'passes', 'exceeded']);
    });
    expect(lines.join('\n')).toContain('takes commands');
    expect(engine?.outage?.()).toBeNull();
  });

  test('calls with a limit are refused at once where it fails closed, until it is back', async () => {
    const server = await startOwnRedis();
    const { shared } = openShared(server.url, 'closed');
    await shared.waitUntilUp(UP_LIMIT_MS);
    const counter = counterOf(shared);
    expect(await askTimes(counter, 1)).toEqual(['passes']);
    await begin(server);
    expect(await askTimes(counter, 3)).toEqual(['503', '503', '503']);
    expect(await isAtOnce(counter.take('k'))).toBe(true);
    await end(server);
    await eventually(async () => expect((await ask(counter, 'after')).result).not.toBe('503'));
  });
});

describe.skipIf(missingRedis)('200: Redis', () => {
  test('that holds something else under a name of the gateway says so once, and calls go on', async () => {
    const server = await startOwnRedis();
    const { shared, lines } = openShared(server.url, 'open');
    await shared.waitUntilUp(UP_LIMIT_MS);
    const counter = shared.createRateCounter({ name: 'odd', limitPerMinute: 2 });
    await runCommand(server, 'LPUSH', 'gateway:rate:odd:2:k', 'x');
    for (let n = 0; n < 3; n += 1) await counter.take('k');
    expect(lines.filter((line) => line.includes('holds something else'))).toHaveLength(1);
    expect((await counter.take('k')).isExceeded).toBe(true);
  });

  test('without the database of the address says so', async () => {
    const server = await startOwnRedis();
    const { lines } = openShared(`${server.url}/99`, 'open');
    await eventually(() => expect(lines.join('\n')).toContain('has no database of that number'));
  });

  test('may be away at the start: calls do not wait for it, and it is used once it is there', async () => {
    const server = await startOwnRedis();
    await server.kill();
    const { shared, lines } = openShared(server.url, 'open');
    const counter = counterOf(shared);
    expect(await askTimes(counter, 3)).toEqual(['passes', 'passes', 'exceeded']);
    const said = /^error Redis at 127\.0\.0\.1:\d+ cannot be reached: nothing listens there/m;
    await eventually(() => expect(lines.join('\n')).toMatch(said));
    await server.start();
    await shared.waitUntilUp(UP_LIMIT_MS);
    const peer = openShared(server.url, 'closed').shared;
    await peer.waitUntilUp(UP_LIMIT_MS);
    expect(await askTimes(counterOf(peer), 1, 'new')).toEqual(['passes']);
    expect(await askTimes(counter, 2, 'new')).toEqual(['passes', 'exceeded']);
  });

  test('may forget the scripts, which are sent again', async () => {
    const server = await startOwnRedis();
    const { shared } = openShared(server.url, 'closed');
    await shared.waitUntilUp(UP_LIMIT_MS);
    const counter = counterOf(shared);
    expect(await askTimes(counter, 1)).toEqual(['passes']);
    await runCommand(server, 'SCRIPT', 'FLUSH');
    expect(await askTimes(counter, 2)).toEqual(['passes', 'exceeded']);
  });

  test('that takes no writes counts as away although it responds to all else', async () => {
    const server = await startOwnRedis();
    const { shared, lines } = openShared(server.url, 'closed');
    await shared.waitUntilUp(UP_LIMIT_MS);
    await runCommand(server, 'REPLICAOF', '127.0.0.1', '1');
    expect(await askTimes(counterOf(shared), 1)).toEqual(['503']);
    await eventually(async () => {
      const stats = await runCommand(server, 'INFO', 'commandstats');
      const [, refused] = /cmdstat_set:.*rejected_calls=(\d+)/.exec(stats) ?? [];
      expect(Number(refused)).toBeGreaterThan(1);
    });
    expect(lines.join('\n')).not.toContain('takes commands');
  });

  test('that takes no writes is not connected to again for each attempt to write', async () => {
    const server = await startOwnRedis();
    await runCommand(server, 'REPLICAOF', '127.0.0.1', '1');
    const readCount = async (section: string, count: RegExp): Promise<number> =>
      Number(count.exec(await runCommand(server, 'INFO', section))?.[1] ?? 0);
    const countConnections = () => readCount('stats', /total_connections_received:(\d+)/);
    const before = await countConnections();
    const beganAt = performance.now();
    openShared(server.url, 'open');
    let asked = 0;
    await eventually(async () => {
      asked += 1;
      expect(await readCount('commandstats', /cmdstat_set:.*rejected_calls=(\d+)/)).toBeGreaterThan(12);
    }, 200);
    // Each question of this test is a connection too, also the last one.
    const connections = (await countConnections()) - before - asked - 1;
    // One is made again at most once a second. More than twelve attempts would be as many connections, and the first ones.
    expect(connections).toBeLessThan(9 + (performance.now() - beganAt) / 1000);
  });

  test('that is paused while it is connected to is used when it goes on', async () => {
    const server = await startOwnRedis();
    server.pause();
    const { shared } = openShared(server.url, 'closed');
    expect(await askTimes(counterOf(shared), 2)).toEqual(['503', '503']);
    await shared.waitUntilUp(300);
    server.resume();
    await shared.waitUntilUp(UP_LIMIT_MS);
    expect(await askTimes(counterOf(shared), 1)).toEqual(['passes']);
  });

  test('holds up no call when it never comes, and neither does the end', async () => {
    const { shared } = openShared(`redis://:secret77@127.0.0.1:${await findFreePort()}`, 'closed');
    const startedAt = performance.now();
    await shared.waitUntilUp(100);
    await shared.close();
    // It would wait for ever.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('that refuses the password is named in the log without the password', async () => {
    const server = await startOwnRedis();
    const url = new URL(server.url);
    url.password = 'wrongpw77';
    const { shared, lines } = openShared(url.href, 'closed');
    await eventually(() => expect(lines.join('\n')).toContain('refuses the user or the password'));
    expect(await askTimes(counterOf(shared), 1)).toEqual(['503']);
    expect(lines.join('\n')).not.toContain('wrongpw77');
    expect(lines.length).toBeLessThanOrEqual(2);
  });
});
