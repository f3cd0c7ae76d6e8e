import { z } from 'zod';

import { errorStatusesOf, STATUS_MEANINGS } from './errors-by-cause.ts';
import type { HeaderDescriptions, OperationSchemas } from './operation.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** Routes by the tag of their resource. */
export type TaggedRoutes<Parts> = Readonly<Record<string, readonly Route<Parts>[]>>;

/**
 * Describes every route as OpenAPI 3.1, with the schemas that check requests. Loads all operations. `servers` is left
 * to who sends the document, because it depends on the request.
 */
export async function toOpenApi<Parts>(resources: TaggedRoutes<Parts>): Promise<Json> {
  const paths: Record<string, Json> = {};
  for (const [tag, routes] of Object.entries(resources)) {
    for (const route of routes) {
      const path = route.path.replace('+}', '}');
      const description = { tags: [tag], ...toOperation(route, await route.load()) };
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: description };
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Model Gateway', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    tags: Object.keys(resources).map((name) => ({ name })),
    components: {
      schemas: toErrorSchemas(Object.values(resources).flat()),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    paths,
  };
}

function toOperation<Parts>({ operationId, summary, auth, errors }: Route<Parts>, operation: OperationSchemas): Json {
  const { params, query, headers, body, bodyType, response, responseHeaders, status, otherStatuses } = operation;
  const success = {
    headers: toResponseHeaders({ ...OF_ALL, ...responseHeaders, ...(isStream(response) && STREAM_HEADERS) }),
    content: toResponseContent(response),
  };
  const others = Object.entries(otherStatuses).map(([code, description]) => [code, { description, ...success }]);
  const error = {
    headers: toResponseHeaders({ ...OF_ALL, ...responseHeaders, ...ERROR_HEADERS }),
    content: toContent(referTo(errors?.schema ?? ERROR_SCHEMA), errors?.mediaType),
  };
  const failures = errorStatusesOf(auth, operation).map((code) => [
    code,
    { description: STATUS_MEANINGS[code] ?? 'Error', ...error },
  ]);
  return {
    operationId,
    summary,
    security: auth === 'none' ? [] : [{ bearer: [] }],
    parameters: [...params.map(toPathParameter), ...toQueryParameters(query), ...toHeaderParameters(headers)],
    ...(body && { requestBody: { required: true, content: toContent(toSchema(body, 'input'), bodyType) } }),
    responses: {
      [status]: { description: 'Success', ...success },
      ...Object.fromEntries(others),
      ...Object.fromEntries(failures),
      default: { description: 'Any other error, such as 405 for another method', ...error },
    },
  };
}

/** The headers of every response. */
const OF_ALL: HeaderDescriptions = {
  'x-request-id': 'Names the request, as in the log: the `x-request-id` of its caller, or a new one',
};

/** The headers of every stream of events. */
const STREAM_HEADERS: HeaderDescriptions = {
  'cache-control': '`no-cache, no-transform`',
  'x-accel-buffering': '`no`: proxies must not hold the stream back',
};

const isStream = (response: OperationSchemas['response']): boolean =>
  'mediaTypes' in response && 'text/event-stream' in response.mediaTypes;

const ERROR_HEADERS: HeaderDescriptions = {
  'retry-after': 'Seconds to wait before retrying, if known',
  allow: 'With 405: the methods that the path supports',
};

/** The schema of errors in the gateway's own form. */
const ERROR_SCHEMA: Json = {
  title: 'Error',
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'metadata'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        metadata: { type: 'object', required: ['error_type'], properties: { error_type: { type: 'string' } } },
      },
    },
  },
};

/** The schemas of errors by their titles: most operations have the same. */
function toErrorSchemas<Parts>(routes: readonly Route<Parts>[]): Json {
  const schemas: Json[] = [
    ERROR_SCHEMA,
    ...routes.flatMap(({ errors }) => (errors === undefined ? [] : [errors.schema])),
  ];
  return Object.fromEntries(
    schemas.flatMap((schema) => (typeof schema['title'] === 'string' ? [[schema['title'], schema]] : [])),
  );
}

const referTo = (schema: Json): Json =>
  typeof schema['title'] === 'string' ? { $ref: `#/components/schemas/${schema['title']}` } : schema;

const TEXT: Json = { type: 'string' };

const toPathParameter = (name: string): Json => ({ name, in: 'path', required: true, schema: TEXT });

const toHeaderParameters = (headers: HeaderDescriptions): Json[] =>
  Object.entries(headers).map(([name, description]) => ({ name, in: 'header', description, schema: TEXT }));

const toResponseHeaders = (headers: HeaderDescriptions): Json =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: TEXT }]));

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

const toContent = (schema: Json, type = 'application/json'): Json => ({ [type]: { schema } });
