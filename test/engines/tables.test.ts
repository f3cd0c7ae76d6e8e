import { describe, expect, test, vi } from 'vitest';

import { toKey } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { medianOf } from './support/median-of.ts';
import { startOwnPostgres } from './support/own-servers.ts';
import { runStatement } from './support/postgres-server.ts';
import { endListeners, openStore, openTwoStores } from './support/postgres-stores.ts';

/** Tests of other files have listeners at the same server. */
const LISTENING = "select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'";
const OFTEN = { interval: 10 };

const UNAVAILABLE = { name: 'GatewayError', status: 503 };

/** A text that is no text for PostgreSQL, and not well-formed. */
const ODD = 'a\0b\\u0000 \ud800 \udc00 "\u{1F600}';

describe.skipIf(missingPostgres)('The tables of two processes', () => {
  test('show a revoked key to the other one within a second, and say what changed', async () => {
    const { one, other } = await openTwoStores();
    const changed = vi.fn<(names: ReadonlySet<string>) => void>();
    other.onTablesChanged?.(changed);
    const tookMs: number[] = [];
    const timed = async (change: () => Promise<void>): Promise<void> => {
      const beganAt = performance.now();
      await change();
      tookMs.push(performance.now() - beganAt);
    };
    await timed(async () => {
      await one.keys.insert(toKey('a'));
      await expect.poll(() => other.keys.get('a'), OFTEN).toEqual(toKey('a'));
    });
    await timed(async () => {
      await one.keys.update('a', (key) => ({ ...key, disabled: true }));
      await expect.poll(() => other.keys.get('a'), OFTEN).toMatchObject({ disabled: true });
    });
    await timed(async () => {
      await one.keys.remove('a');
      await expect.poll(() => other.keys.get('a'), OFTEN).toBeUndefined();
    });
    await timed(async () => {
      await one.settings.update(() => ({ credits_usd: 5 }));
      await expect.poll(() => other.settings.get(), OFTEN).toEqual({ credits_usd: 5 });
    });
    // One that is found by looking alone comes with the next look, which is two seconds after the one before.
    expect(medianOf(tookMs)).toBeLessThan(1000);
    expect(changed.mock.calls.map(([names]) => [...names])).toEqual([['keys'], ['keys'], ['keys'], ['settings']]);
  });

  test('say what changed to the process that changed it, once', async () => {
    const { one } = await openTwoStores();
    const changed = vi.fn<(names: ReadonlySet<string>) => void>();
    one.onTablesChanged?.(changed);
    await one.keys.insert(toKey('a'));
    await one.keys.update('a', (key) => ({ ...key }));
    await one.keys.update('nobody', (key) => key);
    await one.keys.insert(toKey('b'));
    expect(changed.mock.calls).toEqual([[new Set(['keys'])], [new Set(['keys'])]]);
  });

  test('lose none of 200 changes made at once from both', async () => {
    const { one, other } = await openTwoStores();
    await one.keys.insert(toKey('sum', { limitUsd: 0 }));
    const changes = Array.from({ length: 200 }, async (_, index) => {
      const store = index % 2 === 0 ? one : other;
      if (index % 4 < 2) return store.keys.insert(toKey(`key-${index}`));
      // The other one may not have heard of it yet: a change begins with what the database has.
      return store.keys.update('sum', (key) => ({ ...key, limitUsd: (key.limitUsd ?? 0) + 1 }));
    });
    await Promise.all(changes);
    for (const store of [one, other]) {
      await expect.poll(async () => (await store.keys.list()).length, OFTEN).toBe(101);
      expect((await store.keys.get('sum'))?.limitUsd).toBe(100);
    }
    expect(await one.keys.list()).toEqual(await other.keys.list());
  });

  test('show what was changed before to who catches up, whether or not it was told', async () => {
    const { url, one, other } = await openTwoStores();
    await one.keys.insert(toKey('a'));
    await runStatement(
      url,
      `with raised as (update gateway.table_version set version = version + 1 returning version)
       update gateway.table_rows set row = null, version = (select version from raised) where id = 'a'`,
    );
    for (const store of [one, other]) await store.catchUpTables?.();
    expect([one.keys.get('a'), other.keys.get('a')]).toEqual([undefined, undefined]);
  });

  test('refuse an id that the other one has just inserted', async () => {
    const { one, other } = await openTwoStores();
    const inserted = await Promise.allSettled([one, other].map((store) => store.keys.insert(toKey('a'))));
    expect(inserted.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('agree when connections that listen are ended, and listen again', async () => {
    const { url, one, other } = await openTwoStores();
    await one.keys.insert(toKey('a'));
    await expect.poll(() => other.keys.get('a'), OFTEN).toBeDefined();
    expect(await endListeners(url)).toBeGreaterThanOrEqual(2);
    await one.keys.insert(toKey('b'));
    await expect.poll(() => other.keys.get('b'), OFTEN).toBeDefined();
    await expect.poll(() => runStatement(url, LISTENING), OFTEN).toHaveLength(2);
  });

  test('agree although a notification was lost', async () => {
    const { url, one, other } = await openTwoStores();
    await one.keys.insert(toKey('a'));
    await expect.poll(() => other.keys.get('a'), OFTEN).toBeDefined();
    await runStatement(
      url,
      `with raised as (update gateway.table_version set version = version + 1 returning version)
       update gateway.table_rows set row = null, version = (select version from raised) where id = 'a'`,
    );
    await expect.poll(() => [one.keys.get('a'), other.keys.get('a')], OFTEN).toEqual([undefined, undefined]);
  });

  test('agree although the database has forgotten long ago what was removed', async () => {
    const { url, one, other } = await openTwoStores();
    await one.keys.insert(toKey('a'));
    await one.keys.insert(toKey('b'));
    await expect.poll(() => other.keys.get('b'), OFTEN).toBeDefined();
    await runStatement(url, "delete from gateway.table_rows where id = 'a'");
    await runStatement(url, 'update gateway.table_version set version = version + 20000');
    await expect.poll(() => [one.keys.get('a'), other.keys.get('a')], OFTEN).toEqual([undefined, undefined]);
    expect(await one.keys.list()).toEqual([toKey('b')]);
  });

  test('agree with a database that went back to a former state', async () => {
    const { url, one, other } = await openTwoStores();
    await one.keys.insert(toKey('a'));
    await one.keys.insert(toKey('b'));
    await runStatement(url, "delete from gateway.table_rows where id = 'b'");
    await runStatement(url, 'update gateway.table_version set version = version - 1');
    await expect.poll(() => [one.keys.get('b'), other.keys.get('b')], OFTEN).toEqual([undefined, undefined]);
    await other.keys.insert(toKey('c'));
    await expect.poll(() => one.keys.list(), OFTEN).toEqual([toKey('a'), toKey('c')]);
  });

  test('keep every text that callers can send', async () => {
    const { one, other } = await openTwoStores();
    const member = { id: ODD, email: ODD, first_name: ODD, last_name: null, role: 'org:admin' as const };
    await one.members.insert(member);
    await one.members.insert({ ...member, id: ODD.replace('\0', '\\u0000') });
    await one.keys.insert(toKey('a', { name: ODD, externalUser: ODD }));
    await expect.poll(() => other.keys.get('a'), OFTEN).toMatchObject({ name: ODD, externalUser: ODD });
    expect(await other.members.get(ODD)).toEqual(member);
    expect(await other.members.list()).toHaveLength(2);
    expect(await other.members.remove(ODD)).toBe(true);
    await expect.poll(() => one.members.get(ODD), OFTEN).toBeUndefined();
    expect(await (await openStore(await openDatabase())).members.list()).toEqual([]);
  });
});

describe.skipIf(missingPostgres)('While the database is away, the tables', () => {
  test('are read from memory, and changes fail soon and go on when it is back', async () => {
    const { server, url } = await startOwnPostgres();
    const [one, other] = [await openStore(url), await openStore(url)];
    await one.keys.insert(toKey('a'));
    await expect.poll(() => other.keys.get('a'), OFTEN).toBeDefined();
    await server.kill();
    expect(one.keys.get('a')).toEqual(toKey('a'));
    // It stays away until this has failed.
    await expect(one.keys.insert(toKey('b'))).rejects.toMatchObject(UNAVAILABLE);
    expect(one.keys.get('b')).toBeUndefined();
    await server.start();
    await one.keys.insert(toKey('b'));
    await expect.poll(() => other.keys.get('b'), OFTEN).toBeDefined();
    expect(one.readiness?.()).toEqual({ isReady: true });
  });

  test('are read from memory, and changes fail soon, when it does not respond', async () => {
    const { server, url } = await startOwnPostgres();
    const store = await openStore(url);
    await store.keys.insert(toKey('a'));
    server.pause();
    await store.catchUpTables?.();
    // The look at the tables, which has seconds until it counts as failed, goes on without the request.
    expect(store.engine?.outage?.()).toBeNull();
    const begun = performance.now();
    const changes = Array.from({ length: 50 }, (_, index) => store.keys.insert(toKey(`b-${index}`)));
    const ended = await Promise.allSettled(changes);
    // Four seconds at an idle machine. One after the other, on ten connections, they would take five times as long.
    expect(performance.now() - begun).toBeLessThan(16_000);
    for (const change of ended) expect(change).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    expect(store.keys.get('a')).toEqual(toKey('a'));
    server.resume();
    await expect.poll(() => store.keys.insert(toKey('c')).then(() => 'inserted', String), OFTEN).toBe('inserted');
  });
});
