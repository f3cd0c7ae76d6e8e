import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { createJsonFileStore } from '@model-gateway/node';
import { createPostgresStore } from '@model-gateway/postgres';
import { expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { runCommand, makeFolder, type Served, serveWell, writeConfig } from './support/run-command.ts';
import { ask } from './support/steady-load.ts';

interface Row {
  readonly id: string;
  readonly total_cost: number;
}

async function startUpstream() {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

type Upstream = Awaited<ReturnType<typeof startUpstream>>;

const toDatabaseConfig = (upstream: Upstream, url: string) => ({
  ...toScriptedConfig(upstream),
  store: { type: 'postgres', url },
});

async function end(gateway: Served): Promise<void> {
  gateway.send('SIGTERM');
  await gateway.ended;
}

/** What a user sees of a gateway. */
async function look(gateway: Served) {
  const read = async (path: string) => (await gateway.call('GET', path)).body as { data: never };
  const generations = (await read('/admin/v1/generations?limit=100')).data as unknown as Row[];
  const contents = await Promise.all(
    generations.map(async ({ id }) => (await gateway.call('GET', `/api/v1/generation/content?id=${id}`)).body),
  );
  return {
    generations,
    contents,
    keys: (await read('/api/v1/keys?include_disabled=true')).data as unknown as { hash: string; name: string }[],
    guardrails: (await read('/api/v1/guardrails')).data,
    settings: await read('/admin/v1/settings'),
    credits: (await read('/api/v1/credits')).data,
  };
}

/** A JSON-file store with calls, keys, a guardrail, a member and a setting, made by a gateway that has ended. */
async function makeStore(upstream: Upstream) {
  const dir = makeFolder();
  const gateway = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
  const make = async (name: string): Promise<{ key: string; data: { hash: string } }> =>
    (await gateway.call('POST', '/api/v1/keys', { name, limit: 5 })).body;
  const [one, gone] = [await make('one'), await make('gone')];
  const guardrail = (
    await gateway.call('POST', '/api/v1/guardrails', { name: 'small', limit_usd: 3, reset_interval: 'daily' })
  ).body as { data: { id: string } };
  await gateway.call('POST', `/api/v1/guardrails/${guardrail.data.id}/assignments/keys`, {
    key_hashes: [one.data.hash],
  });
  await gateway.call('PATCH', '/admin/v1/settings', { credits_usd: 100 });
  for (let call = 0; call < 12; call += 1) {
    const key = call % 2 === 0 ? one.key : gone.key;
    const outcome = await ask(gateway.url, { key, model: 'test/text', isStreamed: call % 3 === 0 });
    expect(outcome).toMatchObject({ status: 200 });
  }
  const seen = await look(gateway);
  expect(seen.generations).toHaveLength(12);
  await end(gateway);
  return { dir, seen, one, gone };
}

test.skipIf(missingPostgres)(
  'a store moves into a database, and out of it again, as it was',
  async () => {
    const upstream = await startUpstream();
    const { dir, seen } = await makeStore(upstream);
    const config = toDatabaseConfig(upstream, await openDatabase());
    const file = writeConfig(config);
    const imported = await runCommand(['import', '--from', dir, '--config', file]);
    expect(imported).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('12 generations and 2 keys') as string,
    });
    const gateway = await serveWell(config);
    expect(await look(gateway)).toEqual(seen);
    await end(gateway);

    const back = join(makeFolder(), 'back');
    for (let round = 0; round < 2; round += 1) {
      const exported = await runCommand(['export', '--to', back, '--config', file]);
      expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('12 generations') as string });
    }
    const again = await serveWell(toScriptedConfig(upstream), { dataDir: back });
    expect(await look(again)).toEqual(seen);
  },
  120_000,
);

test.skipIf(missingPostgres)(
  'what was deleted in the database does not come back with another import',
  async () => {
    const upstream = await startUpstream();
    const { dir, seen, one, gone } = await makeStore(upstream);
    const config = toDatabaseConfig(upstream, await openDatabase());
    const file = writeConfig(config);
    await runCommand(['import', '--from', dir, '--config', file]);
    const gateway = await serveWell(config);
    const id = seen.generations[0]?.id ?? '';
    expect(await gateway.call('DELETE', `/api/v1/keys/${gone.data.hash}`)).toMatchObject({ status: 200 });
    expect(await gateway.call('DELETE', `/admin/v1/generations/${id}`)).toMatchObject({ status: 200 });
    await gateway.call('PATCH', `/api/v1/keys/${one.data.hash}`, { name: 'renamed' });
    await gateway.call('PATCH', '/admin/v1/settings', { credits_usd: 7 });
    const before = await look(gateway);
    // Beside the running gateway.
    expect(await runCommand(['import', '--from', dir, '--config', file])).toMatchObject({ code: 0 });
    await expect.poll(() => look(gateway), { timeout: 5000 }).toEqual(before);
    expect(before.keys.map(({ name }) => name)).toEqual(['renamed']);
  },
  120_000,
);

test.skipIf(missingPostgres)(
  'what was spent on generations that are too old to be moved counts, and once',
  async () => {
    const upstream = await startUpstream();
    const dir = makeFolder();
    const DAY_MS = 24 * 60 * 60 * 1000;
    const start = Date.now();
    let now = start;
    const store = await createJsonFileStore({ dir, now: () => now, retentionDays: 365, trustsClock: true });
    for (const daysAgo of [60, 35, 2, 0]) {
      now = start - daysAgo * DAY_MS;
      await store.generations.append(makeRecord(now, { principalId: 'key-old', costNanoUsd: 1_000_000_001 }), null);
    }
    await store.close();
    const database = await openDatabase();
    const file = writeConfig(toDatabaseConfig(upstream, database));
    for (let round = 0; round < 2; round += 1) {
      const ended = await runCommand(['import', '--from', dir, '--config', file]);
      expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('2 generations') as string });
      const sums = 'select kind, sum(credits_nano)::text as nano from gateway.spending group by kind order by kind';
      expect(await runStatement(database, sums)).toEqual([
        { kind: 'account', nano: '4000000004' },
        { kind: 'key', nano: '4000000004' },
      ]);
    }
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'what was moved counts once when the store is imported again after retention has dropped it',
  async () => {
    const upstream = await startUpstream();
    const dir = makeFolder();
    const DAY_MS = 24 * 60 * 60 * 1000;
    const start = Date.now();
    let now = start;
    const open = () => createJsonFileStore({ dir, now: () => now, retentionDays: 365, trustsClock: true });
    const append = async (daysAgo: readonly number[]): Promise<void> => {
      const store = await open();
      for (const days of daysAgo) {
        now = start - days * DAY_MS;
        await store.generations.append(makeRecord(now, { principalId: 'key-old', costNanoUsd: 1_000_000_001 }), null);
      }
      await store.close();
    };
    await append([120, 60, 35, 2]);
    const url = await openDatabase();
    const importWith = async (retentionDays: number) => {
      const file = writeConfig({ ...toDatabaseConfig(upstream, url), logging: { retentionDays } });
      expect(await runCommand(['import', '--from', dir, '--config', file])).toMatchObject({ code: 0 });
      return runStatement(
        url,
        'select kind, sum(credits_nano)::text as nano from gateway.spending group by 1 order by 1',
      );
    };
    const sums = (nano: string) => ['account', 'key'].map((kind) => ({ kind, nano }));
    expect(await importWith(100)).toEqual(sums('4000000004'));
    await (await createPostgresStore({ url, retentionDays: 30 })).close();
    expect(await importWith(30)).toEqual(sums('4000000004'));
    // Of a day that was moved before, and of one that retention has dropped meanwhile.
    await append([35, 31, 0]);
    expect(await importWith(30)).toEqual(sums('7000000007'));
    expect(await importWith(30)).toEqual(sums('7000000007'));
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'a store in use is refused with the PID of its gateway',
  async () => {
    const upstream = await startUpstream();
    const dir = makeFolder();
    const gateway = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
    const file = writeConfig(toDatabaseConfig(upstream, await openDatabase()));
    const ended = await runCommand(['import', '--from', dir, '--config', file]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`PID ${gateway.pid}`) as string });
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'the journal of a gateway that died without its database is imported, once',
  async () => {
    const upstream = await startUpstream();
    const database = await openDatabase();
    const proxy = await startFaultProxy(Number(new URL(database).port));
    onTestFinished(() => proxy.close());
    const dataDir = makeFolder();
    const dead = await serveWell(toDatabaseConfig(upstream, proxy.through(database)), { dataDir });
    await ask(dead.url, { key: TEST_KEY, model: 'test/text', isStreamed: false });
    proxy.cut();
    const ids: string[] = [];
    for (let call = 0; call < 10; call += 1) {
      const { id } = await ask(dead.url, { key: TEST_KEY, model: 'test/text', isStreamed: true });
      if (id !== null) ids.push(id);
    }
    process.kill(dead.pid, 'SIGKILL');
    await dead.ended;
    const config = toDatabaseConfig(upstream, database);
    const file = writeConfig(config);
    for (const from of [dataDir, join(dataDir, 'journal-1')]) {
      expect(await runCommand(['import', '--from', from, '--config', file])).toMatchObject({ code: 0 });
    }
    const gateway = await serveWell(config);
    const { generations } = await look(gateway);
    expect(ids).toHaveLength(10);
    expect(generations).toHaveLength(11);
    for (const id of ids) expect(generations.filter((row) => row.id === id)).toHaveLength(1);
  },
  120_000,
);

test.skipIf(missingPostgres)(
  'keys of providers that a file has sealed open with the key of the environment',
  async () => {
    const upstream = await startUpstream();
    const dir = makeFolder();
    const provider = { slug: 'added', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'sk-provider-0123456789' };
    const first = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
    expect(await first.call('POST', '/admin/v1/setup/providers', provider)).toMatchObject({ status: 201 });
    await end(first);
    const env = { GATEWAY_SECRETS_KEY: randomBytes(32).toString('base64') };
    const config = toDatabaseConfig(upstream, await openDatabase());
    const ended = await runCommand(['import', '--from', dir, '--config', writeConfig(config)], env);
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('stay sealed') as string });
    const gateway = await serveWell(config, { env });
    const listed = (await gateway.call('GET', '/admin/v1/setup/providers')).body as {
      data: { slug: string; status: string }[];
    };
    expect(listed.data.find(({ slug }) => slug === 'added')).toMatchObject({ status: 'ready' });
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'without the key of the environment no key of a provider is kept, and it says what to set',
  async () => {
    const upstream = await startUpstream();
    const gateway = await serveWell(toDatabaseConfig(upstream, await openDatabase()));
    const provider = { slug: 'added', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'sk-provider-0123456789' };
    const made = await gateway.call('POST', '/admin/v1/setup/providers', provider);
    expect(made).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('GATEWAY_SECRETS_KEY') as string } },
    });
    expect(gateway.output.stderr).toContain('GATEWAY_SECRETS_KEY is not set');
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'a folder that is none of ours stays as it is, and the reason is said',
  async () => {
    const upstream = await startUpstream();
    const file = writeConfig(toDatabaseConfig(upstream, await openDatabase()));
    const dir = makeFolder();
    for (const from of [dir, join(dir, 'not-there')]) {
      const ended = await runCommand(['import', '--from', from, '--config', file]);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(from) as string });
      expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(readdirSync(dir)).toEqual([]);
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'a key is made in the database, beside a gateway and without one',
  async () => {
    const upstream = await startUpstream();
    const config = toDatabaseConfig(upstream, await openDatabase());
    const create = async (name: string): Promise<string> =>
      (await runCommand(['keys', 'create', '--name', name, '--config', writeConfig(config)])).stdout.trim();
    const early = await create('early');
    const gateway = await serveWell(config);
    const late = await create('late');
    for (const key of [early, late]) {
      await expect
        .poll(() => ask(gateway.url, { key, model: 'test/text', isStreamed: false }), { timeout: 5000 })
        .toMatchObject({ status: 200 });
    }
  },
  60_000,
);

test.skipIf(missingPostgres)(
  'the doctor looks at the providers in a database, and says what is wrong with the database',
  async () => {
    const upstream = await startUpstream();
    const url = await openDatabase();
    const env = { GATEWAY_SECRETS_KEY: randomBytes(32).toString('base64') };
    const config = { store: { type: 'postgres', url } };
    const gateway = await serveWell(toDatabaseConfig(upstream, url), { env });
    const provider = { slug: 'added', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'sk-provider-0123456789' };
    expect(await gateway.call('POST', '/admin/v1/setup/providers', provider)).toMatchObject({ status: 201 });
    const told = await runCommand(['doctor', '--config', writeConfig(config)], env);
    expect(told.stdout).toMatch(/added/);
    expect(told.stdout).not.toContain('sk-provider-0123456789');
    const gone = new URL(url);
    gone.pathname = '/no_such_database';
    const broken = { store: { type: 'postgres', url: gone.href } };
    expect(await runCommand(['doctor', '--config', writeConfig(broken)])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail {2}store {2}.*no_such_database/) as string,
    });
  },
  60_000,
);

test('without a database in the config the commands say what to name', async () => {
  for (const words of [['migrate'], ['import', '--from', '.'], ['export', '--to', 'x']]) {
    expect(await runCommand(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"type": "postgres"') as string,
    });
  }
}, 60_000);
