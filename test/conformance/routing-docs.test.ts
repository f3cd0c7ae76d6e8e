import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { providerPreferencesSchema } from '../../packages/core/src/schemas/provider-preferences.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const testsIn = (folder: string): string[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(folder + name));

const page = read('docs/routing.md');
const client = read('test/conformance/routing.test.ts');
const tests = [...testsIn('packages/core/src/routing/'), ...testsIn('packages/core/src/operations/'), client];

/** What stands in italics, where it is long enough to be a title. */
const titles = [...new Set([...page.matchAll(/(?<!\*)\*([^*\n|]{15,}?)\*(?!\*)/g)].map(([, title = '']) => title))];

test('docs/routing.md tells of every preference', () => {
  for (const field of Object.keys(providerPreferencesSchema.shape)) expect(page).toContain(`| \`${field}`);
});

test('docs/routing.md names a good many tests', () => {
  expect(titles.length).toBeGreaterThan(40);
});

test.each(titles)('there is a test called "%s", as docs/routing.md says', (title) => {
  if (title.endsWith('.test.ts')) return expect(() => read(`packages/core/src/routing/${title}`)).not.toThrow();
  // One case of a table: its title ends in its name.
  const [, heeded] = /^the OpenRouter client heeds (.+)$/.exec(title) ?? [];
  if (heeded !== undefined) return expect(client).toContain(`'${heeded}'`);
  // Where a table fills in values, the page has dots or an example of one.
  const pieces = title.split(/…|\{.*?\}/).map((piece) => piece.trim());
  expect(tests.some((source) => pieces.every((piece) => source.includes(piece)))).toBe(true);
});
