import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startComposed } from '../../../../test/support/gateways/start-composed.ts';
import { startRawUpstream, toRawResponse } from '../../../../test/support/upstreams/raw-upstream.ts';
import { examine } from './doctor.ts';

const KEY = 'sk-secret-of-the-provider-1234';
const HEADER = 'secret-of-a-header-5678';
const MANAGEMENT_KEY = 'sk-management-of-the-test';

/** A data directory in which these providers were set up, beside a gateway that runs there. */
async function setUp(providers: readonly object[]) {
  const dir = mkdtempSync(join(tmpdir(), 'doctor-stored-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const bootstrapKeys = [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }];
  const { apiUrl } = await startComposed({ store: { type: 'json', dir }, auth: { bootstrapKeys } });
  const base = apiUrl.replace('/api/v1', '/admin/v1');
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  for (const provider of providers) {
    const made = await fetch(`${base}/setup/providers`, { method: 'POST', headers, body: JSON.stringify(provider) });
    expect(made.status).toBe(201);
  }
  return { dir, base, headers };
}

async function runDoctor(dataDir: string, env: Record<string, string> = {}) {
  let text = '';
  const { report } = await examine({ config: undefined, dataDir, call: false }, env, (piece) => (text += piece));
  const isWell = report.ok;
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(HEADER);
  return { isWell, text };
}

const startUpstream = () =>
  startRawUpstream(({ head, socket }) => {
    const isRight = head.includes(`Bearer ${KEY}`);
    socket.end(toRawResponse(isRight ? 200 : 401, isRight ? { data: [{ id: 'small-1' }] } : { error: {} }));
  });

test('providers that were set up are looked at, with their keys, while the gateway runs', async () => {
  const { baseUrl } = await startUpstream();
  const up = { slug: 'up', wire: 'openai', baseUrl, apiKey: KEY };
  const { dir } = await setUp([
    up,
    { ...up, slug: 'wrong', apiKey: 'sk-wrong-0001' },
    { ...up, slug: 'off', enabled: false },
  ]);
  const { isWell, text } = await runDoctor(dir);
  expect(isWell).toBe(false);
  expect(text).toContain('1 models listed with the key');
  expect(text).toMatch(/wrong .*[^]*refused \(HTTP 401\)\n +The key is wrong, was revoked/);
  expect(text).toContain('It is disabled.');
  expect(text).toContain('3 providers: 1 cannot be used.');
});

test('a key that cannot be opened is told with what is missing', async () => {
  const { baseUrl } = await startUpstream();
  const { dir } = await setUp([{ slug: 'up', wire: 'openai', baseUrl, apiKey: KEY }]);
  rmSync(join(dir, 'secrets.key'));
  const missing = await runDoctor(dir);
  expect(missing.isWell).toBe(false);
  expect(missing.text).toMatch(
    /FAIL {2}Its key cannot be opened: GATEWAY_SECRETS_KEY is not set, and there is no .*secrets\.key/,
  );
  expect(missing.text).toContain('restore secrets.key');
  const broken = await runDoctor(dir, { GATEWAY_SECRETS_KEY: 'short' });
  expect(broken.text).toContain('GATEWAY_SECRETS_KEY must be 32 random bytes');
  const other = await runDoctor(dir, { GATEWAY_SECRETS_KEY: Buffer.alloc(32, 8).toString('hex') });
  expect(other.text).toContain('it was sealed with another key');
});

test('no file of the data directory but its key, no export and no list holds a secret of a provider', async () => {
  const { baseUrl } = await startUpstream();
  const { dir, base, headers } = await setUp([
    { slug: 'up', wire: 'openai', baseUrl, apiKey: KEY, headers: { 'X-Team': HEADER }, discoverModels: true },
  ]);
  const change = { name: 'Up again' };
  await fetch(`${base}/setup/providers/up`, { method: 'PATCH', headers, body: JSON.stringify(change) });
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['config.json', 'config.previous.json']));
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  for (const path of ['/setup/providers', '/generations/export?format=ndjson', '/generations/export?format=csv']) {
    texts.push(await (await fetch(base + path, { headers })).text());
  }
  for (const secret of [KEY, HEADER, Buffer.from(KEY).toString('base64')]) {
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  }
});
