import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { checkCommands } from '../support/snippets/check-commands.ts';
import { checkJson } from '../support/snippets/check-config.ts';
import { checkTypes } from '../support/snippets/check-types.ts';
import { findSnippets, placeOf, readSnippets, root } from '../support/snippets/read-snippets.ts';

const snippets = readSnippets();
const inLanguages = (...languages: readonly string[]) =>
  snippets.filter(({ language }) => languages.includes(language));

/** Shows that what is wrong is found, each at its line. */
const wrong = findSnippets(
  'wrong.md',
  `<!-- given: declare const port: number; -->

\`\`\`ts
const name = port;
const text: string = name;
\`\`\`

\`\`\`jsonc
"server": { "prot": 8855 } // no such field
\`\`\`

<!-- config: { "providers": [ … ] } -->

\`\`\`json
{ "slug": "acme", "wire": "none", "baseUrl": "https://api.acme.example/v1" }
\`\`\`

\`\`\`sh
PORT=1 npx model-gateway serve --prot 8855   # no such flag
npm run nothing && node nowhere.mjs
npx --no-install model-gateway replay --dri fixtures
\`\`\`
`,
);
const wrongIn = (language: RegExp) => wrong.filter((snippet) => language.test(snippet.language));

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
  expect(checkTypes([...code, ...wrongIn(/ts/)], folder)).toEqual([
    `wrong.md:5: Type 'number' is not assignable to type 'string'.`,
  ]);
}, 60_000);

test('code that a page takes from a file stands in that file', () => {
  const missing = snippets.filter(({ from, code }) => {
    if (from === undefined) return false;
    return !existsSync(root + from) || !toLines(readFileSync(root + from, 'utf8')).includes(toLines(code));
  });
  expect(missing.map(placeOf)).toEqual([]);
});

test('JSON of the pages is JSON, and what belongs into a config file may stand there', () => {
  expect(inLanguages('json', 'jsonc').flatMap(checkJson)).toEqual([]);
  expect(wrongIn(/json/).flatMap(checkJson)).toEqual([
    expect.stringMatching(/^wrong\.md:9: server: .*prot/),
    expect.stringMatching(/^wrong\.md:15: providers\.0\.wire: /),
  ]);
});

test('commands of the pages have flags, scripts and files that exist', () => {
  const commands = inLanguages('sh', 'bash');
  expect(commands.filter(({ code }) => code.includes('model-gateway')).length).toBeGreaterThan(5);
  expect(commands.flatMap(checkCommands)).toEqual([]);
  expect(wrongIn(/sh/).flatMap(checkCommands)).toEqual([
    expect.stringMatching(/^wrong\.md:19: model-gateway serve --prot 8855: .*--prot/),
    'wrong.md:19: npm run nothing: there is no such script',
    'wrong.md:19: nowhere.mjs does not exist',
    expect.stringMatching(/^wrong\.md:19: model-gateway replay --dri fixtures: .*--dri/),
  ]);
});
