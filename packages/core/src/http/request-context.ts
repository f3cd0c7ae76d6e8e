import type { Principal } from './principal.ts';
import type { GatewayRequest } from './request.ts';

/** One request on its way through an operation that everybody may call: nobody is asked who they are. */
export interface PublicContext<Parts> {
  readonly request: GatewayRequest;
  /** What the operation uses of the gateway. */
  readonly parts: Parts;
  /** The variable parts of the path, decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers of the response, whatever becomes of the request; operations add to it. */
  readonly responseHeaders: Record<string, string>;
}

/** One authenticated request on its way through an operation. */
export interface RequestContext<Parts> extends PublicContext<Parts> {
  readonly principal: Principal;
}
