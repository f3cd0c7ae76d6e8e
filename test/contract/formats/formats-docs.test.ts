import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { wires } from '../../support/gateways/ask-wire.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The table of formats, wires and clients: a row for each client, with the title of its test below each wire. */
const [, section = ''] = read('docs/formats.md').split('\n## Tests\n');
const [head, , ...rows] = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').slice(1, -1));
const columns = (head ?? []).slice(2).map((cell) => cell.replaceAll('`', '').trim());

const named = rows.flatMap(([, client = '', ...cells]) => {
  const { file = '' } = /\(\.\.\/(?<file>[^)]+)\)/.exec(client)?.groups ?? {};
  return cells.flatMap((cell) => {
    const { title } = /^\*(?<title>.+)\*$/.exec(cell.trim())?.groups ?? {};
    return title === undefined ? [] : [{ file, title }];
  });
});

test('docs/formats.md has a column for every wire', () => {
  expect(columns.toSorted()).toEqual(wires.toSorted());
});

test.each(['/chat/completions', '/messages', '/responses', '/completions', '/api/chat'])(
  'docs/formats.md names a test of %s over every wire',
  (format) => {
    const cells = rows.filter(([formats = '']) => formats.includes(`\`${format}\``)).map(([, , ...titles]) => titles);
    expect(columns.filter((_, at) => !cells.some((titles) => titles[at]?.trim()))).toEqual([]);
  },
);

test.each(named)('there is a test called "$title" in $file, as docs/formats.md says', ({ file, title }) => {
  // Where a table fills in values, the page has dots.
  for (const piece of title.split('…')) expect(read(file)).toContain(piece);
});

const properties = [...section.matchAll(/^Beyond.*$/gm)].flatMap(([line]) =>
  [...line.matchAll(/\*([^*]+)\*/g)].map(([, title = '']) => title),
);

test.each(properties)('there are tests called "%s" in test/contract/formats, as docs/formats.md says', (title) => {
  const files = ['requests', 'completions'].map((name) => read(`test/contract/formats/${name}.test.ts`));
  expect(files.some((source) => source.includes(title))).toBe(true);
});
