import { createHash } from 'node:crypto';

import { type AuditEntry, type AuditVerification, type Store, verifyChain } from '@model-gateway/core';
import { createPostgresStore } from '@model-gateway/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { runStatement } from './support/postgres-server.ts';
import { runWith, serveWell } from './support/run-command.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function openStores(count: number, now = Date.now) {
  const url = await openDatabase();
  const stores: Store[] = [];
  for (let each = 0; each < count; each += 1)
    stores.push(await createPostgresStore({ url, now, auditRetentionDays: Infinity }));
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const logs = stores.map(({ audit }) => {
    if (audit === undefined) throw new Error('There is no audit log');
    return audit;
  });
  const [first] = logs;
  if (first === undefined) throw new Error('There is no store');
  const verify = (): Promise<AuditVerification> => verifyChain(first.read(), sha256);
  return { url, logs, first, verify };
}

function toEntry(id: string, atMs = Date.now()): AuditEntry {
  return {
    id,
    at: new Date(atMs).toISOString(),
    action: 'key.update',
    actor: { kind: 'key', id: 'abc', name: 'admin', member: null, key: 'abc' },
    from: { address: '203.0.113.7', user_agent: null },
    target: { kind: 'key', id, name: id, workspace: null },
    before: null,
    after: { limitUsd: 5 },
    outcome: 'done',
    reason: null,
    count: 1,
  };
}

describe.skipIf(missingPostgres)('The audit log in PostgreSQL', () => {
  test('has one chain of what several instances append at once', async () => {
    const { logs, verify } = await openStores(3);
    await Promise.all(
      logs.flatMap((log, at) => Array.from({ length: 30 }, (_, each) => log.append([toEntry(`${at}-${each}`)]))),
    );
    expect(await verify()).toMatchObject({ count: 90, problem: null });
  });

  test('lets nobody change or delete a record', async () => {
    const { url, first, verify } = await openStores(1);
    await first.append([toEntry('a'), toEntry('b')]);
    for (const statement of [
      `update gateway.audit set row = replace(row, 'admin', 'nobody')`,
      'delete from gateway.audit where sequence = 2',
      'truncate gateway.audit',
    ])
      await expect(runStatement(url, statement)).rejects.toThrow(/cannot be changed or deleted/);
    expect(await verify()).toMatchObject({ count: 2, problem: null });
  });

  test('names what the owner of the database has changed, or has taken from its end', async () => {
    const { url, first, verify } = await openStores(1);
    await first.append(['a', 'b', 'c', 'd'].map((id) => toEntry(id)));
    await runStatement(url, 'alter table gateway.audit disable trigger all');
    await runStatement(url, 'delete from gateway.audit where sequence = 4');
    expect((await verify()).problem).toMatchObject({
      kind: 'unreadable',
      place: 'gateway.audit, sequence 4 to 4, which are missing',
    });
    await runStatement(url, `update gateway.audit set row = replace(row, 'admin', 'nobody') where sequence = 2`);
    expect((await verify()).problem).toMatchObject({ kind: 'changed', id: 'b', place: 'gateway.audit, sequence 2' });
  });

  test('can be checked after old records are dropped', async () => {
    const { first, verify } = await openStores(1);
    const old = Date.now() - 10 * DAY_MS;
    await first.append([toEntry('a', old), toEntry('b', old), toEntry('c')]);
    expect(await first.dropBefore(Date.now() - DAY_MS)).toBe(2);
    expect(await first.dropBefore(Date.now() - DAY_MS)).toBe(0);
    expect(await verify()).toMatchObject({ count: 2, first: { sequence: 3 }, problem: null });
    const { records } = await first.page({ filter: {}, limit: 10 });
    expect(records).toMatchObject([{ action: 'audit.drop', after: { through: 2 } }, { id: 'c' }]);
  });

  test('drops very many records in steps, between which others write and all can be checked', async () => {
    const { logs, first, verify } = await openStores(2);
    const old = Date.now() - 10 * DAY_MS;
    for (let from = 0; from < 11_000; from += 1000)
      await first.append(Array.from({ length: 1000 }, (_, each) => toEntry(`${from + each}`, old)));
    await first.append([toEntry('new')]);
    const dropping = first.dropBefore(Date.now() - DAY_MS);
    await logs[1]?.append([toEntry('meanwhile')]);
    expect(await dropping).toBe(11_000);
    expect(await verify()).toMatchObject({ first: { sequence: 11_001 }, problem: null });
    const { records } = await first.page({ filter: {}, limit: 10 });
    expect(records.filter(({ action }) => action === 'audit.drop').map(({ after }) => after)).toMatchObject([
      { through: 11_000 },
      { through: 10_000 },
      { through: 5000 },
    ]);
  });

  test('is checked and printed by the command beside a gateway, which has noted its configuration', async () => {
    const database = await openDatabase();
    const config = toClusterConfig(await openUpstream(), { database });
    await runWith(config, ['keys', 'create', '--name', 'early']);
    await serveWell(config);
    await expect.poll(async () => (await runWith(config, ['audit', 'export'])).stdout).toContain('config.change');
    const { stdout } = await runWith(config, ['audit', 'export', '--format', 'csv']);
    expect(stdout).toMatch(/^1,[^,]+,key\.create,done,/m);
    const good = await runWith(config, ['audit', 'verify']);
    expect(good.stdout).toMatch(/^The audit log is whole: 2 records, 1 to 2\.$/m);
    await runStatement(database, 'alter table gateway.audit disable trigger all');
    await runStatement(database, `update gateway.audit set row = replace(row, 'early', 'other') where sequence = 1`);
    expect(await runWith(config, ['audit', 'verify'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Record 1 .*gateway\.audit, sequence 1: it was changed/),
    });
  });
});
