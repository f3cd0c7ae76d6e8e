import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));

/** A folder of its own, in which commands run with nothing in the environment. */
function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const start = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => endProcess(child));
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (output.stdout += data));
    child.stderr.on('data', (data) => (output.stderr += data));
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, output, exited };
  };
  const run = async (...args: readonly string[]) => {
    const { output, exited } = start(...args);
    return { code: await exited, ...output };
  };
  return { folder, start, run };
}

/** Resolves with what a command first writes on stdout. */
const firstOutput = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once('data', (data) => resolve(String(data))));

test('without flags, keys and connections are made at the demo that the other commands ask', async () => {
  const { folder, start, run } = openFolder();
  const { url } = JSON.parse(await firstOutput(start('serve', '--demo', '--port', '0').child)) as { url: string };
  const made = await run('keys', 'create', '--name', 'mine');
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`by the gateway at ${url}`) as string });
  expect((await run('keys', 'list')).stdout).toContain(' mine ');
  const connected = await run('connect', 'codex');
  expect(connected).toMatchObject({ code: 0, stdout: expect.stringContaining(`by the gateway at ${url}`) as string });
  expect(existsSync(join(folder, 'data', 'keys.json'))).toBe(false);
  expect(existsSync(join(folder, 'data', 'logs'))).toBe(false);
}, 60_000);

test('a command that shows something ends with 0 when nobody reads it any more', async () => {
  const { start } = openFolder();
  const { url } = JSON.parse(await firstOutput(start('serve', '--demo', '--port', '0').child)) as { url: string };
  const following = start('logs', '-f', '--limit', '1');
  await firstOutput(following.child);
  following.child.stdout.destroy();
  const headers = { authorization: 'Bearer sk-gw-v1-demo', 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }] });
  expect((await fetch(`${url}/api/v1/chat/completions`, { method: 'POST', headers, body })).status).toBe(200);
  expect(await following.exited).toBe(0);
}, 60_000);

test.runIf(process.platform === 'linux')(
  'serve refuses to record where nothing can be written',
  async () => {
    const { run } = openFolder();
    const refused = await run('serve', '--no-demo', '--port', '0', '--record', '/proc/recordings');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /Cannot record in \/proc\/recordings: .*\. Choose another directory with --record, or/,
    );
  },
  60_000,
);
