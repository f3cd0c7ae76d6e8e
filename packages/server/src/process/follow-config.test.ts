import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadConfig } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { createReload, followConfig } from './follow-config.ts';

const PROVIDER = { slug: 'up', wire: 'openai', baseUrl: 'https://up.example/v1', apiKey: 'sk-up-0123456789' };

/** A reload over a real config file; `write` changes it. */
function setUp(apply: () => Promise<void> = () => Promise.resolve()) {
  const folder = mkdtempSync(join(tmpdir(), 'follow-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'gateway.json');
  const write = (content: unknown): void =>
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  write({ providers: [PROVIDER] });
  const read = () => loadConfig({ file, env: {} });
  const applied: unknown[] = [];
  const logged: [message: string, fields?: unknown][] = [];
  const log = (message: string, fields?: unknown): void => void logged.push([message, fields]);
  const { reload, catchUp } = createReload({
    config: read(),
    read,
    async apply({ providers }) {
      await apply();
      applied.push(providers.map(({ slug }) => slug));
    },
    logger: { info: log, warn: log, error: log },
  });
  return { write, reload, catchUp, applied, logged, file };
}

test('providers that have changed come into force, and the log says what has changed', async () => {
  const { write, reload, applied, logged } = setUp();
  write({ providers: [PROVIDER, { ...PROVIDER, slug: 'second' }] });
  await reload('SIGHUP');
  expect(applied).toEqual([['up', 'second']]);
  expect(logged.at(-1)).toEqual(['the configuration was reloaded', { cause: 'SIGHUP', changed: ['providers'] }]);
});

test('a file that says the same changes nothing', async () => {
  const { reload, applied, logged } = setUp();
  await reload('SIGHUP');
  expect(applied).toEqual([]);
  expect(logged.at(-1)).toEqual(['the configuration was reloaded', { cause: 'SIGHUP', changed: [] }]);
});

test.each([
  ['is broken', '{ "providers": [', /gateway\.json has an error/],
  ['has an unknown field', { providers: [PROVIDER], provider: [] }, /provider: /],
])('a file that %s changes nothing, and the log names file and field', async (_, content, reason) => {
  const { write, reload, applied, logged } = setUp();
  write(content);
  await reload('the file has changed');
  expect(applied).toEqual([]);
  expect(logged).toMatchObject([
    [
      'the changed configuration cannot be used; the previous one remains in effect',
      { reason: expect.stringMatching(reason) as string },
    ],
  ]);
});

test('what needs a restart is named each time until it is as at the start again', async () => {
  const { write, reload, applied, logged } = setUp();
  const warning = 'part of the changed configuration takes effect only after a restart';
  write({ providers: [PROVIDER], server: { port: 1234 } });
  await reload('SIGHUP');
  await reload('SIGHUP');
  write({ providers: [PROVIDER] });
  await reload('SIGHUP');
  expect(applied).toEqual([]);
  expect(logged.filter(([message]) => message === warning)).toEqual([
    [warning, { sections: ['server'] }],
    [warning, { sections: ['server'] }],
  ]);
});

test('what cannot be put into force is tried again with the next change, not taken as done', async () => {
  let fails = true;
  const { write, reload, applied, logged } = setUp(() =>
    fails ? Promise.reject(new RangeError('no such provider')) : Promise.resolve(),
  );
  write({ providers: [{ ...PROVIDER, slug: 'second' }] });
  await reload('SIGHUP');
  expect(logged).toMatchObject([[expect.stringContaining('cannot be used'), { reason: 'no such provider' }]]);
  fails = false;
  await reload('SIGHUP');
  expect(applied).toEqual([['second']]);
});

test('reloads wait for one another, and the last file is in force in the end', async () => {
  const { write, reload, applied } = setUp();
  write({ providers: [{ ...PROVIDER, slug: 'second' }] });
  const first = reload('SIGHUP');
  write({ providers: [{ ...PROVIDER, slug: 'third' }] });
  await Promise.all([first, reload('SIGHUP')]);
  expect(applied.at(-1)).toEqual(['third']);
});

test('what has changed between the reading of the file and the first look at it comes into force at once', async () => {
  const { write, reload, catchUp, applied, file } = setUp();
  write({ providers: [{ ...PROVIDER, slug: 'second' }] });
  onTestFinished(followConfig(file, { reload, catchUp }));
  await expect.poll(() => applied).toEqual([['second']]);
});

test('a first look that finds the file as it was read says nothing', async () => {
  const { catchUp, applied, logged } = setUp();
  await catchUp();
  expect({ applied, logged }).toEqual({ applied: [], logged: [] });
});

test('a first look that finds only what needs a restart says so', async () => {
  const { write, catchUp, logged } = setUp();
  write({ providers: [PROVIDER], server: { port: 1234 } });
  await catchUp();
  expect(logged).toContainEqual([expect.stringContaining('only after a restart'), { sections: ['server'] }]);
});

test('limits of files and the retention of the audit log are named among what needs a restart', async () => {
  const { write, reload, logged } = setUp();
  write({ providers: [PROVIDER], files: { workspaceMaxMb: 5 }, audit: { retentionDays: 9 } });
  await reload('SIGHUP');
  expect(logged).toContainEqual([expect.stringContaining('only after a restart'), { sections: ['audit', 'files'] }]);
});
