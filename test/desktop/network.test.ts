import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY, UPSTREAM_KEY } from '../support/gateways/test-gateway.ts';
import { freePort } from '../support/test-run/free-port.ts';
import { type RawRequest, respondWell, startRawUpstream, toWhole } from '../support/upstreams/raw-upstream.ts';
import { launchApp, skipped } from './desktop-app.ts';

/** The proxy of a company: everything that leaves the machine comes by here. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'text',
        choices: [{ index: 0, message: { role: 'assistant', content: 'by proxy' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** An upstream like others: it keeps a connection unless it is asked not to. */
function respondAndKeep(request: RawRequest): void {
  respondWell(request);
  if (/^connection: close$/im.test(request.head)) request.socket.end();
}

/**
 * Starts an upstream that speaks HTTP/2 with whoever can, and responds to the first request of each connection. A
 * connection with a second request is closed without a byte for it. Returns the connection of each request, from 0.
 */
async function startHttp2Upstream() {
  const pem = (name: string) => readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url));
  const requests: number[] = [];
  const sessions: ServerHttp2Session[] = [];
  const connections: object[] = [];
  const server = createSecureServer({ allowHTTP1: true, cert: pem('good'), key: pem('good.key') });
  server.on('session', (session) => void sessions.push(session));
  server.on('request', ({ stream, socket, httpVersionMajor }, response) => {
    const connection = httpVersionMajor === 2 ? (stream.session ?? {}) : socket;
    if (!connections.includes(connection)) connections.push(connection);
    const number = connections.indexOf(connection);
    const isSecond = requests.includes(number);
    requests.push(number);
    if (isSecond) return void (httpVersionMajor === 2 ? stream.session : socket)?.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(toWhole('Hello')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { requests, baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Starts the app over an upstream, and returns how to call it. */
async function startCaller(baseUrl: string, switches: readonly string[] = []) {
  const port = await freePort();
  const { until } = await launchApp({ port, config: toScriptedConfig({ baseUrl }), switches });
  await until(({ state }) => state.phase === 'listening');
  const headers = { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };
  const at = `http://127.0.0.1:${port}/api/v1`;
  return {
    ask: () =>
      fetch(`${at}/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'test/text', messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    async attemptsOf(response: Response): Promise<unknown> {
      const found = await fetch(`${at}/generation?id=${response.headers.get('x-generation-id')}`, { headers });
      const { data } = (await found.json()) as { data: { provider_responses: unknown } };
      return data.provider_responses;
    },
  };
}

describe.skipIf(skipped !== undefined)(
  `the network${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('is reached by the system’s proxy, and by no other program without a setting', async () => {
      const proxy = await startProxy();
      const port = await freePort();
      const config = toScriptedConfig({ baseUrl: 'http://provider.example/v1' });
      const { page, until } = await launchApp({ port, config, switches: [`--proxy-server=${proxy.url}`] });
      await until(({ state }) => state.phase === 'listening');
      await page.getByRole('main').getByRole('heading').first().waitFor();
      expect(proxy.asked).toEqual([]);
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/text', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect(await response.text()).toContain('by proxy');
      expect(proxy.asked).toEqual([`POST http://provider.example/v1/chat/completions Bearer ${UPSTREAM_KEY}`]);
    });

    test('sends a call once: a connection that closes without a byte is an attempt, on record', async () => {
      const upstream = await startRawUpstream((request, { requests }) => {
        if (requests.length === 2) request.socket.destroy();
        else respondAndKeep(request);
      });
      const { ask, attemptsOf } = await startCaller(upstream.baseUrl);
      expect((await ask()).status).toBe(200);
      const second = await ask();
      expect([second.status, await attemptsOf(second)]).toEqual([502, [expect.objectContaining({ status: null })]]);
      expect((await ask()).status).toBe(200);
      expect(upstream.requests.map(({ connection }) => connection)).toEqual([0, 1, 2]);
    });

    test('sends a call once to a provider that speaks HTTP/2 as well, when that is switched off', async () => {
      const upstream = await startHttp2Upstream();
      const { ask } = await startCaller(upstream.baseUrl, ['--disable-http2', '--ignore-certificate-errors']);
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
      expect(upstream.requests).toEqual([0, 1]);
    });
  },
);
