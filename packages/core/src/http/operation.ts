import type { z } from 'zod';

import type { Awaitable } from '../foundation/awaitable.ts';
import type { ErrorCode } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { readJsonBody } from './json-body.ts';
import type { PublicContext, RequestContext } from './request.ts';
import { type GatewayResponse, toJsonResponse } from './response.ts';

/**
 * A response that is not, or not always, plain JSON: its media types, each with its schema where it has one. That of
 * a stream describes one of its events or lines.
 */
export interface MediaTypes {
  readonly mediaTypes: Readonly<Record<string, z.ZodType | null>>;
}

/** A body that `run` reads and checks itself, because it can do so faster: the schema only documents the body. */
export interface BodyReadByRun {
  readonly readByRun: z.ZodType;
  /** Default: JSON. */
  readonly mediaType?: string | undefined;
}

/** What headers an operation reads or sends, for the OpenAPI document: a description for each name in lower case. */
export type HeaderDescriptions = Readonly<Record<string, string>>;

/** The input and output of an operation, for the OpenAPI document. */
export interface OperationSchemas {
  /** The names of the variable parts of the path. */
  readonly params: readonly string[];
  readonly query: z.ZodObject | undefined;
  readonly headers: HeaderDescriptions;
  readonly body: z.ZodType | undefined;
  readonly bodyType: string;
  readonly response: z.ZodType | MediaTypes;
  readonly responseHeaders: HeaderDescriptions;
  /** The status of a successful response. */
  readonly status: number;
  /** Further statuses that are no errors of the gateway, with what each says. */
  readonly otherStatuses: Readonly<Record<number, string>>;
  /** Errors of its own, beside those that follow from the rest. */
  readonly errors: readonly ErrorCode[];
}

/** An operation for callers that have a key. */
export interface Operation<Parts> extends OperationSchemas {
  /** Handles one request; throws or rejects with the error. */
  readonly handle: (context: RequestContext<Parts>) => Awaitable<GatewayResponse>;
}

/** An operation that needs no key. */
export interface PublicOperation<Parts> extends OperationSchemas {
  /** Handles one request; throws or rejects with the error. */
  readonly handle: (context: PublicContext<Parts>) => Awaitable<GatewayResponse>;
}

/** The value that a schema describes, read-only, because `run` returns it only to be written as JSON. */
type DeeplyReadonly<Value> = unknown extends Value
  ? unknown
  : Value extends readonly (infer Item)[]
    ? readonly DeeplyReadonly<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: DeeplyReadonly<Value[Name]> | OptionalUndefined<Value, Name> }
      : Value;

/** JSON leaves out undefined values, so an optional field may be undefined. */
type OptionalUndefined<Value, Name extends keyof Value> = object extends Pick<Value, Name> ? undefined : never;

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type ResultOf<Response> = Response extends z.ZodType ? DeeplyReadonly<z.output<Response>> : GatewayResponse;

type WithParams<Context, Name extends string> = Omit<Context, 'params'> & {
  readonly params: Readonly<Record<Name, string>>;
};

type RunInput<Context, Name extends string, Query, Body, Found> = WithParams<Context, Name> & {
  readonly query: OutputOf<Query>;
  readonly body: OutputOf<Body>;
  readonly found: Found;
};

interface Definition<
  Context,
  Name extends string,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | BodyReadByRun | undefined,
  Found,
  Response extends z.ZodType | MediaTypes,
  Result extends ResultOf<Response>,
> {
  readonly params?: readonly Name[];
  /** Checks the query. When a parameter is given twice, the last one counts. */
  readonly query?: Query;
  /** Headers that `run` reads, beside those of authentication and of bodies. */
  readonly headers?: HeaderDescriptions;
  /** Checks the body, which is read after the query is checked. */
  readonly body?: Body;
  /** Types the result of `run`, which is sent as JSON with `status` and the context's `responseHeaders`. */
  readonly response: Response;
  /** Headers of its responses, beside `Content-Type` and those that any error may have. */
  readonly responseHeaders?: HeaderDescriptions;
  /** Default 200. */
  readonly status?: number;
  /** Further statuses that are no errors of the gateway, as 304, with what each says. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  /** Errors of `find` and `run` that do not follow from the key, the path, the query, the body or a call to a model. */
  readonly errors?: readonly ErrorCode[];
  /** Runs first, before the query is checked and the body is read: finds the object of the request, or throws. */
  readonly find?: (input: WithParams<Context, Name>) => Awaitable<Found>;
  readonly run: (input: RunInput<Context, Name, Query, Body, Found>) => Awaitable<Result>;
}

type Define<Context, Made> = <
  Response extends z.ZodType | MediaTypes,
  const Name extends string = never,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | BodyReadByRun | undefined = undefined,
  Found = undefined,
  // The parameter is `const`, so that `true` keeps its literal type.
  const Result extends ResultOf<Response> = ResultOf<Response>,
>(
  definition: Definition<Context, Name, Query, Body, Found, Response, Result>,
) => Made;

/**
 * Defines an operation: its schemas check, document and type its input and response. Called twice, because TypeScript
 * cannot take `Parts` and infer the other type parameters in one call: `operation<KeyParts>()({ … })`.
 */
export function operation<Parts>(): Define<RequestContext<Parts>, Operation<Parts>> {
  return define;
}

/** Defines an operation that needs no key in the same way: it has no principal. */
export function publicOperation<Parts>(): Define<PublicContext<Parts>, PublicOperation<Parts>> {
  return define;
}

/** The part of a definition that matters after type checking. */
interface Untyped {
  readonly params?: readonly string[];
  readonly query?: z.ZodObject | undefined;
  readonly headers?: HeaderDescriptions;
  readonly body?: z.ZodType | BodyReadByRun | undefined;
  readonly response: z.ZodType | MediaTypes;
  readonly responseHeaders?: HeaderDescriptions;
  readonly status?: number;
  readonly otherStatuses?: Readonly<Record<number, string>>;
  readonly errors?: readonly ErrorCode[];
  readonly find?: (input: never) => unknown;
  readonly run: (input: never) => unknown;
}

const IN_QUERY = { whole: 'query' };

function define<Context extends PublicContext<unknown>>(definition: Untyped) {
  const { params = [], query, headers = {}, body, response, responseHeaders = {} } = definition;
  const { status = 200, otherStatuses = {}, errors = [] } = definition;
  const readsItself = body !== undefined && 'readByRun' in body;
  const documented = readsItself ? body.readByRun : body;
  const bodyType = (readsItself && body.mediaType) || 'application/json';
  const described = { params, query, headers, body: documented, bodyType, response, responseHeaders };
  const schemas: OperationSchemas = { ...described, status, otherStatuses, errors };
  const find = definition.find as ((input: Context) => unknown) | undefined;
  const run = definition.run as (input: Context) => unknown;
  const checked = readsItself ? undefined : body;
  const isResponse = 'mediaTypes' in response;
  // There is nothing to do before and after `run`: a call to a model then needs one promise less.
  if (isResponse && query === undefined && checked === undefined && find === undefined) {
    return { ...schemas, handle: run as (context: Context) => Awaitable<GatewayResponse> };
  }
  return {
    ...schemas,
    async handle(context: Context): Promise<GatewayResponse> {
      const { request, responseHeaders } = context;
      const found = find === undefined ? undefined : await find(context);
      const asked = query && parseWith(query, Object.fromEntries(new URLSearchParams(request.query)), IN_QUERY);
      const sent = checked && parseWith(checked, await readJsonBody(request));
      const result = await run({ ...context, found, query: asked, body: sent });
      return isResponse ? (result as GatewayResponse) : toJsonResponse(status, result, responseHeaders);
    },
  };
}
