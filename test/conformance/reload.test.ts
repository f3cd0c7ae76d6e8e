import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';

const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const KEY = 'sk-test-api-key-0123456789';

const toChunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** An upstream whose streams begin at once and end when `end` is called. */
async function startUpstream(name: string) {
  const open = new Set<ServerResponse>();
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    keys.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toChunk({ role: 'assistant', content: `${name} begins ` }));
    open.add(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    open: () => open.size,
    keys,
    end() {
      for (const response of open) response.end(`${toChunk({ content: 'and ends' }, 'stop')}data: [DONE]\n\n`);
      open.clear();
    },
  };
}

/** A real gateway, with the config file that it reads. */
async function startGateway(config: object) {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'gateway.json');
  const toText = (content: object): string =>
    JSON.stringify({ auth: { bootstrapKeys: [{ key: KEY, kind: 'api', name: 'dev' }] }, ...content });
  writeFileSync(file, toText(config));
  const args = [BIN, 'serve', '--port', '0', '--config', file, '--data-dir', join(folder, 'data')];
  const child: ChildProcess = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endProcess(child));
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [line] = (await once(child.stdout?.setEncoding('utf8') ?? child, 'data')) as [string];
  const { api } = JSON.parse(line) as { api: string };
  return {
    child,
    folder,
    log: () => log,
    write: (content: object | string) => writeFileSync(file, typeof content === 'string' ? content : toText(content)),
    /** As editors and mounts do it. */
    replace(content: object) {
      writeFileSync(`${file}.new`, toText(content));
      renameSync(`${file}.new`, file);
    },
    chat: (model: string) =>
      fetch(`${api}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      }),
  };
}

const setupOf = (name: string, baseUrl: string) => ({
  providers: [{ slug: name, wire: 'openai', baseUrl, apiKey: 'sk-up-0123456789' }],
  models: [{ id: `test/${name}`, endpoints: [{ provider: name, providerModel: 'm' }] }],
});

const WAITING = { timeout: 10_000 };

test('SIGHUP puts another provider into force, and 200 open streams end at the one they began with', async () => {
  const [former, later] = [await startUpstream('former'), await startUpstream('later')];
  const gateway = await startGateway(setupOf('former', former.baseUrl));
  const streams = await Promise.all(Array.from({ length: 200 }, () => gateway.chat('test/former')));
  const texts = streams.map((response) => response.text());
  await expect.poll(former.open, WAITING).toBe(200);

  gateway.write(setupOf('later', later.baseUrl));
  gateway.child.kill('SIGHUP');
  await expect.poll(gateway.log, WAITING).toContain('the configuration was reloaded');
  expect((await gateway.chat('test/former')).status).toBe(400);
  const begun = await gateway.chat('test/later');
  expect(begun.status).toBe(200);

  former.end();
  for (const text of await Promise.all(texts)) {
    expect(text).toContain('former begins ');
    expect(text).toContain('and ends');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  }
  later.end();
  expect(await begun.text()).toContain('later begins ');
});

test('a file that is replaced comes into force by itself, and a broken one changes nothing', async () => {
  const [former, later] = [await startUpstream('former'), await startUpstream('later')];
  const gateway = await startGateway(setupOf('former', former.baseUrl));
  gateway.write('{ "providers": [');
  await expect.poll(gateway.log, WAITING).toContain('the previous one remains in effect');
  expect(gateway.log()).toMatch(/gateway\.json has an error/);
  const response = await gateway.chat('test/former');
  expect(response.status).toBe(200);
  former.end();
  await response.text();

  gateway.replace(setupOf('later', later.baseUrl));
  await expect.poll(gateway.log, WAITING).toContain('the configuration was reloaded');
  const begun = await gateway.chat('test/later');
  expect(begun.status).toBe(200);
  later.end();
  expect(await begun.text()).toContain('later begins ');
});

test('a key in a file is sent as the content of the file, and SIGHUP reads it again', async () => {
  const upstream = await startUpstream('up');
  const { providers, models } = setupOf('up', upstream.baseUrl);
  const gateway = await startGateway({ providers: [], models: [] });
  const secret = join(gateway.folder, 'up-key');
  writeFileSync(secret, 'sk-first-0123456789\n');
  gateway.write({ providers: [{ ...providers[0], apiKey: 'file:up-key' }], models });
  await expect.poll(gateway.log, WAITING).toContain('the configuration was reloaded');
  const first = await gateway.chat('test/up');
  writeFileSync(secret, 'sk-second-0123456789\n');
  gateway.child.kill('SIGHUP');
  await expect.poll(gateway.log, WAITING).toContain('"cause":"SIGHUP","changed":["providers"]');
  const second = await gateway.chat('test/up');
  upstream.end();
  await Promise.all([first.text(), second.text()]);
  expect(upstream.keys).toEqual(['Bearer sk-first-0123456789', 'Bearer sk-second-0123456789']);
  expect(gateway.log()).not.toMatch(/sk-(first|second)-/);
});
