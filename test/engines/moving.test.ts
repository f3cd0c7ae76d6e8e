import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import type { ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { askTimes } from './support/ask.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openDatabase, openEmptyDatabase } from './support/engines.ts';
import { openProxiedDatabase } from './support/proxied-database.ts';
import { makeFolder, runCommand, runWith, type Served, serveWell, stop } from './support/run-command.ts';

interface Row {
  readonly id: string;
  readonly total_cost: number;
}

/** A body without what was spent since the beginning of the day, week or month: it may begin again meanwhile. */
const withoutSpans = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    /_(daily|weekly|monthly)$/.test(name) ? undefined : value,
  );

/** What a user sees of a gateway. */
async function look(gateway: Served) {
  const read = async (path: string) => withoutSpans((await gateway.call('GET', path)).body) as { data: never };
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
async function makeStore(upstream: ScriptedUpstream) {
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
    await askTimes(1, gateway.url, { key, model: 'test/text', isStreamed: call % 3 === 0 });
  }
  const seen = await look(gateway);
  expect(seen.generations).toHaveLength(12);
  await stop(gateway);
  return { dir, seen, one, gone };
}

test.skipIf(missingPostgres)('a store moves into a database, and out of it again, as it was', async () => {
  const upstream = await openUpstream();
  const { dir, seen } = await makeStore(upstream);
  const config = toClusterConfig(upstream, { database: await openEmptyDatabase() });
  const imported = await runWith(config, ['import', '--from', dir]);
  expect(imported).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('12 generations and 2 keys') as string,
  });
  const gateway = await serveWell(config);
  expect(await look(gateway)).toEqual(seen);
  await stop(gateway);

  const back = join(makeFolder(), 'back');
  for (let round = 0; round < 2; round += 1) {
    const exported = await runWith(config, ['export', '--to', back]);
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('12 generations') as string });
  }
  const again = await serveWell(toScriptedConfig(upstream), { dataDir: back });
  expect(await look(again)).toEqual(seen);
});

test.skipIf(missingPostgres)('an export replaces no other gateway’s data unless it is told to', async () => {
  const upstream = await openUpstream();
  const { dir, seen } = await makeStore(upstream);
  const config = toClusterConfig(upstream, { database: await openDatabase() });
  const refused = await runWith(config, ['export', '--to', dir]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('another gateway') as string });
  const untouched = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
  expect(await look(untouched)).toEqual(seen);
  await stop(untouched);
  expect(await runWith(config, ['export', '--to', dir, '--force'])).toMatchObject({ code: 0 });
  const replaced = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
  expect((await look(replaced)).keys).toEqual([]);
});

test.skipIf(missingPostgres)('what was deleted in the database does not come back with another import', async () => {
  const upstream = await openUpstream();
  const { dir, seen, one, gone } = await makeStore(upstream);
  const config = toClusterConfig(upstream, { database: await openDatabase() });
  await runWith(config, ['import', '--from', dir]);
  const gateway = await serveWell(config);
  const id = seen.generations[0]?.id ?? '';
  expect(await gateway.call('DELETE', `/api/v1/keys/${gone.data.hash}`)).toMatchObject({ status: 200 });
  expect(await gateway.call('DELETE', `/admin/v1/generations/${id}`)).toMatchObject({ status: 200 });
  await gateway.call('PATCH', `/api/v1/keys/${one.data.hash}`, { name: 'renamed' });
  await gateway.call('PATCH', '/admin/v1/settings', { credits_usd: 7 });
  const before = await look(gateway);
  // Beside the running gateway.
  expect(await runWith(config, ['import', '--from', dir])).toMatchObject({ code: 0 });
  await expect.poll(() => look(gateway)).toEqual(before);
  expect(before.keys.map(({ name }) => name)).toEqual(['renamed']);
});

test.skipIf(missingPostgres)('a store in use is refused with the PID of its gateway', async () => {
  const upstream = await openUpstream();
  const dir = makeFolder();
  const gateway = await serveWell(toScriptedConfig(upstream), { dataDir: dir });
  const config = toClusterConfig(upstream, { database: await openDatabase() });
  const ended = await runWith(config, ['import', '--from', dir]);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`PID ${gateway.pid}`) as string });
  expect(ended.stderr).not.toMatch(/\n\s+at /);
});

test.skipIf(missingPostgres)('the journal of a gateway that died without its database is imported, once', async () => {
  const upstream = await openUpstream();
  const { database, proxy, proxied } = await openProxiedDatabase();
  const dataDir = makeFolder();
  const dead = await serveWell(toClusterConfig(upstream, { database: proxied }), { dataDir });
  const call = { key: TEST_KEY, model: 'test/text', isStreamed: true };
  await askTimes(1, dead.url, call);
  proxy.cut();
  const ids = await askTimes(10, dead.url, call);
  process.kill(dead.pid, 'SIGKILL');
  await dead.ended;
  const config = toClusterConfig(upstream, { database });
  for (const from of [dataDir, join(dataDir, 'journal-1')]) {
    expect(await runWith(config, ['import', '--from', from])).toMatchObject({ code: 0 });
  }
  const gateway = await serveWell(config);
  const { generations } = await look(gateway);
  expect(generations).toHaveLength(11);
  for (const id of ids) expect(generations.filter((row) => row.id === id)).toHaveLength(1);
});

test.skipIf(missingPostgres)('a folder that is none of ours stays as it is, and the reason is said', async () => {
  const upstream = await openUpstream();
  const config = toClusterConfig(upstream, { database: await openDatabase() });
  const dir = makeFolder();
  for (const from of [dir, join(dir, 'not-there')]) {
    const ended = await runWith(config, ['import', '--from', from]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(from) as string });
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  }
  expect(readdirSync(dir)).toEqual([]);
});

test('without a database in the config the commands say what to name', async () => {
  for (const words of [['migrate'], ['import', '--from', '.'], ['export', '--to', 'x']]) {
    expect(await runCommand(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"type": "postgres"') as string,
    });
  }
});
