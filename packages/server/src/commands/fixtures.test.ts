import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { expect, onTestFinished, test } from 'vitest';

import { writeOwnerFile } from '../process/owner-file.ts';
import { findGatewayOfCalls } from './fixtures-gateway.ts';
import { saveFixture } from './fixtures.ts';

/** A server that answers everything with this. */
async function startServer(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

test.each([
  ['is no gateway', 200, '<html></html>', /^No gateway responds at http.*; set its address with --api\.$/],
  ['is another API', 200, '{"ok":true}', /^No gateway responds at http.*; set its address with --api\.$/],
  ['stands before the gateway', 502, '<html></html>', /^The gateway gave no reason \(status 502\)\.$/],
  [
    'refuses',
    404,
    '{"error":{"message":"There is no generation gen-1"}}',
    /^There is no generation gen-1 \(status 404\)/,
  ],
])('what %s is named in one sentence when a generation is to be saved', async (_what, status, body, message) => {
  const api = await startServer(status, body);
  const saving = saveFixture({ id: 'gen-1', dir: 'fixtures', key: 'sk-gw-v1-1', api });
  await expect(saving).rejects.toMatchObject({ name: 'StartError', message: expect.stringMatching(message) as string });
});

test('a key alone asks the gateway of ./data, and the usual address only where none runs with it', async () => {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-gateway-'));
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  const key = 'sk-gw-v1-1';
  expect(await findGatewayOfCalls({ key })).toEqual({ api: 'http://127.0.0.1:8855/api/v1', key });
  await writeOwnerFile('data', { pid: process.pid, url: 'http://127.0.0.1:9000', token: 'its-own' });
  expect(await findGatewayOfCalls({ key })).toEqual({ api: 'http://127.0.0.1:9000/api/v1', key });
  const none = findGatewayOfCalls({ key, dataDir: 'none' });
  await expect(none).rejects.toThrow('No gateway is running with the data directory');
});
