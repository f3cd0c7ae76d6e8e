import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, afterEach, expect, test } from 'vitest';

import { quote } from '../../packages/server/src/process/own-command.ts';
import { createPdf } from '../support/clients/create-pdf.ts';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'server-process-'));
const children = new Set<ChildProcess>();
const servers = new Set<Server>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  children.clear();
  servers.clear();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let counter = 0;
const newPath = (name: string): string => join(folder, `${++counter}-${name}`);

const API_KEY = 'sk-test-api-key-0123456789';
const MANAGEMENT_KEY = 'sk-test-management-key-0123456789';
const UPSTREAM_KEY = 'upstream-secret-0123456789';

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly api: string;
  /** Output so far. */
  readonly output: { stdout: string; stderr: string };
  readonly exited: Promise<number | null>;
}

/** Starts the command; `env` is everything it sees of the environment, so that no key of ours gets in. */
function spawnGateway(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (output.stdout += data));
  child.stderr.on('data', (data) => (output.stderr += data));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, exited };
}

async function serve(args: readonly string[], env?: Record<string, string>): Promise<Running> {
  const { child, output, exited } = spawnGateway(['serve', '--port', '0', ...args], env);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => output.stdout.includes('\n') && resolve(output.stdout));
    void exited.then((code) => reject(new Error(`exited with ${code}: ${output.stderr}`)));
  });
  const { url, api } = JSON.parse(line) as { url: string; api: string };
  return { child, url, api, output, exited };
}

/** Resolves when stderr holds a text, which may come after the line on stdout. */
function waitForStderr({ child, output }: Running, text: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (output.stderr.includes(text)) resolve();
    };
    child.stderr?.on('data', look);
    look();
  });
}

async function runToEnd(args: readonly string[]) {
  const { output, exited } = spawnGateway(args);
  return { code: await exited, ...output };
}

async function startServer(listener: RequestListener): Promise<{ port: number }> {
  const server = createServer(listener);
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

function writeConfig(upstreamPort: number, extra: Record<string, unknown> = {}): string {
  const file = newPath('gateway.config.json');
  const config = {
    auth: {
      bootstrapKeys: [
        { key: API_KEY, kind: 'api', name: 'test' },
        { key: 'env:MANAGEMENT_KEY', kind: 'management', name: 'admin' },
      ],
    },
    providers: [{ slug: 'up', wire: 'openai', baseUrl: `http://127.0.0.1:${upstreamPort}/v1`, apiKey: UPSTREAM_KEY }],
    models: [
      {
        id: 'acme/chat-1',
        context_length: 1000,
        endpoints: [
          { provider: 'up', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } },
        ],
      },
    ],
    ...extra,
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const sendHello: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const message = { role: 'assistant', content: 'Hello' };
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'chat-1', choices, usage }));
};

function chat(
  { api }: Running,
  { key = API_KEY, model = 'acme/chat-1', stream = false, more = {} } = {},
): Promise<Response> {
  return fetch(`${api}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }], ...more }),
  });
}

const getWith = (key: string, url: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${key}` } });

async function stop({ child, exited }: Running): Promise<number | null> {
  child.kill('SIGTERM');
  return exited;
}

test('the demo says where it listens in one line, answers, and ends on SIGTERM with 0', async () => {
  const dir = newPath('data');
  const demo = await serve(['--demo', '--data-dir', dir]);
  expect(JSON.parse(demo.output.stdout)).toEqual({
    event: 'listening',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    api: `${demo.url}/api/v1`,
  });
  expect((await fetch(`${demo.url}/health`)).status).toBe(200);
  const response = await chat(demo, { key: 'sk-gw-v1-demo', model: 'demo/chat' });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { id: string };
  expect((await getWith('sk-gw-v1-demo', `${demo.api}/generation?id=${id}`)).status).toBe(200);

  const owner = join(dir, 'owner.json');
  expect(statSync(owner).mode & 0o777).toBe(0o600);
  expect(await stop(demo)).toBe(0);
  expect(existsSync(owner)).toBe(false);
  expect(demo.output.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(demo.output.stderr).toContain(dir);
});

const hasShell = spawnSync('bash', ['-c', 'command -v curl']).status === 0;

test.runIf(hasShell)('without any configuration it is the demo, whose curl lines work when pasted', async () => {
  const demo = await serve(['--data-dir', newPath('data')]);
  await waitForStderr(demo, 'Ctrl-C');
  const commands = /^curl(?:.*\\\n)*.*$/gm;
  const [send = '', read = ''] = demo.output.stderr.match(commands) ?? [];
  const paste = (text: string) => promisify(execFile)('bash', ['-c', text]);
  const completion = JSON.parse((await paste(send)).stdout);
  expect(completion.choices[0].message.content).toEqual(expect.stringMatching(/\S/));
  const record = JSON.parse((await paste(read.replace('PASTE-THE-ID-HERE', completion.id))).stdout);
  expect(record.data).toMatchObject({ id: completion.id, model: expect.stringContaining('demo/chat') });
});

test('the demo refuses an address that other machines can reach', async () => {
  const { code, stdout, stderr } = await runToEnd(['serve', '--demo', '--host', '0.0.0.0', '--port', '0']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('only on this machine');
});

test('with a config it relays to its provider, records, and finds the record again after a restart', async () => {
  const seen: unknown[] = [];
  const upstream = await startServer((request, response) => {
    seen.push(request.headers.authorization);
    sendHello(request, response);
  });
  const args = ['--config', writeConfig(upstream.port, { server: { publicUrl: 'https://public.example/ai/' } })];
  args.push('--data-dir', newPath('data'));
  const env = { MANAGEMENT_KEY };

  const first = await serve(args, env);
  const response = await chat(first);
  const body = (await response.json()) as { id: string; choices: { message: { content: string } }[] };
  expect(body.choices[0]?.message.content).toBe('Hello');
  expect(seen).toEqual([`Bearer ${UPSTREAM_KEY}`]);
  expect((await chat(first, { key: MANAGEMENT_KEY })).status).toBeGreaterThanOrEqual(401);
  expect(await stop(first)).toBe(0);

  const second = await serve(args, env);
  const content = await getWith(API_KEY, `${second.api}/generation/content?id=${body.id}`);
  expect(await content.json()).toMatchObject({ data: { output: { completion: 'Hello' } } });
  expect(await stop(second)).toBe(0);

  const lines = (first.output.stderr + second.output.stderr).trimEnd().split('\n');
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages[0]).toMatch(/prompts and completions are stored/);
  for (const secret of [API_KEY, MANAGEMENT_KEY, UPSTREAM_KEY]) expect(lines.join()).not.toContain(secret);
});

test('a PDF is read by the thread that comes with the command', async () => {
  let seen = '';
  const upstream = await startServer((request, response) => {
    request.on('data', (bytes) => (seen += String(bytes)));
    request.on('end', () => sendHello(request, response));
  });
  const args = ['--config', writeConfig(upstream.port), '--data-dir', newPath('data')];
  const gateway = await serve(args, { MANAGEMENT_KEY });
  const pdf = Buffer.from(createPdf(['Oaks grow slowly'])).toString('base64');
  const file = { filename: 'oaks.pdf', file_data: `data:application/pdf;base64,${pdf}` };
  const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
  const plugins = [{ id: 'file-parser', pdf: { engine: 'pdf-text' } }];
  expect((await chat(gateway, { more: { messages, plugins } })).status).toBe(200);
  expect(seen).toContain('Oaks grow slowly');
});

test('a taken port is refused with the process that holds it', async () => {
  const { port } = await startServer(sendHello);
  const args = ['serve', '--demo', '--port', String(port), '--data-dir', newPath('data')];
  const { code, stdout, stderr } = await runToEnd(args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`Port ${port} of 127.0.0.1 is taken.`);
  expect(stderr).toContain('--port 0');
  expect(stderr).toMatch(
    process.platform === 'linux' ? new RegExp(`used by PID ${process.pid} \\(`) : /used by|could not/,
  );
});

test('a data directory in use is refused with the PID of its owner', async () => {
  const dir = newPath('data');
  const owner = await serve(['--demo', '--data-dir', dir]);
  const { code, stderr } = await runToEnd(['serve', '--demo', '--port', '0', '--data-dir', dir]);
  expect(code).toBe(1);
  expect(stderr).toContain(String(owner.child.pid));
  expect(existsSync(join(dir, 'owner.json'))).toBe(true);
});

test('a bad config is refused with every field and its fix', async () => {
  const file = writeConfig(1, { server: { prot: 1 }, timeouts: { idleMs: '5' } });
  const { code, stdout, stderr } = await runToEnd(['serve', '--config', file]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(file);
  expect(stderr).toContain('server.prot: is not a known field. Did you mean "port"?');
  expect(stderr).toContain('timeouts.idleMs: must be a number, but is text');
  expect(stderr).toContain('auth.bootstrapKeys[1].key: the environment variable MANAGEMENT_KEY is not set');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('an unknown command and an unknown flag are refused with what there is', async () => {
  expect(await runToEnd(['sevre'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('serve  ') });
  expect(await runToEnd(['serve', '--prot', '1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--port'),
  });
  expect(await runToEnd(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage:'), stderr: '' });
  expect(await runToEnd(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('a key made beside the running owner counts at once, one made without it after the start', async () => {
  const upstream = await startServer(sendHello);
  const dir = newPath('data');
  const create = (...more: string[]) => runToEnd(['keys', 'create', '--name', 'app', '--data-dir', dir, ...more]);

  const before = await create('--limit', '5');
  expect(before).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sk-gw-v1-\S{40,}\n$/) });
  expect(before.stderr).not.toContain(before.stdout.trim());

  const gateway = await serve(['--config', writeConfig(upstream.port), '--data-dir', dir], { MANAGEMENT_KEY });
  expect((await chat(gateway, { key: before.stdout.trim() })).status).toBe(200);

  const beside = await create();
  expect(beside.code).toBe(0);
  expect((await chat(gateway, { key: beside.stdout.trim() })).status).toBe(200);
  const management = await create('--management');
  expect((await chat(gateway, { key: management.stdout.trim() })).status).toBe(403);
  expect((await getWith(management.stdout.trim(), `${gateway.api}/models`)).status).toBe(200);
  expect(await stop(gateway)).toBe(0);
  const kept = readFileSync(join(dir, 'config.json'), 'utf8');
  for (const { stdout } of [before, beside, management]) expect(kept).not.toContain(stdout.trim());
});

test('without a key it says how to make one, with its directory as a word of the shell', async () => {
  const dir = newPath("anna's data");
  const gateway = await serve(['--no-demo', '--data-dir', dir]);
  await waitForStderr(gateway, 'there are no keys yet');
  const command = `keys create --name NAME --data-dir ${quote(dir)}`;
  expect(gateway.output.stderr).toContain(JSON.stringify(command).slice(1, -1));
});

test('an owner that was killed does not stand in the way of a new key', async () => {
  const dir = newPath('data');
  const { child, exited } = await serve(['--demo', '--data-dir', dir]);
  child.kill('SIGKILL');
  await exited;
  expect(existsSync(join(dir, 'owner.json'))).toBe(true);
  const create = () => runToEnd(['keys', 'create', '--name', 'app', '--data-dir', dir]);
  const stderr = expect.stringContaining(`was created in ${dir}, where no gateway is running`) as string;
  expect(await create()).toMatchObject({ code: 0, stderr });

  // In containers every gateway has PID 1, which the process that reads it may have as well.
  const owner = JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')) as object;
  writeFileSync(join(dir, 'owner.json'), JSON.stringify({ ...owner, pid: process.pid }));
  expect(await create()).toMatchObject({ code: 0, stderr });
});

test('on SIGTERM an open stream ends within the drain limit, in a way its reader can tell', async () => {
  const upstream = await startServer((_request, response) => {
    const delta = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'begun' } }],
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(delta)}\n\n`);
  });
  const config = writeConfig(upstream.port, { timeouts: { drainMs: 100 } });
  const gateway = await serve(['--config', config, '--data-dir', newPath('data')], { MANAGEMENT_KEY });
  const response = await chat(gateway, { stream: true });
  const text = response.text();
  gateway.child.kill('SIGTERM');
  expect(await text).toMatch(/begun.*"error":.*data: \[DONE\]\s*$/s);
  expect(await gateway.exited).toBe(0);
});

test('a second signal ends it at once, with 1', async () => {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const upstream = await startServer(() => reach());
  const gateway = await serve(['--config', writeConfig(upstream.port), '--data-dir', newPath('data')], {
    MANAGEMENT_KEY,
  });
  const pending = chat(gateway).catch(() => undefined);
  await reached;
  gateway.child.kill('SIGTERM');
  await waitForStderr(gateway, 'stopping');
  gateway.child.kill('SIGTERM');
  expect(await gateway.exited).toBe(1);
  await pending;
});

test('continues when its output is not read any more', async () => {
  const gateway = await serve(['--demo', '--data-dir', newPath('data')]);
  gateway.child.stdout?.destroy();
  gateway.child.stderr?.destroy();
  expect((await chat(gateway, { key: 'sk-gw-v1-demo', model: 'no/such' })).status).toBe(400);
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  expect(await stop(gateway)).toBe(0);
});

test('keeps to the credits of the account, to the cent, also after it was killed', async () => {
  let asked = 0;
  const { port } = await startServer((request, response) => {
    asked += 1;
    sendHello(request, response);
  });
  const pricing = { prompt: '0', completion: '0', request: '0.1' };
  const config = writeConfig(port, {
    account: { creditsUsd: 0.25 },
    models: [{ id: 'acme/chat-1', endpoints: [{ provider: 'up', providerModel: 'chat-1', pricing }] }],
  });
  const args = ['--config', config, '--data-dir', newPath('data')];
  const first = await serve(args, { MANAGEMENT_KEY });
  const responses = await Promise.all(Array.from({ length: 20 }, () => chat(first)));
  const statuses = await Promise.all(responses.map((response) => response.text().then(() => response.status)));
  expect([statuses.filter((status) => status === 200).length, asked]).toEqual([2, 2]);
  expect(new Set(statuses)).toEqual(new Set([200, 402]));
  first.child.kill('SIGKILL');
  await first.exited;
  const second = await serve(args, { MANAGEMENT_KEY });
  const credits = await (await getWith(MANAGEMENT_KEY, `${second.api}/credits`)).json();
  expect(credits).toMatchObject({ data: { total_credits: 0.25, total_usage: 0.2 } });
  expect([(await chat(second)).status, asked]).toEqual([402, 2]);
});
