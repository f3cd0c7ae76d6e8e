import type { Awaitable } from '../foundation/awaitable.ts';
import type { Operation, PublicOperation } from './operation.ts';
import type { ErrorForm } from './response.ts';

/** The properties of an operation that are known before it is loaded. */
export interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` matches one segment, `{name+}` one or more. Earlier routes win. */
  readonly path: string;
  readonly surface: Surface;
  /**
   * The status for a key of the other kind, 403 when absent: some operations of the public wire declare no 403 and
   * respond with 401 (wire.md 3).
   */
  readonly wrongKey?: 401;
  /** The name of the operation, by which generated clients call it. */
  readonly operationId: string;
  readonly summary: string;
  /** The form of its errors, those before it runs included. Absent: the gateway's own. */
  readonly errors?: ErrorForm;
}

/**
 * A row of the table of operations, small, so that a gateway starts before any schema is made. `auth`: who may call it;
 * for `none` there is no principal. `load` returns the operation; callers that need it often keep it.
 */
export type Route<Parts> = RouteRow &
  (
    | { readonly auth: 'api' | 'management' | 'any'; readonly load: () => Awaitable<Operation<Parts>> }
    | { readonly auth: 'none'; readonly load: () => Awaitable<PublicOperation<Parts>> }
  );

/** Groups of routes that a host may offer or leave out. */
export type Surface = 'api' | 'admin' | 'metrics' | 'openapi' | 'health';
