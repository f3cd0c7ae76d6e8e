import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';

import { expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, missingRedis, openDatabase, redisUrl } from './support/engines.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { askReady, type Ended, isAlive, makeFolder, serve, type Served, serveWell } from './support/run-command.ts';
import { ask } from './support/steady-load.ts';

const missing = missingPostgres ?? missingRedis;
const TWO = ['--workers', '2'];

async function startUpstream() {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

async function setUp(more: { readonly drainMs?: number } = {}) {
  const upstream = await startUpstream();
  const timeouts = { drainMs: more.drainMs ?? 10_000 };
  const config = toClusterConfig(upstream, { database: await openDatabase(), redis: redisUrl() }, { timeouts });
  return { upstream, config };
}

async function untilReady(gateway: Served): Promise<void> {
  await expect.poll(() => askReady(gateway), { timeout: 20_000 }).toMatchObject({ status: 200 });
}

/** Begins streams that wait for the upstream; resolves when all have begun. */
async function beginStreams(gateway: Served, count: number) {
  const responses = await Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${gateway.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/held', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    ),
  );
  return responses.map(async (response) => {
    const text = await response.text();
    return response.status === 200 && text.trimEnd().endsWith('data: [DONE]') && !text.includes('"error"');
  });
}

test.skipIf(missing)(
  'two workers share a port, say so once, and both respond',
  async () => {
    const { config } = await setUp();
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    expect(gateway.workers()).toHaveLength(2);
    for (let call = 0; call < 20; call += 1) {
      expect(await ask(gateway.url, { key: TEST_KEY, model: 'test/text', isStreamed: true })).toMatchObject({
        status: 200,
      });
    }
    expect(gateway.output.stdout.trim().split('\n')).toHaveLength(1);
    const lines = gateway.output.stderr
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { worker?: number; msg: string });
    expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    expect(lines.filter(({ msg }) => msg.startsWith('the UI opens'))).toHaveLength(1);
  },
  60_000,
);

test.skipIf(missing)(
  'SIGTERM lets the streams of all workers end, and leaves no process',
  async () => {
    const { upstream, config } = await setUp();
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    const workers = gateway.workers();
    const streams = await beginStreams(gateway, 20);
    gateway.send('SIGTERM');
    await expect.poll(() => gateway.output.stderr).toContain('stopping: open calls may end');
    upstream.release();
    expect(await Promise.all(streams)).toEqual(Array.from({ length: 20 }, () => true));
    expect((await gateway.ended).code).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  },
  60_000,
);

test.skipIf(missing)(
  'workers whose primary is killed let their streams end, and go',
  async () => {
    const { upstream, config } = await setUp();
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    const workers = gateway.workers();
    const streams = await beginStreams(gateway, 10);
    gateway.send('SIGKILL');
    await expect.poll(() => isAlive(gateway.pid)).toBe(false);
    upstream.release();
    expect(await Promise.all(streams)).toEqual(Array.from({ length: 10 }, () => true));
    await expect.poll(() => workers.filter(isAlive), { timeout: 15_000 }).toEqual([]);
  },
  60_000,
);

test.skipIf(missing)(
  'what killed workers have acknowledged without a database is there after they are replaced',
  async () => {
    const upstream = await startUpstream();
    const database = await openDatabase();
    const proxy = await startFaultProxy(Number(new URL(database).port));
    onTestFinished(() => proxy.close());
    const config = toClusterConfig(upstream, { database: proxy.through(database), redis: redisUrl() });
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    await gateway.call(
      'POST',
      '/api/v1/chat/completions',
      { model: 'test/text', messages: [{ role: 'user', content: 'Hello' }] },
      TEST_KEY,
    );
    proxy.cut();
    const ids: string[] = [];
    for (let call = 0; call < 20; call += 1) {
      const { id } = await ask(gateway.url, { key: TEST_KEY, model: 'test/text', isStreamed: true });
      if (id !== null) ids.push(id);
    }
    expect(ids).toHaveLength(20);
    const before = gateway.workers();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => gateway.workers().filter((pid) => !before.includes(pid)).length, { timeout: 15_000 })
      .toBe(2);
    proxy.pass();
    for (const id of ids) {
      await expect
        .poll(
          async () => (await gateway.call('GET', `/api/v1/generation?id=${id}`).catch(() => ({ status: 0 }))).status,
          { timeout: 30_000 },
        )
        .toBe(200);
    }
  },
  120_000,
);

test.skipIf(missing)(
  'a start with fewer workers takes in what the others have left',
  async () => {
    const upstream = await startUpstream();
    const database = await openDatabase();
    const proxy = await startFaultProxy(Number(new URL(database).port));
    onTestFinished(() => proxy.close());
    const config = toClusterConfig(upstream, { database: proxy.through(database), redis: redisUrl() });
    const dataDir = makeFolder();
    const first = await serveWell(config, { args: ['--workers', '3'], dataDir });
    await untilReady(first);
    proxy.cut();
    const ids: string[] = [];
    for (let call = 0; call < 30; call += 1) {
      const { id } = await ask(first.url, { key: TEST_KEY, model: 'test/text', isStreamed: false });
      if (id !== null) ids.push(id);
    }
    for (const pid of [first.pid, ...first.workers()]) process.kill(pid, 'SIGKILL');
    await first.ended;
    proxy.pass();
    const second = await serveWell(config, { dataDir });
    for (const id of ids) {
      await expect
        .poll(async () => (await second.call('GET', `/api/v1/generation?id=${id}`)).status, { timeout: 30_000 })
        .toBe(200);
    }
    expect(ids).toHaveLength(30);
  },
  120_000,
);

test.skipIf(missing)(
  'SIGHUP lets all workers read the configuration again',
  async () => {
    const { config } = await setUp();
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    gateway.send('SIGHUP');
    const reread = (): number[] =>
      gateway.output.stderr
        .split('\n')
        .filter((line) => line.includes('the configuration was read again') && line.includes('SIGHUP'))
        .map((line) => (JSON.parse(line) as { worker: number }).worker)
        .toSorted((a, b) => a - b);
    await expect.poll(reread).toEqual([1, 2]);
  },
  60_000,
);

test.skipIf(missing)(
  'a port that is taken ends the start of workers with one message',
  async () => {
    const { config } = await setUp();
    const holder = net.createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as net.AddressInfo;
    const ended = (await serve(config, { args: [...TWO, '--port', String(port)] })) as Ended;
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr.match(/is taken/g)).toHaveLength(1);
  },
  60_000,
);

test.skipIf(missing)(
  'a second serve on the same data directory is refused with the PID of the first',
  async () => {
    const { config } = await setUp();
    const dataDir = makeFolder();
    const first = await serveWell(config, { dataDir });
    const ended = (await serve(config, { dataDir })) as Ended;
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in use by the process with PID ${first.pid}`) as string,
    });
  },
  60_000,
);

test.each([['json'], ['memory']])(
  'workers on a %s store are refused with the reason',
  async (type) => {
    const upstream = await startUpstream();
    const ended = (await serve({ ...toScriptedConfig(upstream), store: { type } }, { args: TWO })) as Ended;
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^--workers 2 needs .*\n.*PostgreSQL/) as string,
    });
  },
  60_000,
);

test.skipIf(missing)(
  'a rolling restart on one database breaks none of 200 open streams',
  async () => {
    const { upstream, config } = await setUp({ drainMs: 30_000 });
    const former = await serveWell(config, { args: TWO });
    await untilReady(former);
    const streams = await beginStreams(former, 100);
    const next = await serveWell(config, { args: TWO });
    await untilReady(next);
    former.send('SIGTERM');
    await expect.poll(() => askReady(former).catch(() => ({ status: 0 }))).not.toMatchObject({ status: 200 });
    streams.push(...(await beginStreams(next, 100)));
    upstream.release();
    expect((await Promise.all(streams)).filter((isWhole) => !isWhole)).toEqual([]);
    expect((await former.ended).code).toBe(0);
    expect(await askReady(next)).toMatchObject({ status: 200 });
  },
  120_000,
);
