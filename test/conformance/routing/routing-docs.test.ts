import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { routingExplanationSchema } from '../../../packages/core/src/wire/routing-explanation.ts';
import { providerPreferencesSchema } from '../../../packages/core/src/wire/routing.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../support/gateways/core-gateway.ts';
import { createRoutedGateway } from '../../support/gateways/routed-gateway.ts';
import { MODEL_OF_SEVEN, PROVIDERS_OF_SEVEN, REQUEST_OF_ONE } from '../../support/gateways/six-exclusions.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const testsIn = (folder: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => read(folder + name));

const namesIn = (folder: string): string[] => readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
const testFiles = [...namesIn('packages/core/src/routing/'), ...namesIn('test/engines/')];
const page = read('docs/routing.md');
const [, promises = ''] = read('docs/promises.md').split('\n## Routing\n');
const client = read('test/conformance/routing/routing.test.ts');
const tests = [
  ...testsIn('packages/core/src/catalog/'),
  ...testsIn('packages/core/src/calls/'),
  ...testsIn('packages/core/src/routing/'),
  ...testsIn('packages/core/src/dispatch/'),
  ...testsIn('packages/core/src/api/'),
  ...testsIn('packages/core/src/chat/'),
  ...testsIn('packages/core/src/videos/'),
  ...testsIn('test/conformance/'),
  ...testsIn('test/contract/'),
  ...testsIn('test/faults/'),
];

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Texts in italics that are long enough to be a test's title. */
const titles = [
  ...new Set(
    [...promises.replaceAll(/`[^`\n]*\*[^`\n]*`/g, '').matchAll(/(?<!\*)\*([^*\n|]{15,}?)\*(?!\*)/g)].map(
      ([, title = '']) => title,
    ),
  ),
];

test('docs/routing.md tells of every preference', () => {
  for (const field of Object.keys(providerPreferencesSchema.shape)) expect(page).toContain(`| \`${field}`);
});

test('docs/routing.md shows what is explained of a request that leaves one endpoint of seven', async () => {
  const { post } = createRoutedGateway(PROVIDERS_OF_SEVEN, [MODEL_OF_SEVEN]);
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const body = jsonOf(await post('/admin/v1/explain', REQUEST_OF_ONE, { headers }));
  const { endpoints } = routingExplanationSchema.parse(body['data']);
  const lines = endpoints.map(({ provider, included, rank, rule, price: { compared } }) =>
    JSON.stringify({ provider, included, rank, rule, compared }),
  );
  const blocks = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, block = '']) => block.trim());
  expect(blocks).toContain(lines.join('\n'));
  expect(blocks.filter((block) => !block.includes('…')).map(parse)).toContainEqual(REQUEST_OF_ONE);
});

test('docs/promises.md names a good many tests of routing', () => {
  expect(titles.length).toBeGreaterThan(40);
});

test.each(titles)('there is a test called "%s", as docs/promises.md says', (title) => {
  if (title.endsWith('.test.ts')) return expect(testFiles.some((file) => file.endsWith(title))).toBe(true);
  // One case of a table: its title ends in its name.
  const [, heeded] = /^the OpenRouter client heeds (.+)$/.exec(title) ?? [];
  if (heeded !== undefined) return expect(client).toContain(`'${heeded}'`);
  // Where a table fills in values, the page has dots or an example of one.
  const pieces = title.split(/…|\{.*?\}/).map((piece) => piece.trim());
  expect(tests.some((source) => pieces.every((piece) => source.includes(piece)))).toBe(true);
});
