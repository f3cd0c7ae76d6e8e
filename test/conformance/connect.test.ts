import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { parse as parseToml } from 'smol-toml';
import { expect, onTestFinished, test } from 'vitest';
import { parse as parseYaml } from 'yaml';

// The real command as it is installed, so this needs a build; `npm test` makes one first.
const BIN =
  process.env['TEST_BIN'] ?? fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
/** As a user keeps it, with their own indentation and a comment. */
const CLAUDE_SETTINGS = '{\n    // mine\n    "model": "opus",\n    "env": { "DEBUG": "1" }\n}';

function makeScratch() {
  const root = mkdtempSync(join(tmpdir(), 'gateway-connect-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [home, dataDir] = [join(root, 'home'), join(root, 'data')];
  mkdirSync(home);
  const env = { HOME: home, USERPROFILE: home };
  const connect = async (...args: string[]) =>
    promisify(execFile)(process.execPath, [BIN, 'connect', ...args, '--data-dir', dataDir], { cwd: root, env }).then(
      (output) => ({ code: 0, ...output }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const serve = async (): Promise<string> => {
    const args = [BIN, 'serve', '--demo', '--port', '0', '--data-dir', dataDir];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return (JSON.parse(line) as { url: string }).url;
  };
  const putFile = (path: string, text: string): string => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };
  return { home, dataDir, connect, serve, putFile };
}

const call = async (url: string, key: string): Promise<number> => {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'demo/chat', max_tokens: 50, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  await response.body?.cancel();
  return response.status;
};

test('Claude Code is set up beside a running gateway, calls it, and is as before to the byte', async () => {
  const { home, connect, serve, putFile } = makeScratch();
  const url = await serve();
  const file = putFile('.claude/settings.json', CLAUDE_SETTINGS);
  const written = await connect('claude-code', '--write', '--model', 'demo/chat');
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('Claude Code is set up in') });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('\n    // mine\n');
  const { env } = JSON.parse(text.replace('// mine', '')) as { env: Record<string, string> };
  expect(env).toMatchObject({ DEBUG: '1', ANTHROPIC_BASE_URL: `${url}/api`, ANTHROPIC_MODEL: 'demo/chat' });
  const key = env['ANTHROPIC_AUTH_TOKEN'] ?? '';
  expect(written.stdout + written.stderr).not.toContain(key);
  expect(await call(env['ANTHROPIC_BASE_URL'] ?? '', key)).toBe(200);

  // Once more, with another model: the first key goes, and the first copy of the file stays the one to restore.
  expect(await connect('claude-code', '--write', '--model', 'demo/other')).toMatchObject({ code: 0 });
  expect(await call(`${url}/api`, key)).toBe(401);
  expect(await connect('claude-code', '--undo')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('was restored. Its key is deleted.'),
  });
  expect(readFileSync(file, 'utf8')).toBe(CLAUDE_SETTINGS);
  expect(readdirSync(join(home, '.claude'))).toEqual(['settings.json']);
  expect(await connect('claude-code', '--undo')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing to undo for Claude Code'),
  });
});

test('without --write only a key is made, and everything is shown', async () => {
  const { home, connect } = makeScratch();
  const { code, stdout } = await connect('codex', '--model', 'acme/one', '--limit', '5', '--url', 'https://g.example');
  expect(code).toBe(0);
  for (const part of ['~/.codex/config.toml', 'base_url = "https://g.example/api/v1"', 'limited to $5 a month']) {
    expect(stdout).toContain(part);
  }
  expect(stdout).toMatch(/MODEL_GATEWAY_API_KEY='?sk-gw-v1-/);
  expect(readdirSync(home)).toEqual([]);
});

test('pi is set up in the folder that its variable names, and is as before to the byte', async () => {
  const { home, connect, putFile } = makeScratch();
  const mine = '{\n\t"providers": { "ollama": { "baseUrl": "http://localhost:11434/v1" } }\n}';
  const file = putFile('.pi/agent/models.json', mine);
  const args = ['--model', 'acme/one', '--limit', 'none', '--url', 'https://g.example'];
  expect(await connect('pi', '--write', ...args)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("pi --provider model-gateway --model 'acme/one'"),
  });
  const { providers } = JSON.parse(readFileSync(file, 'utf8')) as { providers: Record<string, object> };
  expect(Object.keys(providers)).toEqual(['ollama', 'model-gateway']);
  expect(providers['model-gateway']).toMatchObject({ baseUrl: 'https://g.example/api/v1', api: 'openai-completions' });
  expect(await connect('pi', '--undo')).toMatchObject({ code: 0, stdout: expect.stringContaining('was restored') });
  expect(readFileSync(file, 'utf8')).toBe(mine);
  expect(readdirSync(join(home, '.pi/agent'))).toEqual(['models.json']);
});

test('Copilot CLI has no file: its variables are shown, and nothing is written', async () => {
  const { home, connect } = makeScratch();
  const args = ['copilot-cli', '--model', 'acme/one', '--url', 'https://g.example'];
  const { stdout } = await connect(...args);
  expect(stdout).toMatch(/COPILOT_PROVIDER_BASE_URL='?https:\/\/g\.example\/api\/v1/);
  expect(stdout).toMatch(/COPILOT_PROVIDER_API_KEY='?sk-gw-v1-/);
  expect(await connect(...args, '--write')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('GitHub Copilot CLI has no settings file to write'),
  });
  expect(readdirSync(home)).toEqual([]);
});

test('a model is chosen from those of the running gateway', async () => {
  const { connect, serve } = makeScratch();
  expect(await connect('aider')).toMatchObject({ code: 2, stderr: expect.stringContaining('--model ID') });
  await serve();
  expect(await connect('aider')).toMatchObject({ code: 0, stdout: expect.stringMatching(/model: "openai\/demo\/\w+/) });
});

test('TOML and YAML are written and undone, too, also where the file was changed in between', async () => {
  const { connect, putFile } = makeScratch();
  const codex = putFile('.codex/config.toml', '# mine\nmodel = "old" # best\n\n[tools]\nweb = true\n');
  const next = putFile('.continue/config.yaml', '# mine\nname: Work\nmodels:\n  - name: own\n');
  for (const tool of ['codex', 'continue']) {
    expect(await connect(tool, '--write', '--model', 'acme/one')).toMatchObject({ code: 0 });
  }
  expect(parseToml(readFileSync(codex, 'utf8'))).toMatchObject({
    model: 'acme/one',
    model_provider: 'model-gateway',
    tools: { web: true },
  });
  expect(parseYaml(readFileSync(next, 'utf8'))).toMatchObject({
    name: 'Work',
    models: [{ name: 'own' }, { model: 'acme/one' }],
  });
  writeFileSync(codex, `${readFileSync(codex, 'utf8')}[more]\na = 1\n`);
  for (const tool of ['codex', 'continue']) expect(await connect(tool, '--undo')).toMatchObject({ code: 0 });
  expect(parseToml(readFileSync(codex, 'utf8'))).toEqual({ model: 'old', tools: { web: true }, more: { a: 1 } });
  expect(readFileSync(next, 'utf8')).toBe('# mine\nname: Work\nmodels:\n  - name: own\n');
});

test('a file that cannot be read is refused with the place, before a key is made', async () => {
  const { connect, putFile, dataDir } = makeScratch();
  const file = putFile('.claude/settings.json', '{\n  "env": {');
  expect(await connect('claude-code', '--write', '--model', 'acme/one')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/settings\.json was not changed: line 2, column \d+ is not valid JSON[^\n]*\n$/),
  });
  expect(readFileSync(file, 'utf8')).toBe('{\n  "env": {');
  expect(existsSync(dataDir)).toBe(false);
});

test('tools without a file, and tools that are not known, are refused with what there is', async () => {
  const { connect } = makeScratch();
  expect(await connect('cline', '--write')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no settings file'),
  });
  expect(await connect('cloud-code')).toMatchObject({ code: 2, stderr: expect.stringContaining('claude-code') });
  expect(await connect()).toMatchObject({ code: 0, stdout: expect.stringContaining('codex') });
});
