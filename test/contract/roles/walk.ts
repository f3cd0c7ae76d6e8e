import { createGateway, type Gateway, type Store } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { expect } from 'vitest';

import { PERMISSIONS, reachOf } from '../../../packages/core/src/api/permissions.ts';
import { ROUTES } from '../../../packages/core/src/api/routes.ts';
import { VIRTUAL_EPOCH_MS } from '../../support/async/virtual-platform.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';
import {
  type Actor,
  createOrganization,
  fillStore,
  type Organization,
  restrictTo,
  toActor,
  WORKSPACES,
} from './organization.ts';

/** What is read though its method says otherwise, with bodies that ask for all there is. */
const READING_POSTS: Readonly<Record<string, readonly object[]>> = {
  queryAnalytics: [
    { metrics: ['request_count'] },
    ...['model', 'user', 'api_key_id', 'workspace', 'app', 'external_user', 'provider'].map((dimension) => ({
      metrics: ['request_count', 'total_usage', 'tokens_prompt'],
      dimensions: [dimension],
    })),
    { metrics: ['request_count'], filters: [{ field: 'user', operator: 'eq', value: 'emil' }] },
    { metrics: ['request_count'], filters: [{ field: 'api_key_id', operator: 'eq', value: 'KEY' }] },
  ],
};

/** Queries that a curious member sends to a list, with ids of others in the place of words in capitals. */
const QUERIES = [
  '',
  'limit=3',
  'limit=100&order=asc',
  'sort=cost&limit=20',
  'member=emil',
  'member=ME',
  'member=-',
  'key=KEY',
  'user_id=emil',
  'api_key_hash=KEY',
  'workspace_id=space-2',
  'workspace_id=space-1',
  'group_by=workspace',
  'include_disabled=true',
  'session=shared',
  'session_id=shared',
  'session=session-of-emil',
  'text=emil',
  'text=content',
  'where=member%3Aemil',
  'where=-member%3AME',
  'where=workspace%3Aspace-2',
  'where=cost%3E0.0005',
  'id=GENERATION',
  'split=member&facets=true&compare=true',
  'split=key&facets=true&from=2024-01-01T00%3A00%3A00Z&buckets=4',
  'split=app&rank=cost',
  'from=2024-01-01T00%3A00%3A00Z&facets=true',
  'content=true&format=ndjson',
  'format=csv&member=emil',
  'fields=id,prompt_preview,user_id,key_hash',
  'sort=trending',
  'turn_range=1-turn',
];

async function createGatewayOf(store: Store, organization: Organization): Promise<Gateway> {
  await fillStore(store, organization);
  return createGateway({
    store,
    platform: { ...createNodePlatform(), now: () => VIRTUAL_EPOCH_MS, monotonicNow: () => 0 },
    providers: [],
    models: [],
    authenticate: () => null,
  });
}

interface Question {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body?: object;
}

/** Every reading operation that the member may perform on what is theirs, on own ids and those of others. */
async function toQuestions(actor: Actor, all: Organization): Promise<Question[]> {
  const own = restrictTo(actor, all);
  const isOwn = new Set<unknown>([
    ...own.keys,
    ...own.generations,
    ...own.videos,
    ...own.guardrails,
    ...own.workspaces,
  ]);
  const someOf = <Item>(items: readonly Item[]): Item[] => [
    ...items.filter((item) => isOwn.has(item)).slice(0, 2),
    ...items.filter((item) => !isOwn.has(item)).slice(0, 1),
  ];
  const ids: Readonly<Record<string, readonly string[]>> = {
    hash: someOf(all.keys).map(({ hash }) => hash),
    jobId: someOf(all.videos).map(({ id }) => id),
  };
  const idsOf = (path: string): readonly string[] => {
    if (path.includes('/guardrails/')) return someOf(all.guardrails).map(({ id }) => id);
    if (path.includes('/workspaces/')) return WORKSPACES;
    return someOf(all.generations).map(({ generation: { id } }) => id);
  };
  const otherKey = all.keys.find((key) => !isOwn.has(key))?.hash ?? '';
  const otherCall = all.generations.find((record) => !isOwn.has(record))?.generation.id ?? '';
  const fill = (text: string): string =>
    text.replaceAll('KEY', otherKey).replaceAll('GENERATION', otherCall).replaceAll('ME', actor.id);
  const questions = ROUTES.map(async ({ operationId, method, path, load }): Promise<Question[]> => {
    const reach = Object.hasOwn(PERMISSIONS, operationId) ? reachOf(actor.principal, operationId) : null;
    const bodies = READING_POSTS[operationId];
    if (reach === null || reach === 'all' || (method !== 'GET' && bodies === undefined)) return [];
    const known = new Set(Object.keys((await load()).query?.shape ?? {}));
    const isTaken = (query: string): boolean => [...new URLSearchParams(query).keys()].every((one) => known.has(one));
    const [, name] = /\{(\w+)\}/.exec(path) ?? [];
    const paths =
      name === undefined
        ? [path]
        : (ids[name] ?? idsOf(path)).map((id) =>
            path
              .replace(`{${name}}`, encodeURIComponent(id))
              .replace('{interval}', 'monthly')
              .replace('{slug}', 'x')
              .replace('{version}', '1'),
          );
    return paths.flatMap((filled) => {
      if (bodies !== undefined)
        return bodies.map((body) => ({
          operationId,
          method,
          path: filled,
          query: '',
          body: JSON.parse(fill(JSON.stringify(body))) as object,
        }));
      const isList = name === undefined;
      const calls = someOf(all.generations).map(({ generation: { id } }) => `id=${id}`);
      const queries = isList ? [...QUERIES.map(fill), ...calls] : ['', 'optional=true'];
      return queries.filter(isTaken).map((query) => ({
        operationId,
        method,
        path: filled,
        query,
      }));
    });
  });
  return (await Promise.all(questions)).flat();
}

async function ask(gateway: Gateway, actor: Actor, question: Question): Promise<{ status: number; text: string }> {
  const { status, body } = await gateway.handle({
    ...question,
    headers: {},
    baseUrl: 'http://gateway',
    signal: new AbortController().signal,
    principal: actor.principal,
    ...bodyOf(JSON.stringify(question.body ?? {})),
  });
  if (body === null || typeof body === 'string') return { status, text: body ?? '' };
  if (body instanceof Uint8Array) return { status, text: new TextDecoder().decode(body) };
  let text = '';
  for await (const chunk of body) text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
  return { status, text };
}

/** The response and all its further pages. */
async function askAll(gateway: Gateway, actor: Actor, question: Question) {
  const pages = [await ask(gateway, actor, question)];
  for (let page = 0; page < 3; page += 1) {
    const { next_cursor: cursor } = toJson(pages.at(-1)?.text) as { next_cursor?: string | null };
    if (cursor == null) break;
    pages.push(await ask(gateway, actor, { ...question, query: `${question.query}&cursor=${cursor}` }));
  }
  return pages;
}

const toJson = (text = ''): object => {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
};

/** Opens an empty store of a kind; `close` closes it and removes what it has left. */
export type OpenStore = () => Promise<{ readonly store: Store; readonly close: () => Promise<void> }>;

/**
 * Asks every reading operation as members of an organization with so many calls, and the same of a gateway that has
 * nothing of others: what both respond is to be the same, to the byte.
 */
export async function walkAsMembers(open: OpenStore, count: number): Promise<void> {
  const all = createOrganization(count, VIRTUAL_EPOCH_MS);
  const whole = await open();
  const gateway = await createGatewayOf(whole.store, all);
  const actors = [toActor('anna', 'developer', all), toActor('bert', 'viewer', all), toActor('cleo', 'developer', all)];
  expect(actors.map(({ administers }) => administers)).toEqual([[], [], ['space-1']]);
  let answered = 0;
  for (const actor of actors) {
    const own = restrictTo(actor, all);
    expect(own.generations.length).toBeGreaterThan(count / 20);
    const restricted = await open();
    const alone = await createGatewayOf(restricted.store, own);
    const differing: string[] = [];
    for (const question of await toQuestions(actor, all)) {
      const shown = await askAll(gateway, actor, question);
      const expected = await askAll(alone, actor, question);
      answered += shown.filter(({ status }) => status === 200).length;
      expect([question.operationId, shown[0]?.status]).not.toEqual([question.operationId, 500]);
      if (JSON.stringify(shown) !== JSON.stringify(expected))
        differing.push(`${actor.id}: ${question.method} ${question.path}?${question.query}`);
    }
    expect(differing).toEqual([]);
    await alone.close();
    await restricted.close();
  }
  // An operation that fails for all would show nothing as well.
  expect(answered).toBeGreaterThan(300);
  await gateway.close();
  await whole.close();
}
