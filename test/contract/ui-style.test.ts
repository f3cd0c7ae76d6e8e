import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'docs/ui-style.md'), 'utf8');
const css = readFileSync(join(root, 'packages/ui/src/app.css'), 'utf8');

const source = join(root, 'packages/ui/src');
const components = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));

/** What of the source matches, as "file: text", without what is allowed. */
function findOthers(pattern: RegExp, allowed: readonly string[]): string[] {
  return components.flatMap(({ name, text }) =>
    [...text.matchAll(pattern)]
      .map(([found]) => found)
      .filter((found) => !allowed.includes(found))
      .map((found) => `${name}: ${found}`),
  );
}

/** The words in backticks of the page, such as `text-sm`, that begin with a prefix. */
const onPage = (prefix: string): string[] =>
  [...page.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word).filter((word) => word.startsWith(prefix));

test('every size of text is one of the page', () => {
  const sizes = onPage('text-');
  expect(sizes.length).toBeGreaterThan(4);
  expect(findOthers(/\btext-(?:\[[^\]]+\]|2xs|xs|sm|base|lg|xl|[2-9]xl)(?![\w-])/g, sizes)).toEqual([]);
});

test('every weight of text is one of the page, and texts are neither italic nor capitals', () => {
  expect(findOthers(/\bfont-(?:thin|light|bold|extrabold|black)\b|\b(?:italic|uppercase)(?=[ '"`])/g, [])).toEqual([]);
});

test('every rounding of corners is one of the page', () => {
  const corners = [...onPage('rounded'), 'rounded-none'];
  expect(
    findOthers(/(?<=[ '"`])rounded(?:-(?:\[[^\]]+\]|xs|sm|md|lg|[2-9]?xl|full|none))?(?=[ '"`])/g, corners),
  ).toEqual([]);
});

test('no screen has a color of its own: but for the black behind a film', () => {
  const own =
    /(?<=[ '"`:])(?:bg|text|border|fill|stroke|outline|ring)-(?:(?:red|green|blue|gray|slate|zinc|amber|yellow|orange|emerald|indigo|violet|pink|white|black)(?:-\d+)?|\[#[^\]]+\])(?![\w-])|#[0-9a-fA-F]{6}\b/g;
  expect(findOthers(own, ['bg-black'])).toEqual([]);
});

test('no screen has a native control of its own where there is a part for it', () => {
  const selects = components.filter(({ text }) => /<select\b/.test(text)).map(({ name }) => name);
  expect(selects).toEqual(['parts/controls/select.tsx']);
});

test('every role of the page has a value in both themes', () => {
  const [, table = ''] = /## Colours\n(.*?)\n## /s.exec(page) ?? [];
  const roles = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z\d-]+)`/g)].map(([, role = '']) => role).filter((role) => !role.startsWith('-')),
  );
  expect(roles.length).toBeGreaterThan(12);
  const [, light = '', dark = ''] = /^:root \{(.*?)^\}.*?^:root\[data-theme='dark'\] \{(.*?)^\}/ms.exec(css) ?? [];
  for (const theme of [light, dark]) expect(roles.filter((role) => !theme.includes(`--${role}:`))).toEqual([]);
});
