import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';

import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';

import { toKey } from '../support/stores/generation-records.ts';
import { findFreePort } from './support/engine-server.ts';
import { missingPostgres, openDatabase, openEmptyDatabase } from './support/engines.ts';
import { startOwnPostgres } from './support/own-servers.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore } from './support/postgres-stores.ts';
import { createTestLogger } from './support/test-logger.ts';

/** Ends all connections of a database, while this process is kept from reading what they say. */
function endConnectionsAtOnce(url: string): void {
  const statement = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const script = `const client = new (require('pg').Client)({ connectionString: ${JSON.stringify(url)} });
    client.connect().then(() => client.query(${JSON.stringify(statement)})).then(() => client.end());`;
  execFileSync(process.execPath, ['-e', script], { cwd: import.meta.dirname });
}

const UNAVAILABLE = { name: 'GatewayError', status: 503 };

/** The address with other parts. */
function change(
  url: string,
  parts: Partial<Pick<URL, 'password' | 'pathname' | 'port' | 'username' | 'search'>>,
): string {
  return Object.assign(new URL(url), parts).href;
}

/** What a start says. The password of the address is in none of it. */
async function findFailure(url: string): Promise<Error> {
  const error = await createPostgresStore({ url }).then(
    async (store) => {
      await store.close();
      throw new Error('the store was opened');
    },
    (rejection: Error) => rejection,
  );
  const { password } = URL.canParse(url) ? new URL(url) : { password: 'secret' };
  expect(password).not.toBe('');
  expect(`${error.message} ${String(error.cause)}`).not.toContain(password);
  expect(error.message).not.toMatch(/\n/);
  return error;
}

describe.skipIf(missingPostgres)('A start is refused in one sentence', () => {
  test('when the password is wrong', async () => {
    const { message } = await findFailure(change(await openDatabase(), { password: 'wrong-one' }));
    expect(message).toMatch(/^PostgreSQL at 127\.0\.0\.1:\d+ refused the password of the user "gateway": check/);
  });

  test('when there is no password, and migrating says the same', async () => {
    const url = change(await openDatabase(), { password: '' });
    const sentence = /asks for a password of the user "gateway": url has none/;
    await expect(createPostgresStore({ url })).rejects.toThrow(sentence);
    await expect(migrateDatabase({ url })).rejects.toThrow(sentence);
  });

  test('when there is no such database', async () => {
    const { message } = await findFailure(change(await openDatabase(), { pathname: '/nowhere' }));
    expect(message).toMatch(/has no database "nowhere": create it \(createdb nowhere\), or change url/);
  });

  test('when the URL is that of something else, or of nothing', async () => {
    expect((await findFailure('mysql://root:secret@127.0.0.1/db')).message).toMatch(
      /begins with mysql:\/\/: it has to/,
    );
    expect((await findFailure('postgres://root:secret%@127.0.0.1/db')).message).toMatch(/cannot be read|%25/);
    expect((await findFailure('the database with the secret')).message).toMatch(/cannot be read: it has to look like/);
  });

  test('when the server offers no encryption that the URL asks for', async () => {
    const { message } = await findFailure(change(await openDatabase(), { search: '?sslmode=require' }));
    expect(message).toMatch(/offers no encryption, which url asks for/);
  });

  test('when the user may not make tables', async () => {
    const url = await openEmptyDatabase();
    const role = `reader_${new URL(url).pathname.slice(-12)}`;
    await runStatement(url, `create role ${role} login password 'reads-only'`);
    onTestFinished(async () => void (await runStatement(url, `drop role ${role}`)));
    const { message } = await findFailure(change(url, { username: role, password: 'reads-only' }));
    expect(message).toMatch(/^The user "reader_\w+" lacks a right in the database .* \(permission denied for database/);
  });
});

describe.skipIf(missingPostgres)('A start with a database that is away', () => {
  test('says so, refuses with a 503, and is ready once it is there', async () => {
    const { server, url } = await startOwnPostgres();
    await server.kill();
    const store = await openStore(url);
    const reason = expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check/);
    expect(store.readiness?.()).toEqual({ isReady: false, reason });
    for (const read of [() => store.keys.get('a'), () => store.keys.list(), () => store.settings.get()]) {
      expect(read).toThrow(expect.objectContaining(UNAVAILABLE));
    }
    await expect(store.keys.insert(toKey('a'))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.videoJobs.list()).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.entries?.get('a')).rejects.toMatchObject(UNAVAILABLE);
    await server.start();
    await expect.poll(() => store.readiness?.()).toEqual({ isReady: true });
    await store.keys.insert(toKey('a'));
    expect(store.keys.get('a')).toEqual(toKey('a'));
  });

  test('does not wait for a server that takes connections and says nothing', async () => {
    const silent = net.createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as net.AddressInfo;
    const begun = performance.now();
    const store = await openStore(`postgres://user:secret@127.0.0.1:${port}/db`);
    // It would wait for ever.
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(store.readiness?.()).toMatchObject({ isReady: false, reason: expect.stringMatching(/cannot be reached/) });
  });

  test('closes at once', async () => {
    const store = await createPostgresStore({ url: `postgres://user:secret@127.0.0.1:${await findFreePort()}/db` });
    const begun = performance.now();
    await store.close();
    // A connection that is being made has three seconds.
    expect(performance.now() - begun).toBeLessThan(2500);
  });

  test('says that the server has no connection left', async () => {
    const { url: admin } = await startOwnPostgres({ max_connections: '4', superuser_reserved_connections: '3' });
    await runStatement(admin, "create role app login password 'app'");
    await runStatement(admin, 'grant all on database ' + new URL(admin).pathname.slice(1) + ' to app');
    const url = change(admin, { username: 'app', password: 'app' });
    const store = await openStore(url, { maxConnections: 1 });
    const second = await openStore(url, { maxConnections: 1 });
    expect(second.readiness?.()).toMatchObject({ reason: expect.stringMatching(/has no connection left: raise/) });
    expect(store.readiness?.()).toEqual({ isReady: true });
  });

  test('says that the server is read-only', async () => {
    const url = await openEmptyDatabase();
    const name = new URL(url).pathname.slice(1);
    await runStatement(url, `alter database ${name} set default_transaction_read_only = on`);
    const store = await openStore(url);
    expect(store.readiness?.()).toMatchObject({ reason: expect.stringMatching(/is read-only .*primary server/) });
  });
});

describe.skipIf(missingPostgres)('While it runs, a store', () => {
  test('survives that all its connections are ended, used ones and idle ones', async () => {
    const url = await openDatabase();
    const store = await openStore(url, { maxConnections: 3 });
    const sum = { id: 'g 2026-03-01', guardrailId: 'g', day: '2026-03-01', hours: {}, refusals: [] };
    for (let round = 0; round < 5; round += 1) {
      const used = Promise.allSettled(
        Array.from({ length: 6 }, () => store.guardrailHits.update(sum.id, (row) => row, sum)),
      );
      await runStatement(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      for (const end of await used) {
        if (end.status === 'rejected') expect(end.reason).toMatchObject(UNAVAILABLE);
      }
      await store.keys.insert(toKey(`key-${round}`));
    }
    expect(await store.keys.list()).toHaveLength(5);
    expect(await store.guardrailHits.list()).toEqual([sum]);
  });

  test('refuses with a 503 while the server does not let its user in any more', async () => {
    const { url } = await startOwnPostgres();
    const store = await openStore(url);
    await runStatement(url, `alter role current_user password 'another'`);
    endConnectionsAtOnce(change(url, { password: 'another' }));
    for (const id of ['a', 'b']) await expect(store.keys.insert(toKey(id))).rejects.toMatchObject(UNAVAILABLE);
  });

  test('makes a change although each of its idle connections was ended a moment ago', async () => {
    const url = await openDatabase();
    const store = await openStore(url, { maxConnections: 6 });
    for (let round = 0; round < 3; round += 1) {
      // Together, so that there are as many connections as may be.
      await Promise.all(Array.from({ length: 12 }, async (_, index) => store.entries?.put(`k${index}`, 'v', 60_000)));
      endConnectionsAtOnce(url);
      await store.keys.insert(toKey(`key-${round}`));
    }
    expect(await store.keys.list()).toHaveLength(3);
  });

  test('says that the server takes no writes any more, and takes up its connections again when it does', async () => {
    const url = await openDatabase();
    const { logger, lines } = createTestLogger();
    const store = await openStore(url, { maxConnections: 3, logger });
    const name = new URL(url).pathname.slice(1);
    const setReadOnly = (value: 'on' | 'off'): Promise<unknown> =>
      runStatement(
        change(url, { pathname: '/postgres' }),
        `alter database ${name} set default_transaction_read_only = ${value}`,
      );
    await setReadOnly('on');
    endConnectionsAtOnce(url);
    await expect.poll(() => store.engine?.outage?.()).toMatch(/is read-only .* to the primary/);
    await expect(store.keys.insert(toKey('a'))).rejects.toMatchObject(UNAVAILABLE);
    // Connections that were made meanwhile stay read-only for as long as they are used.
    await setReadOnly('off');
    await expect.poll(() => store.engine?.outage?.()).toBeNull();
    await store.keys.insert(toKey('a'));
    expect(
      lines.filter((line) => line.includes('The database cannot be used') && line.includes('is read-only')),
    ).toHaveLength(1);
  });

  test('uses no more connections than it was given, and says whose they are', async () => {
    const url = await openDatabase();
    const store = await openStore(url, { maxConnections: 2, applicationName: 'gateway-7' });
    await Promise.all(Array.from({ length: 40 }, async (_, index) => store.entries?.put(`k${index}`, 'v', 60_000)));
    const rows = await runStatement(url, "select 1 from pg_stat_activity where application_name = 'gateway-7'");
    expect(rows.length).toBeLessThanOrEqual(3);
  });

  test('leaves nothing behind when it is closed', async () => {
    const url = await openDatabase();
    const store = await createPostgresStore({ url });
    await store.keys.insert(toKey('a'));
    await store.close();
    const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`;
    await expect.poll(() => runStatement(url, others)).toEqual([]);
  });
});
