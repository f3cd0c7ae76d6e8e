import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { ownCommand, quote } from './own-command.ts';

test('what is printed to be copied has npx before it, unless the command is on the path of a shell', () => {
  const dir = mkdtempSync(join(tmpdir(), 'own-command-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const ofNpm = join(dir, 'node_modules', '.bin');
  const ofShell = join(dir, 'bin');
  for (const folder of [ofNpm, ofShell]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, process.platform === 'win32' ? 'model-gateway.cmd' : 'model-gateway'), '');
  }
  expect(ownCommand({})).toBe('npx model-gateway');
  expect(ownCommand({ PATH: [ofNpm, dir].join(delimiter) })).toBe('npx model-gateway');
  expect(ownCommand({ PATH: [ofNpm, ofShell].join(delimiter) })).toBe('model-gateway');
});

test.each([
  ['/var/gateway/config.json', 'linux', '/var/gateway/config.json'],
  ['/home/anna/my data', 'linux', "'/home/anna/my data'"],
  ["/home/anna's/data", 'darwin', String.raw`'/home/anna'\''s/data'`],
  [String.raw`C:\gateway\config.json`, 'win32', String.raw`C:\gateway\config.json`],
  [String.raw`C:\Anna's data`, 'win32', String.raw`"C:\Anna's data"`],
] as const)('the path %s is a word of a shell on %s', (path, platform, word) => {
  expect(quote(path, platform)).toBe(word);
});
