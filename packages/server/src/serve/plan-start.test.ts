import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { ConfigError } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { parseCommand } from '../commands/parse-command.ts';
import { UsageError } from '../process/flags.ts';
import { planStart, type StartPlan } from './plan-start.ts';

function plan(flags: string, env: NodeJS.ProcessEnv = {}): StartPlan {
  const command = parseCommand(['serve', ...flags.split(' ').filter((word) => word !== '')]);
  if (command.type !== 'serve') throw new Error('not serve');
  return planStart(command.options, env);
}

test('without a config and without keys in the environment it is the demo', () => {
  const { config, demoFixturesDir } = plan('');
  expect(demoFixturesDir).toMatch(/demo-fixtures$/);
  expect(config.store).toEqual({ type: 'json', dir: resolve('data/demo') });
  expect(config.auth.bootstrapKeys).toEqual([
    { key: 'sk-gw-v1-demo', kind: 'api', name: 'demo' },
    { key: 'sk-gw-v1-demo-management', kind: 'management', name: 'demo management', isPublic: true },
  ]);
});

test('a key in the environment means that provider, without the demo’s keys', () => {
  const { config, demoFixturesDir } = plan('', { OPENAI_API_KEY: 'k' });
  expect(demoFixturesDir).toBeNull();
  expect(config.providers.map(({ slug }) => slug)).toEqual(['openai']);
  expect(config.auth.bootstrapKeys).toEqual([]);
  expect(config.store).toEqual({ type: 'json', dir: resolve('data') });
});

test('the demo that is asked for does not look at the environment', () => {
  expect(plan('--demo', { OPENAI_API_KEY: 'k' })).toMatchObject({
    config: { providers: [] },
    demoFixturesDir: expect.any(String),
  });
  expect(plan('--fixtures my/recordings', { OPENAI_API_KEY: 'k' }).demoFixturesDir).toBe('my/recordings');
});

test('a variable that is of no use by itself is mentioned when it ends in the demo', () => {
  const { config, demoFixturesDir } = plan('', { AZURE_OPENAI_API_KEY: 'k' });
  expect(demoFixturesDir).toMatch(/demo-fixtures$/);
  expect(config.warnings).toEqual([expect.stringContaining('AZURE_OPENAI_ENDPOINT')]);
});

test('flags count in the demo, too', () => {
  const { config } = plan('--demo --port 0 --host ::1 --data-dir elsewhere');
  expect(config.server).toMatchObject({ host: '::1', port: 0 });
  expect(config.store).toEqual({ type: 'json', dir: resolve('elsewhere') });
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'my-machine'])('the demo refuses to listen on %s', (host) => {
  expect(() => plan(`--demo --host ${host}`)).toThrow(UsageError);
  expect(() => plan(`--host ${host}`)).toThrow(/The demo’s keys are public.*only on this machine/);
});

test('a config file that cannot be used is refused', () => {
  expect(() => plan('--config not/there.json')).toThrow(ConfigError);
});

/** A data directory of the test, with these tables. */
function writeTables(name: string, tables: object): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-plan-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, name), JSON.stringify({ version: 1, ...tables }));
  return dir;
}

test.each(['config.json', 'config.copy.json'])('stored providers in %s mean that it is not the demo', (name) => {
  const dir = writeTables(name, { providers: [{ id: 'acme' }] });
  const { config, demoFixturesDir } = plan(`--data-dir ${dir}`);
  expect(demoFixturesDir).toBeNull();
  expect(config).toMatchObject({ providers: [], store: { type: 'json', dir }, auth: { bootstrapKeys: [] } });
  expect(plan(`--demo --data-dir ${dir}`).demoFixturesDir).toMatch(/demo-fixtures$/);
});

test('a data directory without providers is one of the demo', () => {
  expect(plan(`--data-dir ${writeTables('config.json', { providers: [] })}`).demoFixturesDir).not.toBeNull();
});

test('it starts without providers, and without the demo’s keys, when the demo is not wanted', () => {
  const { config, demoFixturesDir } = plan('--no-demo --host 0.0.0.0');
  expect(demoFixturesDir).toBeNull();
  expect(config).toMatchObject({ providers: [], auth: { bootstrapKeys: [] }, store: { dir: resolve('data') } });
  expect(() => plan('--no-demo --demo')).toThrow(UsageError);
});
