import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { expect, onTestFinished, test } from 'vitest';

import { startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';

const KEY = 'sk-test-api-key-0123456789';
const MIB = 1024 * 1024;
const BOMB = gzipSync(Buffer.alloc(65 * MIB, 'x'));

/** Starts a server whose every response is a bomb, with this status. Returns its port. */
async function startBomber(status: number): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(BOMB);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts the command with a model at this port. */
async function serve(port: number): Promise<{ readonly url: string; peakBytes(): number }> {
  const config = writeTestConfig({
    auth: { bootstrapKeys: [{ key: KEY }] },
    store: { type: 'memory' },
    providers: [{ slug: 'up', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key-of-up' }],
    models: [{ id: 'test/bomb', endpoints: [{ provider: 'up', providerModel: 'bomb' }] }],
  });
  const { url, pid } = await startCommand(config);
  return {
    url,
    peakBytes() {
      const [, kib = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kib) * 1024;
    },
  };
}

test.skipIf(!existsSync('/proc/self/status')).each([
  ['completion', 200, 502],
  ['error', 400, 400],
])(
  '46: ten bombs of 65 MiB at a time, each as %s, cost the process less than two of them do',
  async (_what, sent, received) => {
    const { url, peakBytes } = await serve(await startBomber(sent));
    const ask = async (): Promise<number> => {
      const response = await fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/bomb', messages: [{ role: 'user', content: 'Hi' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const before = peakBytes();
    expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array.from({ length: 10 }, () => received));
    expect(peakBytes() - before).toBeLessThan(130 * MIB);
  },
);
