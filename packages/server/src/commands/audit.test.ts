import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { type AuditRecord, createGateway, type Gateway } from '@model-gateway/core';
import { createJsonFileStore, createNodePlatform } from '@model-gateway/node';
import { expect, onTestFinished, test, vi } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyIn } from '../open/find-store.ts';
import { exportAudit, parseAudit, verifyAudit } from './audit.ts';

const KEY = 'sk-test-management';

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-audit-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function send(gateway: Gateway, method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await gateway.handle({
    method,
    path,
    query: '',
    headers: { authorization: `Bearer ${KEY}` },
    baseUrl: 'https://gateway.example',
    signal: new AbortController().signal,
    ...bodyOf(JSON.stringify(body)),
  });
  expect(response.status).toBeLessThan(300);
  return jsonOf(response);
}

/** What a command prints, and the status that it exits with. */
async function run(command: () => Promise<void>): Promise<{ text: string; code: unknown }> {
  const texts: string[] = [];
  const note = (text: unknown): boolean => texts.push(String(text)) > 0;
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(note);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation(note);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command();
    return { text: texts.join(''), code: process.exitCode };
  } finally {
    process.exitCode = before;
    out.mockRestore();
    err.mockRestore();
  }
}

const verify = (dir: string, contains?: string) =>
  run(() => verifyAudit({ dataDir: dir, config: undefined, contains }));

/** Random changes of keys, members, guardrails, budgets and settings, by the API. */
async function change(gateway: Gateway, count: number): Promise<void> {
  const { data } = await send(gateway, 'POST', '/api/v1/keys', { name: 'k' });
  const { hash } = data as { hash: string };
  await send(gateway, 'POST', '/admin/v1/members', { user_id: 'mo' });
  const made = await send(gateway, 'POST', '/api/v1/guardrails', { name: 'g' });
  const { id } = made['data'] as { id: string };
  const changes = [
    () => send(gateway, 'PATCH', `/api/v1/keys/${hash}`, { limit: Math.ceil(Math.random() * 1e6) }),
    () => send(gateway, 'PATCH', '/admin/v1/members/mo', { name: `Mo ${Math.random()}` }),
    () => send(gateway, 'PATCH', `/api/v1/guardrails/${id}`, { limit_usd: Math.ceil(Math.random() * 1e6) }),
    () => send(gateway, 'PUT', '/api/v1/workspaces/default/budgets/daily', { limit_usd: 1 + Math.random() }),
    () => send(gateway, 'PATCH', '/admin/v1/settings', { credits_usd: Math.random() * 1000 }),
  ];
  for (let at = 3; at < count; at += 1) await changes[Math.floor(Math.random() * changes.length)]?.();
}

test('after 1,000 random changes the check names the one record that was edited on disk', async () => {
  const dir = makeDir();
  const store = await createJsonFileStore({ dir });
  const gateway = createGateway({
    store,
    providers: [],
    platform: createNodePlatform(),
    bootstrapKeys: [{ key: KEY, kind: 'management', name: 'admin' }],
  });
  await change(gateway, 1000);
  const day = new Date().toISOString().slice(0, 10);
  // Beside the gateway, which still runs.
  const whole = await verify(dir);
  expect(whole).toMatchObject({ text: expect.stringMatching(/^The audit log is whole: 1000 records, 1 to 1000\.$/m) });
  expect(whole.code).toBe(undefined);
  await gateway.close();
  await store.close();
  const path = join(dir, 'logs', `audit-${day}.ndjson`);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const at = 3 + Math.floor(Math.random() * 990);
  const { record } = JSON.parse(lines[at] ?? '') as { record: AuditRecord };
  lines[at] = (lines[at] ?? '').replace('"name":"admin"', '"name":"someone"');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { text, code } = await verify(dir);
  expect(code).toBe(1);
  expect(text).toContain(`Record ${at + 1} (${record.id}, ${record.at})`);
  expect(text).toContain(`line ${at + 1}: it was changed`);
}, 60_000);

test('a log that was cut off at its end is noticed by a hash that was kept', async () => {
  const dir = makeDir();
  const named = { store: { type: 'json', dir } } as const;
  for (const name of ['one', 'two', 'three']) await createKeyIn(named, { name, kind: 'api', limitUsd: null });
  const { text } = await verify(dir);
  const hash = /Last hash: (\w+)/.exec(text)?.[1] ?? '';
  expect((await verify(dir, hash)).code).toBe(undefined);
  const path = join(dir, 'logs', `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, `${lines.slice(0, 2).join('\n')}\n`);
  expect((await verify(dir)).code).toBe(undefined);
  expect(await verify(dir, hash)).toMatchObject({ code: 1, text: expect.stringContaining(`No record has the hash`) });
});

test('a key that a command makes is recorded with the user of the system', async () => {
  const dir = makeDir();
  const key = await createKeyIn({ store: { type: 'json', dir } }, { name: 'by hand', kind: 'api', limitUsd: 5 });
  const { text } = await run(() => exportAudit({ dataDir: dir, config: undefined, format: 'ndjson' }));
  expect(JSON.parse(text)).toMatchObject({
    action: 'key.create',
    actor: { kind: 'cli', name: expect.any(String) },
    target: { name: 'by hand' },
    after: { limitUsd: 5 },
  });
  expect(text).not.toContain(key);
  const csv = await run(() => exportAudit({ dataDir: dir, config: undefined, format: 'csv' }));
  expect(csv.text.split('\r\n')).toHaveLength(3);
});

test('a directory that does not exist is no log without a fault', async () => {
  const gone = join(makeDir(), 'gone');
  const message = `There is no data directory ${gone}. Name that of the gateway with --data-dir or --config.`;
  await expect(verify(gone)).rejects.toThrow(message);
  await expect(exportAudit({ dataDir: gone, config: undefined, format: 'csv' })).rejects.toThrow(message);
});

test.each([
  [[], /Missing what to do/],
  [['verfy'], /There is no "audit verfy"\. Did you mean "verify"\?/],
  [['verify', '--contains', 'x'], /64 hexadecimal digits/],
  [['export', '--format', 'xml'], /ndjson or csv, not "xml"/],
])('the arguments %j are refused with what to do', (args, message) => {
  expect(() => parseAudit(args)).toThrow(message);
});
