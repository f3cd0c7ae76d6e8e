import { expect, test, vi } from 'vitest';

import { ROUTES } from '../api/routes.ts';
import { geminiErrors } from '../formats/gemini/to-error.ts';
import { messagesErrors } from '../formats/messages/to-error.ts';
import { scimErrors } from '../scim/scim-error.ts';
import type { Operation } from './operation.ts';
import { createRouter } from './route.ts';

const { match: matchRoute, has: hasRoute, methodsOf, errorsOf } = createRouter(ROUTES);

test.each(ROUTES.map(({ method, path }) => [method, path] as const))('finds %s %s', (method, path) => {
  const concrete = path.replace('{author}', 'acme').replace('{slug+}', 'chat');
  expect(matchRoute(method, concrete).route).toMatchObject({ method, path });
});

test.each([
  ['/api/v1/models/acme/chat/endpoints', { author: 'acme', slug: 'chat' }],
  ['/api/v1/models/acme/chat:free/endpoints', { author: 'acme', slug: 'chat:free' }],
  ['/api/v1/models/local/library/llama3:8b/endpoints', { author: 'local', slug: 'library/llama3:8b' }],
  ['/api/v1/models/acme/ch%C3%A4t%3Afree/endpoints', { author: 'acme', slug: 'chät:free' }],
  ['/api/v1/models/acme/endpoints/endpoints', { author: 'acme', slug: 'endpoints' }],
])('reads the variable parts of %s', (path, params) => {
  expect(matchRoute('GET', path).params).toEqual(params);
});

test.each([
  '//',
  '',
  '/api/v1',
  '/api/v1/models/',
  '/api/v1//models',
  '/API/v1/models',
  '/api/v1/models/acme/endpoints',
  '/api/v1/models//chat/endpoints',
  '/api/v1/x/../models',
  '/api/v1%2Fmodels',
  '/openapiXjson',
  '/api/v1/models?x=1',
  '/__proto__',
  '/constructor',
])('finds nothing at "%s"', (path) => {
  expect(() => matchRoute('GET', path)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }));
  expect(methodsOf(path)).toEqual([]);
});

test('finds a route for HEAD wherever it finds one for GET', () => {
  expect(matchRoute('HEAD', '/api/v1/models').route.path).toBe('/api/v1/models');
  expect(methodsOf('/api/v1/models')).toEqual(['GET', 'HEAD']);
  expect(methodsOf('/api/v1/chat/completions')).toEqual(['POST']);
});

test.each([
  ['GET', '/api/v1/chat/completions', 'POST'],
  ['HEAD', '/api/v1/chat/completions', 'POST'],
  ['POST', '/api/v1/models', 'GET, HEAD'],
  ['DELETE', '/api/v1/models/a/b/endpoints', 'GET, HEAD'],
  ['get', '/api/v1/models', 'GET, HEAD'],
  ['OPTIONS', '/health', 'GET, HEAD'],
])('refuses %s %s and names what it takes: %s', (method, path, allowed) => {
  expect(() => matchRoute(method, path)).toThrow(
    expect.objectContaining({ code: 'method_not_allowed', status: 405, message: `This path supports ${allowed} only` }),
  );
});

test('refuses a variable part that cannot be decoded', () => {
  expect(() => matchRoute('GET', '/api/v1/models/acme/%zz/endpoints')).toThrow(
    expect.objectContaining({ code: 'invalid_request', status: 400 }),
  );
});

test('tells adapters which paths are the gateway’s, by surface', () => {
  expect(hasRoute('GET', '/api/v1/models', ['api'])).toBe(true);
  expect(hasRoute('HEAD', '/api/v1/models', ['api'])).toBe(true);
  expect(hasRoute('POST', '/api/v1/models', ['api'])).toBe(false);
  expect(hasRoute('GET', '/metrics', ['api', 'health'])).toBe(false);
  expect(hasRoute('GET', '/metrics', ['metrics'])).toBe(true);
  expect(hasRoute('GET', '/elsewhere', ['api', 'metrics', 'openapi', 'health'])).toBe(false);
});

test('loads an operation once, on its first use, and tries again after a failed load', async () => {
  const operation: Operation<unknown> = {
    params: [],
    query: undefined,
    headers: {},
    body: undefined,
    bodyType: 'application/json',
    response: { mediaTypes: {} },
    responseHeaders: {},
    status: 200,
    otherStatuses: {},
    errors: [],
    handle: () => ({ status: 200, headers: {}, body: null }),
  };
  const load = vi
    .fn<() => Promise<Operation<unknown>>>(() => Promise.resolve(operation))
    .mockRejectedValueOnce(new Error('not now'));
  const { match } = createRouter<unknown>([
    { method: 'GET', path: '/late', surface: 'api', auth: 'any', operationId: 'getLate', summary: 'Late', load },
  ]);
  expect(load).not.toHaveBeenCalled();
  await expect(match('GET', '/late').route.load()).rejects.toThrow('not now');
  expect(await match('GET', '/late').route.load()).toBe(operation);
  expect(match('HEAD', '/late').route.load()).toBe(operation);
  expect(load).toHaveBeenCalledTimes(2);
});

test.each([
  ['/scim/v2/Devices', scimErrors],
  ['/scim/v2/Users/a/b/c/d/e', scimErrors],
  ['/api/v1/messages', messagesErrors],
  ['/api/v1/messages/batches', messagesErrors],
  ['/v1beta/cachedContents', geminiErrors],
  ['/api/v1/nothing', undefined],
  ['/nothing/at/all', undefined],
  [`/${'a/'.repeat(1000)}`, undefined],
])('says in the form of its neighbours that %s has nothing', (path, errors) => {
  expect(errorsOf(path)).toBe(errors);
});
