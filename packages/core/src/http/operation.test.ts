import { expect, test } from 'vitest';
import { z } from 'zod';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { operation, publicOperation } from './operation.ts';
import type { RequestContext } from './request.ts';

const steps: string[] = [];

const context = ({ query = '', body = '{}', params = {} } = {}): RequestContext<{ readonly shift: number }> => ({
  request: {
    method: 'POST',
    path: '/api/v1/sums/7',
    query,
    headers: {},
    baseUrl: '',
    signal: new AbortController().signal,
    ...bodyOf(body),
    readBody: () => {
      steps.push('body');
      return Promise.resolve(new TextEncoder().encode(body));
    },
  },
  principal: { kind: 'api', id: 'someone', name: 'Someone' },
  parts: { shift: 100 },
  params,
  responseHeaders: { 'x-kept': 'yes' },
});

const addTo = operation<{ readonly shift: number }>()({
  params: ['id'],
  query: z.object({ times: z.coerce.number().int().default(1) }),
  body: z.strictObject({ add: z.number() }),
  response: z.object({ sum: z.number(), by: z.string(), done: z.literal(true) }),
  status: 201,
  find({ params }) {
    steps.push('find');
    if (params.id === 'gone') throw new Error('There is no such sum');
    return Number(params.id);
  },
  run({ parts, principal, query, body, found }) {
    steps.push('run');
    return { sum: found + parts.shift + query.times * body.add, by: principal.name, done: true };
  },
});

test('passes the checked input to an operation, and sends its result as JSON', async () => {
  const response = await addTo.handle(context({ query: 'times=1&times=3', body: '{"add":5}', params: { id: '7' } }));
  expect(response).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-kept': 'yes' },
    body: '{"sum":122,"by":"Someone","done":true}',
  });
});

test('runs `find` before the query is checked, and checks the query before the body is read', async () => {
  const bad = { query: 'times=x', body: '{"add":"x"}' };
  const attempt = async (changes: Parameters<typeof context>[0]): Promise<unknown> => {
    steps.length = 0;
    return Promise.resolve(addTo.handle(context(changes))).then(
      () => [...steps],
      (error: Error) => [...steps, error.message],
    );
  };
  expect(await attempt({ ...bad, params: { id: 'gone' } })).toEqual(['find', 'There is no such sum']);
  expect(await attempt({ ...bad, params: { id: '7' } })).toEqual(['find', expect.stringContaining('times')]);
  expect(await attempt({ body: bad.body, params: { id: '7' } })).toEqual([
    'find',
    'body',
    expect.stringContaining('add'),
  ]);
  expect(await attempt({ body: '{"add":1}', params: { id: '7' } })).toEqual(['find', 'body', 'run']);
});

test('returns the response of an operation that makes its own, in the same promise', () => {
  const response = Promise.resolve({ status: 200, headers: {}, body: null });
  const made = publicOperation<object>()({
    body: { readByRun: z.object({}) },
    response: { mediaTypes: { 'text/plain': null } },
    run: () => response,
  });
  expect(made.handle(context())).toBe(response);
});

test('does not compile where a result does not match its schema, or a parameter is not declared', () => {
  const response = z.object({ sum: z.number(), note: z.string().optional(), list: z.array(z.string()) });
  const list: readonly string[] = [];
  const define = operation<object>();
  const definitions = [
    define({ response, run: ({ request }) => ({ sum: request.path.length, note: undefined, list }) }),
    // @ts-expect-error a string is not a number
    define({ response, run: ({ request }) => ({ sum: request.path, list }) }),
    // @ts-expect-error a field is missing
    define({ response, run: async ({ request }) => Promise.resolve({ sum: request.path.length }) }),
    // @ts-expect-error the parameter is not in the path
    define({ params: ['id'], response, run: ({ params }) => ({ sum: params.hash.length, list }) }),
    // @ts-expect-error there is no principal
    publicOperation<object>()({ response, run: ({ principal }) => ({ sum: principal.id.length, list }) }),
    // @ts-expect-error its documented response is not JSON
    define({ response: { mediaTypes: { 'text/csv': null } }, run: ({ request }) => ({ sum: request.path.length }) }),
  ];
  expect(definitions).toHaveLength(6);
});
