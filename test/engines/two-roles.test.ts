import { readFileSync } from 'node:fs';

import { durableStoreCases, storeCases } from '@model-gateway/core/testing';
import { createPostgresStore, migrateDatabase } from '@model-gateway/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';

import { toTurns } from '../support/stores/generation-records.ts';
import { testStoreCases } from '../support/stores/test-store-cases.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';

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

/** A database that one role owns and migrates, and another one, which may make nothing, serves. */
async function openTwoRoles() {
  const url = await openDatabase();
  const name = new URL(url).pathname.slice(1);
  const [owner, serving] = [`owner_${name.slice(-12)}`, `serves_${name.slice(-12)}`];
  const as = (username: string): string => Object.assign(new URL(url), { username, password: 'x' }).href;
  for (const role of [owner, serving]) await runStatement(url, `create role ${role} login password 'x'`);
  onTestFinished(async () => {
    for (const role of [owner, serving]) await runStatement(url, `drop owned by ${role} cascade; drop role ${role}`);
  });
  await runStatement(url, `revoke all on database ${name} from public; revoke all on schema public from public`);
  await runStatement(url, `grant connect on database ${name} to ${owner}, ${serving}`);
  await runStatement(url, `create schema gateway authorization ${owner}`);
  await migrateDatabase({ url: as(owner) });
  await runStatement(as(owner), readGrants().replaceAll('gateway_serve', serving));
  const rights = await runStatement(
    url,
    `select has_database_privilege('${serving}', '${name}', 'create') or
       has_database_privilege('${serving}', '${name}', 'temporary') or
       has_schema_privilege('${serving}', 'gateway', 'create') or
       has_schema_privilege('${serving}', 'public', 'create') as makes`,
  );
  return { url, serving: as(serving), rights };
}

describe.skipIf(missingPostgres)('The PostgreSQL store as a role that may make nothing', () => {
  testStoreCases(cases, {
    async createPlace() {
      const { serving } = await openTwoRoles();
      return { open: () => createPostgresStore({ url: serving, retentionDays: 100_000 }) };
    },
    lacks: ['generations.noteRunning'],
  });

  test('makes and drops days, adds to sums, changes and forgets', async () => {
    const { url, serving, rights } = await openTwoRoles();
    expect(rights).toEqual([{ makes: false }]);
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
