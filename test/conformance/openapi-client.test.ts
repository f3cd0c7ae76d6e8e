import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Provider } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { CALL_KINDS } from '../../packages/core/src/wire/call-kinds.ts';
import { startHost } from '../support/conformance/hosts.ts';
import { startConformance } from '../support/conformance/start-conformance.ts';
import { createTestGateway, TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';

const FOLDER = fileURLToPath(new URL('../openapi-client', import.meta.url));
const LIMIT_MS = 120_000;

const run = promisify(execFile);
const inFolder = (program: string, words: readonly string[]) => run(program, words, { cwd: FOLDER, timeout: LIMIT_MS });
const runModule = (file: string, ...words: string[]) => inFolder(process.execPath, [path.join(FOLDER, file), ...words]);

/** Installs the generator and its TypeScript, which is older than ours. Returns why that is impossible. */
async function installGenerator(): Promise<string | undefined> {
  if (existsSync(path.join(FOLDER, 'node_modules/.package-lock.json'))) return undefined;
  try {
    await inFolder('npm', ['ci', '--no-audit', '--no-fund']);
    return undefined;
  } catch (error) {
    return `the generator cannot be installed: ${String(error)}`;
  }
}

let generated: Promise<void> | undefined;

/** Generates the client of a gateway's document, and compiles it with the programs over it: once, as all have the same. */
const generate = (origin: string): Promise<void> => (generated ??= compileClient(origin));

async function compileClient(origin: string): Promise<void> {
  const document = await (await fetch(`${origin}/openapi.json`)).text();
  await mkdir(path.join(FOLDER, 'generated'), { recursive: true });
  await writeFile(path.join(FOLDER, 'generated/openapi.json'), document);
  await runModule('node_modules/openapi-typescript/bin/cli.js', 'generated/openapi.json', '-o', 'generated/schema.ts');
  await runModule('node_modules/typescript/bin/tsc', '-p', '.');
}

test('a client generated from /openapi.json compiles, and its calls succeed', { timeout: 2 * LIMIT_MS }, async (t) => {
  const reason = await installGenerator();
  if (reason !== undefined) t.skip(reason);
  const { apiUrl, close } = await startConformance('node');
  onTestFinished(close);
  const origin = apiUrl.replace('/api/v1', '');
  await generate(origin);
  const { stdout } = await runModule('generated/compiled/client.js', origin, TEST_KEY, TEST_MANAGEMENT_KEY);

  expect(JSON.parse(stdout)).toEqual({
    text: expect.stringContaining('Hello'),
    requested: 'test/text',
    frames: expect.any(Number),
    errorType: 'invalid_request',
    hasCost: true,
    stored: expect.objectContaining({ completion: expect.any(String) }),
    ids: [expect.any(String), expect.any(String)],
    name: 'generated',
    deleted: true,
  });
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A provider that serves each kind of call but chats, in the shortest way. */
const UP: Provider = {
  slug: 'up',
  name: 'Up',
  dataPolicy: { training: false, retainsPrompts: false },
  embeddings: () => Promise.resolve({ vectors: [[1], [2]], promptTokens: 2 }),
  rerank: () => Promise.resolve({ ranked: [{ index: 0, score: 0.5 }] }),
  speech: () => Promise.resolve({ body: new Blob(['spoken']).stream() as AsyncIterable<Uint8Array> }),
  transcription: () => Promise.resolve({ text: 'heard', seconds: 1 }),
  image: () => Promise.resolve({ images: [{ base64: PIXEL, mediaType: 'image/png' }] }),
  moderation: () =>
    Promise.resolve({
      verdicts: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }],
    }),
  video: {
    honoursIdempotencyKey: true,
    start: () => Promise.resolve({ upstreamId: 'job-1', status: 'pending' }),
    poll: () => Promise.resolve({ status: 'pending' }),
    fetch: () => Promise.reject(new Error('nothing is finished')),
  },
};

test('a client generated from /openapi.json calls each kind of model', { timeout: 2 * LIMIT_MS }, async (t) => {
  const reason = await installGenerator();
  if (reason !== undefined) t.skip(reason);
  const models = Object.entries(CALL_KINDS).map(([kind, { output }]) => ({
    id: `up/${kind}`,
    architecture: { output_modalities: [output] },
    endpoints: [{ provider: 'up', providerModel: kind }],
  }));
  const { gateway, close } = createTestGateway({ baseUrl: 'http://127.0.0.1:9' }, { providers: [UP], models });
  const host = await startHost('node', gateway);
  onTestFinished(async () => {
    await host.close();
    await close();
  });
  const origin = host.apiUrl.replace('/api/v1', '');
  await generate(origin);
  const { stdout } = await runModule('generated/compiled/kinds.js', origin, TEST_KEY);
  expect(JSON.parse(stdout)).toEqual({
    vectors: [[1], [2]],
    score: 0.5,
    speech: 'spoken',
    transcript: expect.objectContaining({ text: 'heard' }),
    picture: expect.objectContaining({ data: [{ b64_json: PIXEL, media_type: 'image/png' }] }),
    flagged: true,
    job: 'pending',
    advice: 'model: up/embeddings makes no rerank; it is called by POST /embeddings',
  });
});
