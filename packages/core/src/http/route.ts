import type { Awaitable } from '../foundation/awaitable.ts';
import type { Operation, PublicOperation } from './operation.ts';

/** What is known of an operation before it is loaded. */
export interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name+}` one or more. Earlier routes win. */
  readonly path: string;
  readonly surface: Surface;
  /**
   * The status for a key of the other kind, 403 where nothing is said: some operations of the public wire declare no 403
   * and answer 401 (wire.md 3).
   */
  readonly wrongKey?: 401;
  readonly summary: string;
}

/**
 * One row of the table of operations, light, so that a gateway starts before any schema is made. `auth` says who may
 * call it: holders of API keys alone, of management keys alone, of any key, or everybody, in which case there is no
 * principal. `load` gets the operation itself; whoever calls it often keeps what it gave.
 */
export type Route<Parts> = RouteRow &
  (
    | { readonly auth: 'api' | 'management' | 'any'; readonly load: () => Awaitable<Operation<Parts>> }
    | { readonly auth: 'none'; readonly load: () => Awaitable<PublicOperation<Parts>> }
  );

/** Groups of routes that a host may offer or leave out. */
export type Surface = 'api' | 'admin' | 'metrics' | 'openapi' | 'health';
