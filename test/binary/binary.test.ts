import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import { expectToSignIn, findPrintedLink } from '../e2e/printed-link.ts';
import { readAll } from '../support/async/read-all.ts';
import { createPdf } from '../support/clients/create-pdf.ts';
import { BINARY, installAlone, runIn, serveIn } from './run-binary.ts';

const DEMO_KEY = 'sk-gw-v1-demo';
const UI = fileURLToPath(new URL('../../packages/ui/bundle/', import.meta.url));
const HELLO = { model: 'demo/chat', messages: [{ role: 'user' as const, content: 'Hello!' }] };

const clientOf = (url: string, apiKey: string) => new OpenAI({ apiKey, baseURL: `${url}/api/v1`, maxRetries: 0 });

test('the executable is at most 25 MB larger than Node.js', () => {
  expect(statSync(BINARY).size - statSync(process.execPath).size).toBeLessThanOrEqual(25_000_000);
});

test('it says its version and its commands', async () => {
  const folder = installAlone();
  const [version, help] = [await runIn(folder, ['--version']), await runIn(folder, ['--help'])];
  expect(version).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
  expect(help).toEqual({ code: 0, stdout: expect.stringContaining('serve'), stderr: '' });
});

test('alone in a folder it serves the demo, whole and streamed, and ends when told', async () => {
  const gateway = await serveIn(installAlone(), ['--demo']);
  const client = clientOf(gateway.url, DEMO_KEY);
  const whole = await client.chat.completions.create(HELLO);
  const chunks = await readAll(await client.chat.completions.create({ ...HELLO, stream: true }));
  const text = whole.choices[0]?.message.content;
  expect(text).toMatch(/\w/);
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(text);
  expect(await gateway.end('SIGTERM')).toBe(0);
});

test.skipIf(skipped !== undefined)(
  `the link that it prints signs in${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  async () => {
    const { output } = await serveIn(installAlone(), ['--demo']);
    await expect.poll(() => findPrintedLink(output.stderr), { timeout: 5000 }).toBeDefined();
    await expectToSignIn(findPrintedLink(output.stderr));
  },
  60_000,
);

test('it brings every file of the web UI, and no other', async () => {
  const { url } = await serveIn(installAlone(), ['--demo']);
  const files = readdirSync(UI, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  expect(files).toContain('index.html');
  for (const name of files) {
    const response = await fetch(`${url}/ui/${name}`);
    expect(response.status, name).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(UI, name))), name).toBe(true);
  }
  expect((await fetch(`${url}/ui/assets/none.js`)).status).toBe(404);
});

test('keys that it makes and calls that it records outlive the death of its process', async () => {
  const folder = installAlone();
  const first = await serveIn(folder, ['--demo', '--data-dir', 'data']);
  const made = await runIn(folder, ['keys', 'create', '--name', 'mine', '--data-dir', 'data']);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sk-gw-v1-\S+$/m) });
  const key = /sk-gw-v1-\S+/.exec(made.stdout)?.[0] ?? '';
  const { id } = await clientOf(first.url, key).chat.completions.create(HELLO);
  await first.end('SIGKILL');

  const second = await serveIn(folder, ['--demo', '--data-dir', 'data']);
  const headers = { authorization: `Bearer ${key}` };
  const record = await fetch(`${second.url}/api/v1/generation?id=${id}`, { headers });
  expect([record.status, await record.json()]).toMatchObject([200, { data: { id } }]);
  expect((await clientOf(second.url, key).chat.completions.create(HELLO)).choices).toHaveLength(1);
});

test('it reads a PDF in a thread, and asks a provider by a config file', async () => {
  const upstream = await startUpstream();
  const folder = installAlone();
  writeConfig(folder, upstream.url);
  const env = { MANAGEMENT_KEY: 'sk-test-management-key-0123456789' };
  const gateway = await serveIn(folder, ['--config', 'gateway.config.json', '--data-dir', 'data'], env);
  const file_data = `data:application/pdf;base64,${Buffer.from(createPdf(['Oaks grow slowly'])).toString('base64')}`;
  const response = await fetch(`${gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/model',
      messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'oaks.pdf', file_data } }] }],
      plugins: [{ id: 'file-parser', pdf: { engine: 'pdf-text' } }],
    }),
  });
  expect([response.status, gateway.output.stderr]).toEqual([200, expect.not.stringContaining('"error"')]);
  expect(upstream.seen()).toContain('Oaks grow slowly');
});

test('its doctor looks at the providers of a config file', async () => {
  const upstream = await startUpstream();
  const folder = installAlone();
  writeConfig(folder, upstream.url);
  const { code, stdout } = await runIn(folder, ['doctor', '--config', 'gateway.config.json']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +tcp/)]);
});

const API_KEY = 'sk-test-api-key-0123456789';

function writeConfig(folder: string, upstreamUrl: string): void {
  const config = {
    auth: { bootstrapKeys: [{ key: API_KEY, kind: 'api', name: 'test' }] },
    providers: [{ slug: 'upstream', wire: 'openai', baseUrl: `${upstreamUrl}/v1`, apiKey: 'upstream-secret' }],
    models: [
      {
        id: 'test/model',
        context_length: 8192,
        endpoints: [{ provider: 'upstream', providerModel: 'm', pricing: { prompt: '0', completion: '0' } }],
      },
    ],
  };
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify(config));
}

/** Has one model, and says Hello to everything. */
async function startUpstream() {
  let seen = '';
  const server = createServer((request, response) => {
    request.on('data', (bytes) => (seen += String(bytes)));
    request.on('end', () => {
      const message = { role: 'assistant', content: 'Hello' };
      const completion = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
      const list = { object: 'list', data: [{ id: 'm', object: 'model' }] };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(request.method === 'GET' ? list : completion));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: () => seen };
}
