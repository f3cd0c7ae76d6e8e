import type { z } from 'zod';

import type { Awaitable } from '../foundation/awaitable.ts';
import { parseWith } from '../foundation/parse-with.ts';
import { readJsonBody } from './read-json-body.ts';
import type { PublicContext, RequestContext } from './request-context.ts';
import { type GatewayResponse, toJsonResponse } from './response.ts';

/** A response that is not, or not always, plain JSON: its media types, with the schema of those that have one. */
export interface MediaTypes {
  readonly mediaTypes: Readonly<Record<string, z.ZodType | null>>;
}

/** A body that `run` reads and checks itself, because it has a faster way to: the schema documents it. */
export interface BodyReadByRun {
  readonly readByRun: z.ZodType;
}

/** What an operation takes and gives, for the OpenAPI document. */
export interface OperationSchemas {
  /** The names of the variable parts of the path. */
  readonly params: readonly string[];
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly response: z.ZodType | MediaTypes;
  /** Of success. */
  readonly status: number;
}

/** An operation for holders of keys. */
export interface Operation<Parts> extends OperationSchemas {
  /** Answers one request; throws or rejects with what is wrong. */
  readonly handle: (context: RequestContext<Parts>) => Awaitable<GatewayResponse>;
}

/** An operation for everybody. */
export interface PublicOperation<Parts> extends OperationSchemas {
  /** Answers one request; throws or rejects with what is wrong. */
  readonly handle: (context: PublicContext<Parts>) => Awaitable<GatewayResponse>;
}

/** What a schema describes, as it may be handed over to be written down: nothing in it is changed any more. */
type DeeplyReadonly<Value> = unknown extends Value
  ? unknown
  : Value extends readonly (infer Item)[]
    ? readonly DeeplyReadonly<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: DeeplyReadonly<Value[Name]> | OptionalUndefined<Value, Name> }
      : Value;

/** JSON leaves out what is undefined, so an optional field may be it. */
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
  /** Checks the query. Of a parameter that is given twice the last counts. */
  readonly query?: Query;
  /** Checks the body, which is read after the query. */
  readonly body?: Body;
  /** Types the result of `run`, which is sent as JSON with `status` and the context's `responseHeaders`. */
  readonly response: Response;
  /** Default 200. */
  readonly status?: number;
  /** Runs first, before the query is checked and the body is read: finds what the request is about, or throws. */
  readonly find?: (input: WithParams<Context, Name>) => Awaitable<Found>;
  readonly run: (input: RunInput<Context, Name, Query, Body, Found>) => Awaitable<Result>;
}

type Define<Context, Made> = <
  Response extends z.ZodType | MediaTypes,
  const Name extends string = never,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | BodyReadByRun | undefined = undefined,
  Found = undefined,
  // `const`, so that `true` stays true.
  const Result extends ResultOf<Response> = ResultOf<Response>,
>(
  definition: Definition<Context, Name, Query, Body, Found, Response, Result>,
) => Made;

/**
 * Defines an operation in one place: the schemas that check a request are those that document it and that type `run`,
 * and so is the schema of its response. Called twice, because TypeScript cannot be told `Parts` and find out the rest:
 * `operation<KeyParts>()({ … })`.
 */
export function operation<Parts>(): Define<RequestContext<Parts>, Operation<Parts>> {
  return define;
}

/** The same for an operation that everybody may call: it has no principal. */
export function publicOperation<Parts>(): Define<PublicContext<Parts>, PublicOperation<Parts>> {
  return define;
}

/** What of a definition matters once it has been type-checked. */
interface Untyped {
  readonly params?: readonly string[];
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | BodyReadByRun | undefined;
  readonly response: z.ZodType | MediaTypes;
  readonly status?: number;
  readonly find?: (input: never) => unknown;
  readonly run: (input: never) => unknown;
}

function define<Context extends PublicContext<unknown>>(definition: Untyped) {
  const { params = [], query, body, response, status = 200 } = definition;
  const readsItself = body !== undefined && 'readByRun' in body;
  const schemas: OperationSchemas = { params, query, body: readsItself ? body.readByRun : body, response, status };
  const find = definition.find as ((input: Context) => unknown) | undefined;
  const run = definition.run as (input: Context) => unknown;
  const checked = readsItself ? undefined : body;
  const isResponse = 'mediaTypes' in response;
  // Nothing to be done before and after: a call to a model spares itself a promise.
  if (isResponse && query === undefined && checked === undefined && find === undefined) {
    return { ...schemas, handle: run as (context: Context) => Awaitable<GatewayResponse> };
  }
  return {
    ...schemas,
    async handle(context: Context): Promise<GatewayResponse> {
      const { request, responseHeaders } = context;
      const found = find === undefined ? undefined : await find(context);
      const asked = query && parseWith(query, Object.fromEntries(new URLSearchParams(request.query)));
      const sent = checked && parseWith(checked, await readJsonBody(request));
      const result = await run({ ...context, found, query: asked, body: sent });
      return isResponse ? (result as GatewayResponse) : toJsonResponse(status, result, responseHeaders);
    },
  };
}
