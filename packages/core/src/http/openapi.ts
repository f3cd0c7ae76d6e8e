import { z } from 'zod';

import { LATE_SCHEMAS } from '../api/late-schemas.ts';
import type { GatewayResponse } from './response.ts';
import { ROUTES, type Route } from '../api/routes.ts';

type Json = Record<string, unknown>;

let document: string | undefined;

/** `GET /openapi.json`. The document is made when it is first asked for, and then kept. */
export function getOpenApi(): GatewayResponse {
  document ??= JSON.stringify(createOpenApiDocument());
  return { status: 200, headers: { 'content-type': 'application/json' }, body: document };
}

/** Describes every route as an OpenAPI 3.1 document, its schemas made from those that requests are checked with. */
export function createOpenApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Model Gateway', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function toOperation(route: Route): Json {
  const { query, body, answer } = LATE_SCHEMAS[`${route.method} ${route.path}`] ?? {
    query: route.query,
    body: route.body,
    answer: route.success.schema,
  };
  return {
    summary: route.summary,
    security: route.auth === 'none' ? [] : [{ bearer: [] }],
    parameters: [...toPathParameters(route.path), ...toQueryParameters(query)],
    ...(body && { requestBody: { required: true, content: toContent(toSchema(body, 'input')) } }),
    responses: {
      [route.success.status]: {
        description: 'Success',
        ...(answer && { content: toContent(toSchema(answer, 'output')) }),
      },
      default: { description: 'Error', content: toContent(ERROR_SCHEMA) },
    },
  };
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, metadata: { type: 'object' } },
    },
  },
};

function toPathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}

function toQueryParameters(query: z.ZodObject | undefined): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: toSchema(schema as z.ZodType, 'input'),
  }));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}

const toContent = (schema: Json): Json => ({ 'application/json': { schema } });
