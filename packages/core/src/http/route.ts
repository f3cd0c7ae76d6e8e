import type { z } from 'zod';

import type { RequestContext } from './request-context.ts';
import type { GatewayResponse } from './response.ts';

/** What an operation says of itself in the OpenAPI document. */
interface RouteDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name+}` one or more. Earlier routes win. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly success: { readonly status: number; readonly schema?: z.ZodType };
}

/**
 * One operation of ours. `auth` says who may call it: holders of API keys alone, of management keys alone, of any key,
 * or everybody, in which case there is no principal. `wrongKey` is the status for a key of the other kind, 403 where
 * nothing is said: some operations of the public wire declare no 403 and answer 401 (api reference 3).
 */
export type Route = RouteDescription & { readonly surface: Surface; readonly wrongKey?: 401 } & (
    | {
        readonly auth: 'api' | 'management' | 'any';
        readonly operation: (context: RequestContext) => Promise<GatewayResponse>;
      }
    | {
        readonly auth: 'none';
        readonly operation: (context: Pick<RequestContext, 'request' | 'runtime'>) => Promise<GatewayResponse>;
      }
  );

/** Groups of routes that a host may offer or leave out. */
export type Surface = 'api' | 'admin' | 'metrics' | 'openapi' | 'health';
