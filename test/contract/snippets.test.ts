import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { checkTypes } from '../support/snippets/check-types.ts';
import { placeOf, readSnippets, root } from '../support/snippets/read-snippets.ts';

const snippets = readSnippets();
const inLanguages = (...languages: readonly string[]) =>
  snippets.filter(({ language }) => languages.includes(language));

const toLines = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

test('code of the pages compiles where the page says that it stands', () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'snippets-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const code = inLanguages('js', 'ts', 'tsx').filter(({ from }) => from === undefined);
  expect(code.length).toBeGreaterThan(35);
  expect(checkTypes(code, folder)).toEqual([]);
}, 60_000);

test('code that a page takes from a file stands in that file', () => {
  const missing = snippets.filter(({ from, code }) => {
    if (from === undefined) return false;
    return !existsSync(root + from) || !toLines(readFileSync(root + from, 'utf8')).includes(toLines(code));
  });
  expect(missing.map(placeOf)).toEqual([]);
});
