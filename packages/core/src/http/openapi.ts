import { z } from 'zod';

import type { OperationSchemas } from './operation.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** Describes every route as OpenAPI 3.1, with the schemas that check requests. Loads all operations. */
export async function toOpenApi<Parts>(routes: readonly Route<Parts>[]): Promise<Json> {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace('+}', '}');
    const description = toOperation(route, await route.load());
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: description };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Model Gateway', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function toOperation<Parts>(
  { summary, auth }: Route<Parts>,
  { params, query, body, response, status }: OperationSchemas,
): Json {
  return {
    summary,
    security: auth === 'none' ? [] : [{ bearer: [] }],
    parameters: [...params.map(toPathParameter), ...toQueryParameters(query)],
    ...(body && { requestBody: { required: true, content: toContent(toSchema(body, 'input')) } }),
    responses: {
      [status]: { description: 'Success', content: toResponseContent(response) },
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

const toPathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });

function toQueryParameters(query: z.ZodObject | undefined): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: toSchema(schema as z.ZodType, 'input'),
  }));
}

function toResponseContent(response: OperationSchemas['response']): Json {
  if (!('mediaTypes' in response)) return toContent(toSchema(response, 'output'));
  return Object.fromEntries(
    Object.entries(response.mediaTypes).map(([type, schema]) => [
      type,
      schema === null ? {} : { schema: toSchema(schema, 'output') },
    ]),
  );
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}

const toContent = (schema: Json): Json => ({ 'application/json': { schema } });
