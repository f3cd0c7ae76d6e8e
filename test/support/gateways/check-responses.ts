import type { Gateway, GatewayRequest, GatewayResponse } from '@model-gateway/core';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { ROUTES, ROUTES_BY_TAG } from '../../../packages/core/src/api/routes.ts';
import { STORED_HEADERS } from '../../../packages/core/src/generations/whole-request.ts';
import { toOpenApi } from '../../../packages/core/src/http/openapi.ts';
import { createRouter } from '../../../packages/core/src/http/route.ts';

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, { readonly schema?: object }>>;
}

interface DocumentedOperation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, DocumentedResponse>> & { readonly default: DocumentedResponse };
}

const router = createRouter(ROUTES);
// Formats are left out: the document has the patterns of those that matter.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let document: Promise<Document> | undefined;

async function findOperation(method: string, path: string): Promise<DocumentedOperation | undefined> {
  if (!router.has(method, path, ['api', 'ollama', 'gemini', 'admin', 'metrics', 'openapi', 'health'])) return undefined;
  document ??= toOpenApi(ROUTES_BY_TAG).then((made) => {
    const { components } = made as unknown as Document;
    for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(schema, REFERENCES + name);
    return made as unknown as Document;
  });
  const { paths } = await document;
  const { route } = router.match(method, path);
  return paths[route.path.replace('+}', '}')]?.[route.method.toLowerCase()];
}

/**
 * The same gateway; it rejects, or its stream does, where it would send what `/openapi.json` does not describe, or has
 * read a header that is not described.
 */
export function withCheckedResponses(gateway: Gateway): Gateway {
  return {
    ...gateway,
    async handle(request) {
      const { method, path } = request;
      const operation = await findOperation(method, path);
      const read = new Set<string>();
      const sent = await gateway.handle(operation === undefined ? request : withWatchedHeaders(request, read));
      if (operation === undefined) return sent;
      const name = `${method} ${path}`;
      checkHeadersRead(read, operation, name);
      return checkResponse(sent, operation, name);
    },
  };
}

/**
 * Headers that authentication, notes of refusals, the routes of regions and the reading of bodies use, for every operation,
 * and those that are stored with every call.
 */
const READ_BY_ALL = new Set<string>(
  [
    STORED_HEADERS,
    [
      'authorization',
      'x-api-key',
      'cookie',
      'x-csrf-token',
      'x-act-as-key',
      'x-request-id',
      'origin',
      'sec-fetch-site',
      'x-forwarded-for',
    ],
    ['host', 'x-forwarded-host', 'content-type', 'content-encoding', 'content-length', 'referer', 'user-agent'],
  ].flat(),
);

/** The same request, of which `read` receives the names of headers that are looked up one by one. */
function withWatchedHeaders(request: GatewayRequest, read: Set<string>): GatewayRequest {
  let isCopied = false;
  const headers = new Proxy(request.headers, {
    get(target, name: string) {
      if (!isCopied) read.add(name);
      return target[name];
    },
    ownKeys(target) {
      isCopied = true;
      return Reflect.ownKeys(target);
    },
  });
  return new Proxy(request, {
    get(target, name: keyof GatewayRequest) {
      if (name === 'headers') return headers;
      const value = target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function checkHeadersRead(read: ReadonlySet<string>, operation: DocumentedOperation, name: string): void {
  const described = operation.parameters.filter((parameter) => parameter.in === 'header').map((header) => header.name);
  const missing = [...read].filter((header) => !READ_BY_ALL.has(header) && !described.includes(header));
  if (missing.length > 0) throw new Error(`${name} reads headers it does not document: ${missing.join(', ')}`);
}

/** Headers of every response. */
const SENT_BY_ALL = ['content-type', 'x-content-type-options'];

/** Of the host and of the router, for any operation: a client that has left, another method, headers that are too large. */
const STATUSES_OF_ALL = [405, 431, 499];

/** Throws where the response differs from what is described: its status, media type, headers or content. */
function checkResponse(sent: GatewayResponse, { responses }: DocumentedOperation, name: string): GatewayResponse {
  const { status, headers, body } = sent;
  const [success, described = responses.default] = Object.entries(responses).find(([key]) => key !== 'default') ?? [];
  const refusal = responses[status] ?? (STATUSES_OF_ALL.includes(status) ? responses.default : undefined);
  const response = status >= 300 ? refusal : described;
  if (response === undefined) throw new Error(`${name} responds with ${status}, and does not document it`);
  const surplus = Object.keys(headers).filter((header) => ![...SENT_BY_ALL, ...namesOf(response)].includes(header));
  if (surplus.length > 0) throw new Error(`${name} sends headers it does not document: ${surplus.join(', ')}`);
  if (body === null) return sent;
  const type = headers['content-type']?.replace(/;.*/, '') ?? '';
  const known = Object.keys(response.content).find((one) => one === type || one === type.replace(/[^/]*$/, '*'));
  if (known === undefined) throw new Error(`${name} responds with ${status} ${type}, and does not document it`);
  const schema = response.content[known]?.schema;
  if (schema === undefined || body instanceof Uint8Array) return sent;
  if (status < 400 && String(status) !== success)
    throw new Error(`${name} responds with ${status}, and documents ${success}`);
  const check = (text: string): void => {
    for (const told of READERS[type]?.(text) ?? [JSON.parse(text)]) checkValue(told, schema, name);
  };
  if (typeof body !== 'string') return { ...sent, body: checkPieces(body, ENDS[type] ?? null, check) };
  check(body);
  return sent;
}

const namesOf = ({ headers = {} }: DocumentedResponse): string[] => Object.keys(headers);

/** What the text of a stream holds for its schema, by media type: whole events or lines. */
const READERS: Readonly<Record<string, (text: string) => unknown[]>> = {
  'application/x-ndjson': (text) => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
  'application/rss+xml': (text) => [text],
  'text/event-stream': (text) => text.split('\n\n').flatMap(readEvent),
};

/** What ends a piece that can be checked by itself; a list comes in pieces that cannot. */
const ENDS: Readonly<Record<string, string>> = { 'text/event-stream': '\n\n', 'application/x-ndjson': '\n' };

/** Returns no event for a comment, and for the end mark. */
function readEvent(frame: string): unknown[] {
  const lines = frame.split('\n').flatMap((line) => {
    const [, name, value] = /^(id|event|data): (.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  const { data, ...names } = Object.fromEntries(lines);
  return data === undefined || data === '[DONE]' ? [] : [{ ...names, data: JSON.parse(data) as unknown }];
}

/** Checks each piece with what is left of the one before, up to the last end of an event or a line; else all at the end. */
function checkPieces(
  body: AsyncIterable<Uint8Array>,
  end: string | null,
  check: (text: string) => void,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      const decoder = new TextDecoder();
      let open = '';
      return {
        async next() {
          const step = await pieces.next();
          if (step.done === true) {
            if (end === null && open !== '') check(open);
            return step;
          }
          open += decoder.decode(step.value, { stream: true });
          if (end === null) return step;
          const at = open.lastIndexOf(end) + end.length;
          if (at >= end.length) {
            check(open.slice(0, at));
            open = open.slice(at);
          }
          return step;
        },
        return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

const compiled = new WeakMap<object, ValidateFunction>();

/** Where the document keeps the schemas that others refer to. */
const REFERENCES = '#/components/schemas/';

function compile(schema: object): ValidateFunction {
  const reference = '$ref' in schema ? String(schema.$ref) : undefined;
  return (reference === undefined ? undefined : ajv.getSchema(reference)) ?? ajv.compile(schema);
}

/** Objects of the document admit no other members than they name, unless they say so. */
function checkValue(told: unknown, schema: object, name: string): void {
  const validate = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, validate);
  if (validate(told)) return;
  const found = validate.errors?.map((error) => JSON.stringify({ ...error, schemaPath: undefined })).join('\n');
  throw new Error(`${name} does not send what it documents:\n${found}`);
}
