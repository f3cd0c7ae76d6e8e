import { expect, test } from 'vitest';

import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { ask } from './support/ask.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { findFreePort } from './support/engine-server.ts';
import { missingEngines, openDatabase, openEmptyDatabase, redisUrl } from './support/engines.ts';
import { openProxiedDatabase } from './support/proxied-database.ts';
import { askReady, type Ended, serve, serveWell } from './support/run-command.ts';

const PASSWORD = 'never-shown-77';

test.skipIf(missingEngines).each([[[]], [['--workers', '2']]])(
  'with its database away it listens, is not ready and says why, and is ready by itself when the database comes, with %j',
  async (args) => {
    const upstream = await openUpstream();
    const { proxy, proxied } = await openProxiedDatabase(openEmptyDatabase);
    proxy.cut();
    const gateway = await serveWell(toClusterConfig(upstream, { database: proxied, redis: redisUrl() }), { args });
    expect(await askReady(gateway)).toMatchObject({
      status: 503,
      text: expect.stringContaining('cannot be reached') as string,
    });
    // A key that cannot be looked up is not a wrong key.
    const early = await gateway.call(
      'POST',
      '/api/v1/chat/completions',
      { model: 'test/text' },
      'sk-gw-v1-unknown-key',
    );
    expect(early.status).toBe(503);
    expect(gateway.output.stderr).not.toMatch(/#token=/);
    proxy.pass();
    await expect.poll(() => askReady(gateway)).toMatchObject({ status: 200 });
    await expect.poll(() => gateway.output.stderr).toContain('/ui/#token=');
    const made = await gateway.call('POST', '/api/v1/keys', { name: 'first' });
    const { key } = made.body as { key: string };
    expect(await ask(gateway.url, { key, model: 'test/text', isStreamed: true })).toMatchObject({ status: 200 });
    gateway.send('SIGTERM');
    expect((await gateway.ended).code).toBe(0);
    expect(gateway.output.stdout.trim().split('\n')).toHaveLength(1);
  },
);

test.skipIf(missingEngines).each([
  ['a wrong password', (url: URL): void => void (url.password = PASSWORD), 1, /refused the password of the user/],
  [
    'a database that does not exist',
    (url: URL): void => void (url.pathname = '/no_such_database'),
    1,
    /has no database "no_such_database"/,
  ],
  [
    'an address of another kind',
    (url: URL) => (url.href = url.href.replace(/^postgres/, 'mysql')),
    2,
    /store\.url: must be an address such as postgres:/,
  ],
] as const)('%s ends the start in one clear sentence, with one worker or two', async (_, spoil, code, reason) => {
  const url = new URL(await openDatabase());
  const password = url.password;
  spoil(url);
  const upstream = await openUpstream();
  const config = toClusterConfig(upstream, { database: url.href, redis: redisUrl() });
  for (const args of [[], ['--workers', '2']]) {
    const ended = (await serve(config, { args })) as Ended;
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) as string });
    expect(ended.stderr.match(new RegExp(reason, 'g'))).toHaveLength(1);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    for (const secret of [password, PASSWORD]) expect(ended.stderr).not.toContain(secret);
  }
});

test.skipIf(missingEngines)('without Redis it runs, and says so', async () => {
  const upstream = await openUpstream();
  const redis = `redis://:${PASSWORD}@127.0.0.1:${await findFreePort()}`;
  const gateway = await serveWell(toClusterConfig(upstream, { database: await openEmptyDatabase(), redis }));
  await expect.poll(() => askReady(gateway)).toMatchObject({ status: 200 });
  expect(await ask(gateway.url, { key: TEST_KEY, model: 'test/text', isStreamed: false })).toMatchObject({
    status: 200,
  });
  await expect.poll(() => gateway.output.stderr).toMatch(/redis/i);
  expect(gateway.output.stderr).not.toContain(PASSWORD);
});
