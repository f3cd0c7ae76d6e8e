import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY, UPSTREAM_KEY } from '../support/gateways/test-gateway.ts';
import { freePort } from '../support/test-run/free-port.ts';
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
  },
);
