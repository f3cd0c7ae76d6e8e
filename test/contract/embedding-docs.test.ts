import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/embedding.md`, 'utf8');

const toLines = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

const snippets = [...page.matchAll(/<!-- from (\S+) -->\s+```\w+\n([^]*?)```/g)].map(
  ([, file = '', code = '']) => [file, code] as const,
);

test('the page about embedding shows every host', () => {
  expect(snippets.map(([file]) => file)).toHaveLength(7);
});

test.each(snippets)('what the page about embedding shows of %s is what runs there', (file, code) => {
  expect(existsSync(root + file)).toBe(true);
  expect(toLines(readFileSync(root + file, 'utf8'))).toContain(toLines(code));
});
