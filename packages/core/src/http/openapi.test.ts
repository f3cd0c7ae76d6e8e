import { readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { ROUTES, ROUTES_BY_TAG } from '../api/routes.ts';
import { toOpenApi } from './openapi.ts';

const API = new URL('../api', import.meta.url);

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema: { readonly required?: string[]; readonly properties: Record<string, unknown> } }
    >;
  };
  readonly responses: Record<
    string,
    { readonly headers?: Record<string, object>; readonly content?: Record<string, { readonly schema?: object }> }
  >;
}

const document = (await toOpenApi(ROUTES_BY_TAG)) as {
  openapi: string;
  tags: readonly { readonly name: string }[];
  components: { readonly schemas: Readonly<Record<string, object>> };
  paths: Record<string, Record<string, Operation>>;
};

test.each(ROUTES.map(({ method, path, auth }) => [method, path, auth] as const))(
  'describes %s %s',
  (method, route, auth) => {
    const operation = document.paths[route.replace('+', '')]?.[method.toLowerCase()];
    expect(operation?.responses).toHaveProperty('default');
    expect(operation?.security).toEqual(auth === 'none' ? [] : [{ bearer: [] }]);
    const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...route.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name));
  },
);

test('describes only its routes, in a version that tools support', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(Object.values(document.paths).flatMap((path) => Object.keys(path))).toHaveLength(ROUTES.length);
});

test('names every operation once, as the export that defines it, and gives it the tag of its resource', async () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  const files = readdirSync(API, { recursive: true, encoding: 'utf8' }).filter((file) => !file.endsWith('.test.ts'));
  const modules = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => import(/* @vite-ignore */ `../api/${file}`));
  const exported = new Map((await Promise.all(modules)).flatMap((module: object) => Object.entries(module)));
  for (const { operationId, load } of ROUTES)
    expect([operationId, exported.get(operationId)]).toEqual([operationId, await load()]);
  const tags = document.tags.map(({ name }) => name);
  expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(new Set(tags));
});

test.each([
  ['post', '/api/v1/chat/completions', 'x-session-id', 'x-generation-id'],
  ['post', '/api/v1/embeddings', 'x-session-id', 'x-generation-id'],
  ['post', '/api/v1/rerank', 'x-session-id', 'x-generation-id'],
  ['post', '/api/v1/images', 'x-session-id', 'x-generation-id'],
  ['post', '/api/v1/videos', 'idempotency-key', 'x-generation-id'],
  ['get', '/api/v1/videos/{jobId}/content', 'range', 'content-range'],
  ['get', '/admin/v1/generations/feed', 'last-event-id', 'cache-control'],
])('describes the headers that %s %s reads and sends', (method, route, read, sent) => {
  const operation = document.paths[route]?.[method];
  const headers = operation?.parameters.flatMap((parameter) => (parameter.in === 'header' ? [parameter.name] : []));
  expect(headers).toContain(read);
  const [success] = Object.values(operation?.responses ?? {});
  expect(Object.keys(success?.headers ?? {})).toContain(sent);
  expect(operation?.responses).toHaveProperty('default.headers.retry-after');
});

test('describes bodies and queries by the schemas that check them', () => {
  const chat = document.paths['/api/v1/chat/completions']?.['post'];
  const schema = chat?.requestBody?.content['application/json']?.schema;
  // The messages may be those of a stored prompt.
  expect(schema?.required).toBeUndefined();
  expect(schema?.properties['temperature']).toEqual({
    anyOf: [{ type: 'number', minimum: 0, maximum: 2 }, { type: 'null' }],
  });
  const generation = document.paths['/api/v1/generation']?.['get'];
  expect(generation?.parameters).toEqual([
    { name: 'id', in: 'query', required: true, schema: { type: 'string', minLength: 1 } },
  ]);
  const models = document.paths['/api/v1/models']?.['get'];
  expect(models?.parameters.every(({ required }) => !required)).toBe(true);
});

/** Media types of files and texts that no schema describes. */
const PLAIN_TYPES = [
  'application/octet-stream',
  'application/zip',
  'audio/*',
  'image/*',
  'video/*',
  'text/csv',
  'text/plain',
  'text/vtt',
];

test.each(ROUTES.map(({ method, path }) => [method, path] as const))(
  'describes the response of %s %s: the schema of each media type, except of files and plain text',
  (method, path) => {
    const operation = document.paths[path.replace('+', '')]?.[method.toLowerCase()];
    const successes = Object.entries(operation?.responses ?? {}).filter(([status]) => /^(?:2..|302)$/.test(status));
    const [content] = successes.map(([, response]) => response.content);
    expect(successes.length).toBeGreaterThan(0);
    expect(Object.keys(content ?? {})).not.toEqual([]);
    const undescribed = Object.entries(content ?? {}).filter(([, { schema = {} }]) => Object.keys(schema).length === 0);
    expect(PLAIN_TYPES).toEqual(expect.arrayContaining(undescribed.map(([type]) => type)));
  },
);

test.each([
  ['/api/v1/chat/completions', 'application/json', 'properties'],
  ['/api/v1/chat/completions', 'text/event-stream', 'properties.data.properties'],
  ['/api/v1/embeddings', 'application/json', 'properties'],
  ['/api/v1/rerank', 'application/json', 'properties'],
  ['/api/v1/images', 'application/json', 'properties'],
])('describes the routing metadata in the response of %s in %s', (path, type, place) => {
  const schema = document.paths[path]?.['post']?.responses['200']?.content?.[type]?.schema;
  const stage = `${place}.service_metadata.properties.pipeline.items`;
  expect(schema).toHaveProperty(`${stage}.required`, ['type', 'name']);
});

const CALL_STATUSES = ['400', '401', '402', '403', '404', '408', '413', '415', '422', '429', '500', '502', '503'];

test.each([
  ['a call to a model', 'post', '/api/v1/chat/completions', CALL_STATUSES],
  ['one whose job can contradict another', 'post', '/api/v1/videos', [...CALL_STATUSES, '409'].toSorted()],
  ['a list', 'get', '/api/v1/credits', ['401', '403', '429', '500', '503']],
  ['a list with a query', 'get', '/api/v1/keys', ['400', '401', '403', '429', '500', '503']],
  ['what is named by its path', 'get', '/api/v1/keys/{hash}', ['400', '401', '403', '404', '429', '500', '503']],
  ['what needs no key', 'get', '/health', ['500', '503']],
])('describes the statuses of errors by what causes them: %s', (_, method, route, statuses) => {
  const operation = document.paths[route]?.[method];
  expect(Object.keys(operation?.responses ?? {}).filter((status) => /^[45]/.test(status))).toEqual(statuses);
  for (const status of statuses)
    expect(operation?.responses[status]).toHaveProperty('content.application/json.schema.$ref');
});

test('describes errors in the form of their API', () => {
  const refusalOf = (route: string) => document.paths[route]?.['post']?.responses['400']?.content?.['application/json'];
  expect(refusalOf('/api/v1/messages')?.schema).toEqual({ $ref: '#/components/schemas/MessagesError' });
  expect(refusalOf('/api/chat')?.schema).toEqual({ $ref: '#/components/schemas/OllamaError' });
  expect(document.components.schemas).toMatchObject({ Error: {}, MessagesError: {}, OllamaError: {} });
});

test('describes operations that are loaded late by their own schemas', () => {
  const key = document.paths['/api/v1/keys']?.['post'];
  expect(key?.requestBody?.content['application/json']?.schema.required).toEqual(['name']);
  expect(key?.responses['201']?.content?.['application/json']?.schema).toMatchObject({ required: ['data', 'key'] });
});

test('describes the query of a stream of events', () => {
  const feed = document.paths['/admin/v1/generations/feed']?.['get'];
  expect(feed?.parameters).toContainEqual(expect.objectContaining({ name: 'fields', in: 'query', required: false }));
});

test('serves the document without a key, the same each time', async () => {
  const { get } = createCoreGateway(createScriptedTransport());
  const first = await get('/openapi.json', null);
  expect(first).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  const { servers, ...served } = jsonOf(first);
  expect(servers).toEqual([{ url: 'https://gateway.example' }]);
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
  expect((await get('/openapi.json', null)).body).toBe(first.body);
});
