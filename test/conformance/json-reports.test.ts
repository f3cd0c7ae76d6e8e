import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));

function makeScratch() {
  const root = mkdtempSync(join(tmpdir(), 'gateway-json-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const home = join(root, 'home');
  mkdirSync(home);
  /** Runs a command with `--json`; its stdout has to be one document, or nothing. */
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await promisify(execFile)(process.execPath, [BIN, ...args, '--json'], {
      cwd: root,
      env: { HOME: home, USERPROFILE: home },
    }).then(
      (output) => ({ code: 0, ...output }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    return { code, json: stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>), stderr };
  };
  return { root, home, run };
}

test('doctor --json prints what it found of each provider, and tells people on stderr', async () => {
  const { root, run } = makeScratch();
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  const away = `http://127.0.0.1:${await freePort()}/v1`;
  const config = join(root, 'gateway.config.json');
  const apiKey = 'sk-secret-of-the-provider';
  const providers = [
    { slug: 'up', wire: 'openai', baseUrl: upstream.baseUrl, apiKey },
    { slug: 'away', wire: 'openai', baseUrl: away, apiKey },
  ];
  writeFileSync(config, JSON.stringify({ providers, models: [] }));
  const { code, json, stderr } = await run('doctor', '--config', config);
  expect(code).toBe(1);
  expect(json).toMatchObject({
    ok: false,
    problem: null,
    providers: [
      { slug: 'up', base_url: upstream.baseUrl },
      {
        slug: 'away',
        base_url: away,
        ok: false,
        findings: expect.arrayContaining([
          expect.objectContaining({ layer: 'tcp', status: 'failed', advice: expect.any(String) as string }),
        ]) as object,
      },
    ],
  });
  expect(stderr).toContain('cannot be used.');
  expect(JSON.stringify(json) + stderr).not.toContain(apiKey);
});

test('doctor --json says why there is nothing to check', async () => {
  const { code, json } = await makeScratch().run('doctor');
  expect(code).toBe(1);
  expect(json).toEqual({
    ok: false,
    problem: expect.stringContaining('OPENAI_API_KEY') as string,
    warnings: [],
    providers: [],
  });
});

test('connect --json lists, shows, writes and undoes', async () => {
  const { home, run } = makeScratch();
  const args = ['--model', 'acme/one', '--limit', '5', '--url', 'https://g.example'];
  const { json: list } = await run('connect');
  const tools = (list?.['tools'] ?? []) as { id: string; has_file: boolean }[];
  expect(tools).toContainEqual({ id: 'pi', name: 'pi', about: expect.any(String) as string, has_file: true });
  expect(tools.find(({ id }) => id === 'copilot-cli')?.has_file).toBe(false);

  const shown = await run('connect', 'codex', ...args);
  expect(shown.json).toMatchObject({
    tool: { id: 'codex', name: 'Codex' },
    base_url: 'https://g.example/api/v1',
    model: 'acme/one',
    key: { name: 'Codex', limit_usd: 5 },
    steps: [{ file: expect.stringContaining('config.toml') as string, language: 'toml' }, { file: null }],
    docs_url: expect.stringMatching(/^https:/) as string,
  });
  // The key is in the step that sets it, and nowhere else.
  expect(JSON.stringify(shown.json)).toMatch(/MODEL_GATEWAY_API_KEY.*sk-gw-v1-/);
  expect(shown.stderr).not.toContain('sk-gw-v1-');

  const written = await run('connect', 'pi', '--write', ...args);
  const file = join(home, '.pi/agent/models.json');
  expect(written.json).toMatchObject({ tool: { id: 'pi' }, file, original: null, undone: null, warnings: [] });
  expect(written.stderr).toContain('pi is set up in');
  const key = /sk-gw-v1-\w+/.exec(readFileSync(file, 'utf8'))?.[0] ?? 'no key';
  expect(JSON.stringify(written.json) + written.stderr).not.toContain(key);

  const again = await run('connect', 'pi', '--write', ...args);
  const undone = { file, outcome: 'deleted', left: [], key_deleted: true };
  expect(again.json).toMatchObject({ file, undone });
  expect(await run('connect', 'pi', '--undo')).toMatchObject({ code: 0, json: { tool: { id: 'pi' }, undone } });
});

test('a mistake is told on stderr, with no document', async () => {
  const { run } = makeScratch();
  expect(await run('connect', 'nothing')).toMatchObject({
    code: 2,
    json: null,
    stderr: expect.stringContaining('tool'),
  });
  expect(await run('connect', 'pi', '--undo')).toMatchObject({ code: 2, json: null });
});
