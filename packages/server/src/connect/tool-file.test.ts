import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { jsonSettings } from './settings/formats.ts';
import { SettingsFileError } from './settings/settings.ts';
import { forgetConnection, planToolFile, readConnection, undoToolFile, writeToolFile } from './tool-file.ts';

const SETTINGS = { format: jsonSettings, snippet: '{"env":{"TOKEN":"secret"}}' };
const KEY = { keyHash: 'ab', dataDir: '/data' };

function newFile(content?: string | Uint8Array, name = 'settings.json'): string {
  const dir = mkdtempSync(join(tmpdir(), 'tool-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

async function undo(file: string) {
  const record = await readConnection(file);
  if (record === undefined) throw new Error('nothing was written');
  const undone = await undoToolFile(file, { format: jsonSettings, record });
  await forgetConnection(file);
  return undone;
}

test.each([
  ['a plain file', '{"a":1}'],
  ['a file with a byte order mark and line ends of Windows', '\uFEFF{\r\n  "a": 1\r\n}\r\n'],
  ['an empty file', ''],
  ['a file with comments', '// x\n{ "env": { "TOKEN": "old" /* mine */ }, }'],
])('%s is restored to the byte, with nothing left beside it', async (_what, before) => {
  const file = newFile(before);
  chmodSync(file, 0o640);
  await writeToolFile(file, SETTINGS, KEY);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('secret');
  expect(text.startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'));
  expect(readFileSync(`${file}.before-model-gateway`, 'utf8')).toBe(before);
  expect(readFileSync(`${file}.model-gateway.json`, 'utf8')).not.toContain('secret');
  expect(await undo(file)).toEqual({ outcome: 'restored', left: [] });
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o640);
});

test('a file that was not there is made for its user alone, and goes again with the folders made for it', async () => {
  const root = dirname(newFile());
  const file = join(root, 'a', 'b', 'settings.json');
  expect(await writeToolFile(file, SETTINGS, KEY)).toEqual({ existed: false, isReadByOthers: false });
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await undo(file)).toEqual({ outcome: 'deleted', left: [] });
  expect(existsSync(file)).toBe(false);
});

test('a file that was changed since loses our entries alone', async () => {
  const file = newFile('{"env":{"TOKEN":"old"}}');
  await writeToolFile(file, SETTINGS, KEY);
  writeFileSync(file, readFileSync(file, 'utf8').replace('{"env"', '{"more":1,"env"'));
  expect(await undo(file)).toEqual({ outcome: 'removed', left: [] });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ more: 1, env: { TOKEN: 'old' } });
});

test('a file that has gone since stays gone', async () => {
  const file = newFile('{}');
  await writeToolFile(file, SETTINGS, KEY);
  rmSync(file);
  expect(await undo(file)).toEqual({ outcome: 'gone', left: [] });
  expect(existsSync(file)).toBe(false);
});

test.skipIf(process.platform === 'win32')('a link stays a link, and what it leads to is written', async () => {
  const file = newFile('{"a":1}', 'real.json');
  const link = join(dirname(file), 'link.json');
  symlinkSync(file, link);
  await writeToolFile(link, SETTINGS, KEY);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain('secret');
  await undo(link);
  expect(readFileSync(file, 'utf8')).toBe('{"a":1}');
  expect(readdirSync(dirname(file)).sort()).toEqual(['link.json', 'real.json']);
});

test.each([
  ['broken JSON', '{"a":', /settings\.json was not changed: line 1, column \d+ is not valid JSON/],
  ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0x7d]), /not UTF-8 text/],
  ['something else than a table', '[]', /a list where a table/],
])('%s is left as it is, with the place and nothing beside it', async (_what, content, reason) => {
  const file = newFile(content);
  for (const attempt of [() => planToolFile(file, SETTINGS), () => writeToolFile(file, SETTINGS, KEY)]) {
    const error: unknown = await attempt().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SettingsFileError);
    expect((error as Error).message).toMatch(reason);
  }
  expect(readFileSync(file)).toEqual(Buffer.from(content as string));
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
});

test('a folder in the place of the file is refused', async () => {
  const file = newFile();
  mkdirSync(file);
  await expect(planToolFile(file, SETTINGS)).rejects.toThrow(/is not a file/);
});

test('a damaged record is no reason to change anything', async () => {
  const file = newFile('{}');
  await writeToolFile(file, SETTINGS, KEY);
  writeFileSync(`${file}.model-gateway.json`, '{');
  await expect(readConnection(file)).rejects.toThrow(/before-model-gateway is the original file/);
});
