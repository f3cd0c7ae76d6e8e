import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { startConformance } from '../support/conformance/start-conformance.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { PIXEL, startKinds } from '../support/openapi/start-kinds.ts';

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

test('a client generated from /openapi.json calls each kind of model', { timeout: 2 * LIMIT_MS }, async (t) => {
  const reason = await installGenerator();
  if (reason !== undefined) t.skip(reason);
  const origin = await startKinds();
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
