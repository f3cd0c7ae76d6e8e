import { readFileSync } from 'node:fs';

import { durableStoreCases, storeCases } from '@model-gateway/core/testing';
import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { beforeAll, describe, expect, test } from 'vitest';

import { toTurns } from '../support/stores/generation-records.ts';
import { testStoreCases } from '../support/stores/test-store-cases.ts';
import { missingPostgres, openDatabase, postgresUrl } from './support/engines.ts';
import { makeFolder, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import {
  createDatabase,
  dropDatabase,
  openClient,
  type PostgresClient,
  runStatement,
  withClient,
} from './support/postgres-server.ts';
import { PATIENT } from './support/postgres-stores.ts';

/** Restarts, and what writes to tables of its own; lists read the same tables. */
const cases = [
  ...durableStoreCases,
  ...storeCases.filter(({ title }) => /video|broadcast|assign|did|set up|carried/i.test(title)),
];

const DAY_MS = 24 * 60 * 60 * 1000;
const GUIDE = new URL('../../docs/operations.md', import.meta.url);

/** The statements that the guide gives, as they stand there. */
function readGrants(): string {
  const [, grants] = /```sql\n(-- As the owner[\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (grants === undefined) throw new Error('docs/operations.md has no statements for two roles');
  return grants;
}

interface Roles {
  readonly owner: string;
  /** May make nothing. */
  readonly serving: string;
}

interface TwoRoles extends Roles {
  /** The name of a database that the owner has migrated. */
  readonly template: string;
  remove(): Promise<void>;
}

/** Follows the guide once: the database of each test is a copy. */
async function makeTwoRoles(): Promise<TwoRoles> {
  const client = await openClient(postgresUrl());
  const url = await createDatabase(client);
  const template = new URL(url).pathname.slice(1);
  const [owner, serving] = [`owner_${template.slice(-12)}`, `serves_${template.slice(-12)}`];
  for (const role of [owner, serving]) await client.run(`create role ${role} login password 'x'`);
  await allowConnecting(client, template, { owner, serving });
  await runStatement(url, `revoke all on schema public from public; create schema gateway authorization ${owner}`);
  await migrateDatabase({ url: as(url, owner) });
  await runStatement(as(url, owner), readGrants().replaceAll('gateway_serve', serving));
  return {
    template,
    serving,
    owner,
    async remove() {
      await dropDatabase(client, url);
      for (const role of [owner, serving]) await client.run(`drop role ${role}`);
      await client.end();
    },
  };
}

/** What is said of a database itself is in no copy of it. */
async function allowConnecting({ run }: PostgresClient, name: string, { owner, serving }: Roles): Promise<void> {
  await run(`revoke all on database ${name} from public`);
  await run(`grant connect on database ${name} to ${owner}, ${serving}`);
}

const as = (url: string, username: string): string => Object.assign(new URL(url), { username, password: 'x' }).href;

/** A database that one role owns and has migrated, and another one, which may make nothing, serves. */
async function openTwoRoles(roles: TwoRoles) {
  const url = await openDatabase(roles.template);
  await withClient(url, (client) => allowConnecting(client, new URL(url).pathname.slice(1), roles));
  return { url, serving: as(url, roles.serving) };
}

/** Whether the serving role may make anything in a database. */
function readRights(url: string, { serving }: TwoRoles): Promise<unknown[]> {
  return runStatement(
    url,
    `select has_database_privilege('${serving}', current_database(), 'create') or
       has_database_privilege('${serving}', current_database(), 'temporary') or
       has_schema_privilege('${serving}', 'gateway', 'create') or
       has_schema_privilege('${serving}', 'public', 'create') as makes`,
  );
}

describe.skipIf(missingPostgres)('The PostgreSQL store as a role that may make nothing', () => {
  let roles: TwoRoles;
  beforeAll(async () => {
    roles = await makeTwoRoles();
    return () => roles.remove();
  });

  testStoreCases(cases, {
    async createPlace() {
      const { serving } = await openTwoRoles(roles);
      return { open: () => createPostgresStore({ url: serving, retentionDays: 100_000, ...PATIENT }) };
    },
    lacks: ['generations.noteRunning'],
  });

  test('makes and drops days, adds to sums, changes and forgets', async () => {
    const { url, serving } = await openTwoRoles(roles);
    expect(await readRights(url, roles)).toEqual([{ makes: false }]);
    const first = await openStore({ url: serving, dir: await makeFolder(), retentionDays: 100 });
    const records = [0, -5, -40].map((days) => makeRecord(Date.now() + days * DAY_MS));
    for (const [turn, record] of records.entries())
      await first.generations.append(record, toTurns(9)[turn + 6] ?? null);
    const [today, recent] = [records[0] ?? makeRecord(), records[1] ?? makeRecord()];
    expect(await first.generations.count()).toBe(3);
    await first.generations.update({ ...today, costNanoUsd: 5 });
    expect(await first.generations.deleteContent(recent.generation.id)).toBe(true);
    await first.entries?.put('a', 'b', 60_000);
    expect(await first.entries?.take('a')).toBe('b');
    expect(await first.budgetSlices?.renew()).toBe(false);
    const budget = { kind: 'key', spenderId: 'k', since: null, includesByok: false } as const;
    const request = { budget, limitNanoUsd: 100, keepNanoUsd: 0, needNanoUsd: 10, wantNanoUsd: 50, recalls: true };
    expect(await first.budgetSlices?.take(request)).toMatchObject({ sliceNanoUsd: 50 });
    const countWaiting = () => runStatement(url, 'select count(*)::int as n from gateway.generation_changes');
    await expect.poll(countWaiting).toEqual([{ n: 0 }]);
    await first.close();

    const second = await openStore({ url: serving, retentionDays: 30 });
    await expect.poll(() => second.generations.count()).toBe(2);
    expect(await readWritten(url)).toMatchObject({ generations: 2, contents: 1 });
    const listDays = () =>
      runStatement(url, `select distinct day = (now() at time zone 'utc')::date as today from gateway.content_blocks`);
    await expect.poll(listDays).toEqual([{ today: true }]);
    expect(JSON.stringify(await second.generations.getContent(today.generation.id))).toBe(
      JSON.stringify(toTurns(9)[6]),
    );
    const [server] = await runStatement(url, 'select identity from gateway.servers');
    expect(server).toEqual({ identity: expect.stringMatching(/^\d+\/[\dA-F]{8}$/) as string });
    expect([...first.said, ...second.said]).toEqual([]);
  });
});
