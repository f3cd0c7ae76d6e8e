import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ROUTES_BY_TAG } from '../../packages/core/src/api/routes.ts';
import { toOpenApi } from '../../packages/core/src/http/openapi.ts';
import { listOperations, type NamedOperation } from '../support/openapi/list-operations.ts';

/** Names of the public API, written by scripts/write-public-api.ts. */
const PUBLIC = JSON.parse(readFileSync(new URL('public-api.json', import.meta.url), 'utf8')) as NamedOperation[];

const document = (await toOpenApi(ROUTES_BY_TAG)) as unknown as Parameters<typeof listOperations>[0];
const OURS = new Map(listOperations(document).map((one) => [one.operation.replace('/api/v1', ''), one]));

type Part = 'statuses' | 'query' | 'body' | 'response';

/** Statuses that this gateway never returns: those of the network in front of the public API. */
const NETWORK_STATUSES = ['524', '529'];

/** What of a shared operation is not here, and why. */
const GAPS: Readonly<Record<string, Partial<Record<Part, readonly string[]>>>> = {
  // There is one account, which is always found.
  'GET /activity': { statuses: ['404'] },
  'GET /models/user': { statuses: ['404'] },
  'GET /organization/members': { statuses: ['404'] },
  'GET /scim/groups': { statuses: ['404'] },
  'GET /scim/group-mappings': { statuses: ['404'] },
  // Records are read from this gateway's own store, which neither costs credits nor has an upstream.
  'GET /generation': { statuses: ['402', '502'] },
  'GET /generation/content': { statuses: ['502'] },
  // Files are stored here, without a provider that could fail.
  'GET /files': { statuses: ['502'] },
  'POST /files': { statuses: ['502'] },
  'GET /files/{}': { statuses: ['502'] },
  'DELETE /files/{}': { statuses: ['502'] },
  'GET /files/{}/content': { statuses: ['502'] },
  // Two destinations may have the same address.
  'POST /observability/destinations': { statuses: ['409'] },
  'PATCH /observability/destinations/{}': { statuses: ['409'] },
  // Usage is added up anew for each query.
  'POST /analytics/query': { response: ['data.cachedAt'] },
  // Two codes never collide.
  'POST /auth/keys/code': { statuses: ['409'] },
  // The list of models for videos takes no query.
  'GET /videos/models': { statuses: ['400'] },
  // No endpoint here clones voices.
  'GET /endpoints/zdr': { response: ['data.supports_voice_cloning'] },
  // Clients join the texts of the output themselves; errors have their type in `error`.
  'POST /responses': { response: ['error_type', 'output_text'] },
};

/** What is there only to say why it is not. */
const REFUSED = ['GET /benchmarks', 'GET /classifications/task', 'POST /credits/coinbase'];

const isShared = ({ operation }: NamedOperation): boolean => OURS.has(operation) && !REFUSED.includes(operation);

test.each(PUBLIC.filter(isShared).map((one) => [one.operation, one] as const))(
  'describes all that the public API describes of %s, but for known gaps',
  (operation, publicOne) => {
    const ours = OURS.get(operation);
    const missing = (['statuses', 'query', 'body', 'response'] as const).flatMap((part) => {
      const names = publicOne[part].filter((name) => ours?.[part].includes(name) === false);
      const lacking = names.filter((name) => part !== 'statuses' || !NETWORK_STATUSES.includes(name));
      return lacking.length === 0 ? [] : [[part, lacking] as const];
    });
    expect(Object.fromEntries(missing)).toEqual(GAPS[operation] ?? {});
  },
);

test('names no gap of an operation that is not there', () => {
  expect(Object.keys(GAPS).filter((operation) => !OURS.has(operation))).toEqual([]);
});

/** What the page says of each operation, by the first word. */
const PAGE = readFileSync(new URL('../../docs/api/public-api.md', import.meta.url), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| `([A-Z]+ [^`]+)` \| (served|from own records|refused|planned)/gm)];
const SAID = new Map(ROWS.map(([, operation = '', what]) => [operation.replaceAll(/\{[^}]*\}/g, '{}'), what]));

test('says of every operation of the public API what it is here', () => {
  expect(SAID.size).toBe(ROWS.length);
  expect([...SAID.keys()].toSorted()).toEqual(PUBLIC.map(({ operation }) => operation).toSorted());
  const planned = PUBLIC.filter(({ operation }) => !OURS.has(operation)).map(({ operation }) => operation);
  const saidOf = (word: string): string[] =>
    [...SAID].flatMap(([name, what]) => (what === word ? [name] : [])).toSorted();
  expect(saidOf('planned')).toEqual(planned.toSorted());
  expect(saidOf('refused')).toEqual(REFUSED.toSorted());
});
