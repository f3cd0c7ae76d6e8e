import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN = fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const FIXTURES_PACKAGE = fileURLToPath(new URL('../../packages/fixtures/package.json', import.meta.url));

let dir: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fixtures-commands-'));
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  rmSync(dir, { recursive: true });
});

/** Starts the command; resolves with the line that it prints when it listens. */
const start = async (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  closers.push(() => child.kill('SIGKILL'));
  const output = { stderr: '' };
  child.stderr.on('data', (data) => (output.stderr += String(data)));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { api, apiKey = '' } = JSON.parse(line.toString()) as { api: string; apiKey?: string };
  const stop = async (): Promise<unknown> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    return (await ended)[0] as unknown;
  };
  return { api, apiKey, output, stop };
};

const ask = (api: string, apiKey: string, body: object): Promise<Response> =>
  fetch(`${api}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

const runToEnd = async (args: readonly string[]) =>
  promisify(execFile)(process.execPath, [BIN, ...args], { cwd: dir, env: {} }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

test('replay answers any client, prints its address and key, and says what no recording answers', async () => {
  const { api, apiKey, output, stop } = await start(['replay', '--dir', FIXTURES, '--port', '0']);
  const body = JSON.stringify({
    model: 'openai/gpt-5-mini',
    stream: true,
    messages: [{ role: 'user', content: 'Count from one to five in words.' }],
  });
  const curl = ['-sS', '-N', `${api}/chat/completions`, '-H', `authorization: Bearer ${apiKey}`, '-d', body];
  const { stdout } = await promisify(execFile)('curl', [...curl, '-H', 'content-type: application/json']);
  const content = stdout.split('\n').flatMap((line) => /"content":"([^"]*)"/.exec(line)?.[1] ?? []);
  expect(content.join('')).toBe('One, two, three, four, five.');
  expect(stdout.trimEnd()).toMatch(/data: \[DONE\]$/);
  const messages = [{ role: 'user', content: 'Count from one to six in words.' }];
  const miss = await ask(api, apiKey, { model: 'openai/gpt-5-mini', stream: true, messages });
  expect(miss.status).toBe(404);
  await expect.poll(() => output.stderr).toContain('openai/chat-completions/synthetic-stream');
  expect(await stop()).toBe(0);
});

test('replay tells of a directory that holds no recordings, and ends', async () => {
  const { code, stderr } = await runToEnd(['replay', '--dir', 'nowhere']);
  expect(code).toBe(1);
  expect(stderr).toContain('nowhere: is not a directory that can be read');
});

test.each(['upstream', 'edge'])('serve --record writes down what is answered at the %s, for replay', async (place) => {
  const upstream = await startScriptedUpstream();
  closers.push(() => upstream.close());
  const key = 'sk-canary-serve-0123456789';
  const config = {
    auth: { bootstrapKeys: [{ key, kind: 'api', name: 'test' }] },
    store: { type: 'memory' },
    providers: [{ slug: 'acme', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: key }],
    models: [{ id: 'maker/one', endpoints: [{ provider: 'acme', providerModel: 'gpt-4o-mini' }] }],
  };
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  const args = ['--config', 'config.json', '--record', 'recorded', '--record-at', place];
  const serving = await start(['serve', '--port', '0', ...args]);
  const request = { model: 'maker/one', messages: [{ role: 'user', content: 'Hello!' }] };
  const texts = [];
  for (const stream of [false, true]) texts.push(await (await ask(serving.api, key, { ...request, stream })).text());
  expect(await serving.stop()).toBe(0);
  expect(readdirSync(join(dir, 'recorded'))).toEqual([place === 'edge' ? '_edge' : 'acme']);
  const written = readdirSync(join(dir, 'recorded'), { recursive: true, encoding: 'utf8' });
  const [meta = ''] = written.filter((name) => name.endsWith('meta.json'));
  const { version } = readJson(FIXTURES_PACKAGE);
  expect(readJson(join(dir, 'recorded', meta))).toMatchObject({ versions: { 'model-gateway': version } });

  const replaying = await start(['replay', '--dir', 'recorded', '--key', 'sk-mine']);
  const clean = (text = ''): string => (place === 'edge' ? text : text.replace(/"(id|created)":("[^"]*"|\d+)/g, ''));
  for (const [index, stream] of [false, true].entries()) {
    const response = await ask(replaying.api, 'sk-mine', { ...request, stream });
    expect(clean(await response.text())).toBe(clean(texts[index]));
  }
  expect(upstream.calls).toHaveLength(2);
});

test('fixtures lint and check find nothing in the set that is shipped', async () => {
  for (const action of ['lint', 'check']) {
    expect(await runToEnd(['fixtures', action, '--dir', FIXTURES])).toMatchObject({ code: 0, stdout: '' });
  }
});

test('fixtures lint and check end with 1 and a line for each thing they find', async () => {
  const from = join(FIXTURES, 'openai', 'chat-completions', 'synthetic-text');
  const folder = join(dir, 'fixtures', 'openai', 'chat-completions', 'synthetic-text');
  mkdirSync(folder, { recursive: true });
  cpSync(from, folder, { recursive: true });
  cpSync(folder, join(folder, '..', 'synthetic-twin'), { recursive: true });
  writeFileSync(join(folder, 'response.json'), '{"id":1}');
  expect(await runToEnd(['fixtures', 'lint'])).toMatchObject({
    code: 1,
    stdout:
      'openai/chat-completions/synthetic-twin: is shadowed: openai/chat-completions/synthetic-text answers its request\n',
  });
  const { code, stdout } = await runToEnd(['fixtures', 'check']);
  expect([code, existsSync(folder)]).toEqual([1, true]);
  expect(stdout).toMatch(/^openai\/chat-completions\/synthetic-text: this version has moved: id: /);
});

test('fixtures save makes a case of a stored generation, which answers the same', async () => {
  const demo = await start(['serve', '--demo', '--port', '0', '--data-dir', 'data']);
  const key = 'sk-gw-v1-demo';
  const request = { model: 'demo/chat', messages: [{ role: 'user', content: 'Tell me a joke' }] };
  const first = (await (await ask(demo.api, key, request)).json()) as {
    id: string;
    choices: { message: { content: string } }[];
  };
  const args = ['--id', first.id, '--key', key, '--api', demo.api, '--dir', 'saved'];
  const { code, stdout } = await runToEnd(['fixtures', 'save', ...args]);
  expect([code, stdout.trim()]).toEqual([0, join('saved', '_edge', 'chat-completions', `synthetic-${first.id}`)]);
  expect(await runToEnd(['fixtures', 'lint', '--dir', 'saved'])).toMatchObject({ code: 0 });

  const replaying = await start(['replay', '--dir', 'saved', '--key', 'sk-mine']);
  const again = (await (await ask(replaying.api, 'sk-mine', { ...request, temperature: 0 })).json()) as typeof first;
  expect(again.id).toBe(first.id);
  const { content } = again.choices[0]?.message ?? {};
  expect(content).toBe(first.choices[0]?.message.content);
  const stream = await (await ask(replaying.api, 'sk-mine', { ...request, stream: true })).text();
  const said = stream.split('\n').flatMap((line) => /"content":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? []);
  expect(said.map((text) => JSON.parse(text) as string).join('')).toBe(content);
  const unknown = await runToEnd(['fixtures', 'save', ...args.with(1, 'gen-none')]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('(status 404)') as string });
});
