import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startRawUpstream, toRawResponse } from '../../../../test/support/upstreams/raw-upstream.ts';
import { examine } from './doctor.ts';

const KEY = 'sk-secret-of-the-provider-4711';

/** The lines that the doctor prints of a provider whose server responds with these headers. */
async function run(
  fields: Readonly<Record<string, unknown>>,
  { headers = {}, env = {} }: { headers?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'findings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key.txt'), `${KEY}\n`);
  const list = toRawResponse(200, { data: [{ id: 'a' }] }, headers);
  const { baseUrl } = await startRawUpstream(({ socket }) => void socket.end(list));
  const config = join(folder, 'gateway.config.json');
  writeFileSync(config, JSON.stringify({ providers: [{ slug: 'up', wire: 'openai', baseUrl, ...fields }] }));
  let text = '';
  await examine({ config, dataDir: undefined, call: false }, env, (piece) => (text += piece));
  expect(text).not.toContain(KEY);
  return text.replaceAll(/ {2,}/g, ' ');
}

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ['a variable', { apiKey: 'env:MY_KEY' }, { MY_KEY: KEY }, 'ok key in the variable MY_KEY'],
  ['a file', { apiKey: 'file:key.txt' }, {}, 'ok key in the file key.txt'],
  ['the config file', { apiKey: KEY }, {}, 'ok key in the config file itself'],
  ['nowhere', {}, {}, '- key none was found'],
])('says that the key was found in %s, and never the key', async (_, fields, env, line) => {
  expect(await run(fields, { env })).toContain(line);
});

test('tells the region, the number of models, and the limits that the server states', async () => {
  const headers = { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '59' };
  const text = await run({ apiKey: KEY, region: 'eu' }, { headers });
  expect(text).toContain('ok region eu, by the configuration');
  expect(text).toContain('ok auth 1 models listed with the key');
  expect(text).toContain('ok limits x-ratelimit-limit-requests: 60, x-ratelimit-remaining-requests: 59');
});

test('warns of a limit that is used up', async () => {
  const text = await run({ apiKey: KEY }, { headers: { 'anthropic-ratelimit-requests-remaining': '0' } });
  expect(text).toMatch(/warn limits anthropic-ratelimit-requests-remaining: 0\n.*is used up/);
});

test('compares the clocks by the date of a response', async () => {
  const dateIn = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() });
  expect(await run({ apiKey: KEY }, { headers: dateIn(0) })).toMatch(/ok clock within \d+ s of the server’s/);
  expect(await run({ apiKey: KEY }, { headers: dateIn(-600_000) })).toMatch(/warn clock \d+ s ahead of the server’s/);
  expect(await run({ apiKey: KEY }, { headers: dateIn(600_000) })).toMatch(/warn clock \d+ s behind the server’s/);
});
