import type { Principal } from './principal.ts';
import type { GatewayRequest } from './request.ts';

/** One request on its way through an operation that needs no key: the caller is not authenticated. */
export interface PublicContext<Parts> {
  readonly request: GatewayRequest;
  /** The parts of the gateway that the operation uses. */
  readonly parts: Parts;
  /** The variable parts of the path, decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers of the response, for success and failure; operations add to them. */
  readonly responseHeaders: Record<string, string>;
}

export interface RequestContext<Parts> extends PublicContext<Parts> {
  readonly principal: Principal;
}
