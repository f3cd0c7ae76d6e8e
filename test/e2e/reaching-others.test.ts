import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from './launch-ui.ts';

const API_KEY = 'sk-gw-v1-e2e-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

let ui: Ui;
let upstream: Server;
/** Status that the receiver responds with, and the bodies that it received. */
const receiver = { status: 500, bodies: [] as string[] };

const COMPLETION = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Lisbon.' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Responds to chats as a provider would, and takes deliveries at `/hook`. */
async function startUpstream(): Promise<number> {
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      if (request.url === '/hook') {
        receiver.bodies.push(body);
        response.writeHead(receiver.status).end();
      } else if (body.includes('"leaky"')) {
        // Some providers repeat the refused key.
        const message = `Incorrect API key provided: ${request.headers.authorization ?? ''}`;
        response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
      } else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(COMPLETION));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  return (upstream.address() as AddressInfo).port;
}

/** Finds a port without a listener: it is taken and released. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(skipped !== undefined)(
  `the web UI, of what lies beyond the gateway${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      const [port, closed] = [await startUpstream(), await findClosedPort()];
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
          ],
        },
        webhooks: { allowPrivateNetwork: true },
        providers: [
          { slug: 'here', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'CANARY-provider-key' },
          { slug: 'gone', wire: 'openai', baseUrl: `http://127.0.0.1:${closed}/v1` },
        ],
        models: [
          { id: 'acme/chat', endpoints: [{ provider: 'here', providerModel: 'm' }] },
          { id: 'acme/leaky', endpoints: [{ provider: 'here', providerModel: 'leaky' }] },
        ],
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
      const hook = { type: 'webhook', name: 'Traces', config: { url: `http://127.0.0.1:${port}/hook` } };
      await ui.call('/api/v1/observability/destinations', { body: hook });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('names the layer at which a provider cannot be reached, and what to do', async () => {
      const { page, problems, check } = await ui.open('#/providers');
      await page.getByRole('row', { name: /gone/ }).click();
      await page.getByRole('button', { name: 'Test connection' }).click();
      const found = page.getByRole('region', { name: 'Test results' });
      await found.getByText('Connection (TCP) failed').waitFor();
      await found.getByText('What to do:').waitFor();
      expect(await check()).toEqual([]);
      expect(await page.content()).not.toContain('CANARY');
      expect(problems).toEqual([]);
    });

    test('shows what did not arrive, and sends it again', async () => {
      const { page, problems, check } = await ui.open('#/destinations');
      const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'The capital of Portugal?' }] };
      expect((await ui.call('/api/v1/chat/completions', { key: API_KEY, body })).status).toBe(200);
      await page.getByRole('row', { name: /Traces/ }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('Test failed').waitFor();
      await page.getByRole('tab', { name: 'Delivery log' }).click();
      await page.getByText('HTTP 500').first().waitFor();
      expect(await check()).toEqual([]);
      // The receiver is well again no earlier than this: a retry of the gateway's own would leave nothing to send.
      await page.route('**/resend', async (route) => {
        receiver.status = 204;
        await route.continue();
      });
      await page.getByRole('checkbox', { name: /^Select the delivery from/ }).check();
      await page.getByRole('button', { name: 'Resend 1' }).click();
      await page.getByText('No undelivered requests').waitFor();
      expect(receiver.bodies.at(-1)).toContain('The capital of Portugal?');
      expect(problems).toEqual([]);
    });

    test('shows its secrets nowhere: not in a screen, a list, a detail or an export', async () => {
      const made = await ui.call('/api/v1/keys', { body: { name: 'Planted' } });
      const { key: planted } = (await made.json()) as { key: string };
      const ids = await Promise.all(
        ['acme/chat', 'acme/leaky'].map(async (model) => {
          const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
          const response = await ui.call('/api/v1/chat/completions', { key: planted, body });
          await response.text();
          return response.headers.get('x-generation-id') ?? '';
        }),
      );
      const paths = [
        ...ids.flatMap((id) => [`/api/v1/generation?id=${id}`, `/api/v1/generation/content?id=${id}`]),
        ...['keys', 'providers', 'guardrails', 'observability/destinations', 'models'].map((name) => `/api/v1/${name}`),
        ...['generations', 'providers', 'settings', 'session'].map((name) => `/admin/v1/${name}`),
        '/admin/v1/generations/export?format=csv',
        '/admin/v1/generations/export?format=ndjson&content=true',
        '/metrics',
        '/health',
        '/openapi.json',
      ];
      const shown = new Map<string, string>();
      for (const path of paths) {
        const response = await ui.call(path);
        expect([path, response.status]).toEqual([path, 200]);
        shown.set(path, await response.text());
      }
      const { page, go, problems } = await ui.open('#/');
      const hashes = ['', 'models', 'generations', 'playground', 'videos', 'guardrails', 'keys', 'destinations'];
      const details = ids.flatMap((id) => [`generations/${id}`, `generations?open=${id}`]);
      for (const hash of [...hashes, 'providers', 'providers?open=here', 'fixtures', 'settings', ...details]) {
        await go(`#/${hash}`);
        shown.set(hash, await page.content());
      }
      shown.set(
        'storage',
        await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
      );
      const secrets = ['CANARY', API_KEY, MANAGEMENT_KEY, planted];
      const found = [...shown].flatMap(([where, text]) =>
        secrets.filter((secret) => text.includes(secret)).map((secret) => `${where}: ${secret}`),
      );
      expect(found).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
