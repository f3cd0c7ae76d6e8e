import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ROUTES } from '../../packages/core/src/api/routes.ts';
import type { Route } from '../../packages/core/src/http/route.ts';
import { chatCompletionRequestSchema } from '../../packages/core/src/wire/chat-request.ts';
import { createKeyRequestSchema, updateKeyRequestSchema } from '../../packages/core/src/wire/keys.ts';

const folder = new URL('../../docs/api/', import.meta.url);
const pages = globSync('*.md', { cwd: folder }).map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** The text below a heading, up to the next one, on every page that has it, without what is fenced. */
const section = (title: string): string =>
  pages
    .map((page) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
    .join('\n')
    .replaceAll(/```[^]*?```/g, '');

/** The cells of every row of the tables in a text. */
const rowsOf = (text: string): string[][] =>
  text.split('\n').flatMap((line) =>
    /^\| (?!---)/.test(line)
      ? [
          line
            .slice(1, -1)
            .split(/(?<!\\)\|/)
            .map((cell) => cell.trim()),
        ]
      : [],
  );

/** What stands in backticks. */
const namesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

const nameOf = ({ method, path }: Pick<Route<unknown>, 'method' | 'path'>): string => `${method} ${path}`;

/** The words for who may call an operation. */
const CALLERS: Readonly<Record<Route<unknown>['auth'], readonly string[]>> = {
  api: ['API'],
  management: ['management', 'the token of SCIM'],
  any: ['any', "the job's own, or management", 'the same'],
  none: [
    'none',
    'the cookie',
    'none on this machine by `localhost` or a loopback address, else `metrics.token` or management',
  ],
};

test.each(ROUTES.map((route) => [nameOf(route), route.auth] as const))(
  'docs/api has a row for %s, with the key that it needs',
  (name, auth) => {
    const rows = rowsOf(section('Operations')).filter(([operations]) =>
      namesIn(operations).some((one) => one === name || one.startsWith(`${name}?`)),
    );
    expect(rows).toHaveLength(1);
    expect(CALLERS[auth]).toContain(rows[0]?.[1]);
  },
);

test('docs/api names the operations at which a key of the other kind is 401', () => {
  const named = rowsOf(section('Keys and who may do what')).flatMap(([, operations]) =>
    namesIn(operations).filter((name) => /^[A-Z]+ \//.test(name)),
  );
  const actual = ROUTES.filter(({ wrongKey }) => wrongKey === 401).map(nameOf);
  expect(named.toSorted()).toEqual(actual.toSorted());
});

test('docs/api has the fields that a key is made of, and those that can be changed', () => {
  const fields = rowsOf(section('Create a key')).flatMap(([field]) => namesIn(field));
  expect(fields).toEqual(Object.keys(createKeyRequestSchema.shape));
  const [, , change] = rowsOf(section('Operations')).find(([name]) => name?.includes('PATCH /api/v1/keys/')) ?? [];
  expect(namesIn(change)).toEqual(expect.arrayContaining(Object.keys(updateKeyRequestSchema.shape)));
  expect(section('Refused')).not.toContain('limit_reset');
});

test.each(Object.keys(chatCompletionRequestSchema.shape))('docs/api says what becomes of %s of a chat', (field) => {
  const text = ['Chat completions', 'Accepted without effect', 'Refused'].map(section).join('\n');
  const places = namesIn(text).filter((name) => name === field || name.startsWith(`${field}.`));
  expect(places).not.toEqual([]);
});

test('docs/api does not say of what is recorded that it has no effect', () => {
  const ignored = rowsOf(section('Accepted without effect')).flatMap(([what]) => namesIn(what));
  expect(ignored).toContain('metadata');
  expect(ignored).not.toContain('trace');
});
