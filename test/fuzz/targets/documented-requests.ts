import fc from 'fast-check';
import { expect } from 'vitest';

import { ROUTES_BY_TAG } from '../../../packages/core/src/api/routes.ts';
import { toOpenApi } from '../../../packages/core/src/http/openapi.ts';
import { fromSchema } from '../../support/formats/from-schema.ts';
import { type Change, change, changesWith } from '../../support/formats/hostile-json.ts';
import { replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';
import { API_KEY, createCoreGateway, MANAGEMENT_KEY, readFrames } from '../../support/gateways/core-gateway.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: object }>> };
}

/** One request as the document describes it. */
interface Made {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Names and ids of what is there, and of what is not. */
const KNOWN = [
  'acme/chat',
  'acme/other',
  'acme',
  'default',
  'dev',
  '00000000-0000-4000-8000-000000000000',
  '11111111-1111-4111-8111-111111111111',
  'gen-1767323045-000000000000000000000001',
  'daily',
];

/** What each request of an operation is made of. */
function requestsOf(method: string, path: string, { parameters, requestBody }: Operation): fc.Arbitrary<Made> {
  const valuesIn = (place: Parameter['in']): fc.Arbitrary<Record<string, unknown>> => {
    const all = parameters.filter((parameter) => parameter.in === place);
    return fc.record(Object.fromEntries(all.map(({ name, schema }) => [name, fromSchema(schema, KNOWN)])), {
      requiredKeys: all.filter(({ required }) => required === true).map(({ name }) => name),
    });
  };
  const schema = requestBody?.content['application/json']?.schema;
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return fc
    .record({
      path: valuesIn('path'),
      query: valuesIn('query'),
      body: schema === undefined ? fc.constant(undefined) : fromSchema(schema, KNOWN),
    })
    .map((made) => ({
      method,
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(text(made.path[name]))),
      query: new URLSearchParams(
        Object.entries(made.query).map(([name, value]): [string, string] => [name, text(value)]),
      ).toString(),
      headers: {},
      body: made.body,
    }));
}

/** The body with the changes made; the changes themselves where it is none. */
const withChanges = (body: unknown, made: readonly Change[]): unknown =>
  typeof body === 'object' && body !== null ? change([body], made)[0] : body;

export const documentedRequests: FuzzTarget = {
  name: 'documented-requests',
  promise: 'Requests made from our own OpenAPI document get what it describes, and never a 5xx of our making',
  runs: 400,
  prepare: async () => {
    const document = await toOpenApi(ROUTES_BY_TAG);
    const requests = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
      ([path, operations]) =>
        Object.entries(operations).map(([method, operation]) => requestsOf(method.toUpperCase(), path, operation)),
    );
    const [[, script] = []] = scripts.filter(([wire]) => wire === 'openai');
    if (script === undefined) throw new Error('There is no script of the wire openai');
    const { text } = script.responses;
    const one = fc.record({
      request: fc.oneof(...requests),
      key: fc.constantFrom(MANAGEMENT_KEY, MANAGEMENT_KEY, API_KEY),
      changes: fc.option(changesWith(['model', 'name', 'id', 'limit', 'offset', 'type']), { freq: 2, nil: [] }),
    });
    return fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 6 }), async (all) => {
      const core = createCoreGateway(replayWhole(text));
      for (const { request, key, changes } of all) {
        const { method, path, query, body } = request;
        const sent = body === undefined ? '' : JSON.stringify(withChanges(body, changes));
        const leave = new AbortController();
        const response = await core.gateway.handle({
          method,
          path,
          query,
          baseUrl: 'https://gateway.example',
          signal: leave.signal,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...bodyOf(sent ?? ''),
        });
        const said = typeof response.body === 'string' ? response.body : '';
        const named = `${method} ${path}?${query} ${sent}: ${response.status} ${said}`;
        // 502 and 503: the provider's answer was none, or there is no provider that may be asked. 501: no such store.
        expect(response.status < 500 || [501, 502, 503].includes(response.status), named).toBe(true);
        expect(named).not.toContain('Internal Server Error');
        if (typeof response.body === 'object' && response.body !== null && !(response.body instanceof Uint8Array)) {
          leave.abort();
          await readFrames(response).leave();
        }
      }
      expect(core.logged.filter(({ line }) => line.startsWith('error'))).toEqual([]);
    });
  },
};
