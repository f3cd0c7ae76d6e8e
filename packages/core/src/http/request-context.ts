import type { Principal } from './principal.ts';
import type { GatewayRequest } from './request.ts';
import type { Runtime } from '../runtime.ts';

/** One authenticated request on its way through an operation. */
export interface RequestContext {
  readonly request: GatewayRequest;
  readonly principal: Principal;
  readonly runtime: Runtime;
  /** The variable parts of the path, decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers that the answer carries whatever becomes of the request; operations add to it. */
  readonly responseHeaders: Record<string, string>;
}
