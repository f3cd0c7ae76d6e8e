import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

// They import the packages as installed, so this needs a build; `npm test` makes one first.
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples', 'vitest-fixtures');
const bin = (name: string): string => join(ROOT, 'node_modules', '.bin', name);
const LIMIT_MS = 120_000;

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const { PATH = '', HOME = '' } = process.env;
  // Nothing else of this environment, so that no key gets in.
  const options = { cwd: ROOT, env: { PATH, HOME, NO_COLOR: '1', ...env }, timeout: LIMIT_MS };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout;
};
const runSuite = (env?: Record<string, string>): Promise<string> =>
  run(bin('vitest'), ['run', '--root', EXAMPLE, '--reporter', 'verbose'], env);

/** A provider on loopback that says what the example's tests want to hear. */
const startProvider = async () => {
  let calls = 0;
  const words = (said: string): readonly string[] => said.match(/ ?\w+[.]?/g) ?? [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    calls += 1;
    const isStream = (await text(request)).includes('"stream":true');
    const about = { id: 'c', created: 1, model: 'gpt-4o-mini' };
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (!isStream) {
      const message = { role: 'assistant', content: 'Fog kept the ship away.' };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return void response.end(JSON.stringify({ ...about, object: 'chat.completion', choices }));
    }
    const chunk = (delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
    for (const content of words('There was a light and it was kept.')) response.write(chunk({ content }));
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: () => calls,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

test('the suite of the example runs offline under Vitest', { timeout: LIMIT_MS }, async () => {
  expect(await runSuite()).toMatch(/4 passed/);
});

test('the suite of the example records, and then replays what it has recorded', { timeout: LIMIT_MS }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'example-'));
  const provider = await startProvider();
  const record = { FIXTURES_DIR: join(dir, 'fixtures'), FIXTURES_MODE: 'record-missing' };
  const config = join(dir, 'config.json');
  const upstream = { slug: 'openai', preset: 'openai', baseUrl: provider.baseUrl, apiKey: 'env:OPENAI_API_KEY' };
  writeFileSync(config, JSON.stringify({ providers: [upstream] }));
  const key = 'sk-canary-example-0123456789';
  expect(await runSuite({ ...record, FIXTURES_CONFIG: config, OPENAI_API_KEY: key })).toMatch(/4 passed/);
  const calls = provider.calls();
  expect(calls).toBeGreaterThan(1);
  await provider.close();
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain('canary');
  }
  expect(await runSuite({ FIXTURES_DIR: record.FIXTURES_DIR })).toMatch(/4 passed/);
  // Nothing is missing, so that even this run makes no calls and requires no key.
  expect(await runSuite(record)).toMatch(/4 passed/);
  rmSync(dir, { recursive: true });
});

test('the example for CommonJS answers without a test runner', { timeout: LIMIT_MS }, async () => {
  expect(await run(process.execPath, [join(EXAMPLE, 'plain.cjs')])).toBe('Fog delayed the ship today.\n');
});

test('the same suite runs under Playwright', { timeout: LIMIT_MS }, async () => {
  expect(await run(bin('playwright'), ['test', '--config', EXAMPLE])).toMatch(/2 passed/);
});
