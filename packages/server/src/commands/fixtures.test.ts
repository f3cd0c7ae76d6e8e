import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

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
