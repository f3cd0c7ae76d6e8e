import { GatewayError } from '../foundation/errors.ts';
import type { Principal } from '../http/principal.ts';
import { type GatewayRequest, firstValue } from '../http/request.ts';
import type { Session } from './session.ts';

/** By this header a session calls models: it has the hash of the API key that acts (docs/decisions/0034). */
export const ACT_AS_HEADER = 'x-act-as-key';

/** The principal of a session that began with a one-time link. */
export const LINK_PRINCIPAL: Principal = { kind: 'management', id: 'ui', name: 'UI' };

/** Whether the host of this request has its own sign-in, which leaves no use for sessions. */
export const isSignedInByHost = ({ principal, authenticate }: GatewayRequest): boolean =>
  principal !== undefined || authenticate !== undefined;

/** A page of another site can make a browser send its cookie, but not read the token: throws `permission_denied`. */
export function refuseForged({ method, headers }: GatewayRequest, { csrfToken }: Session): void {
  if (method === 'GET' || method === 'HEAD' || firstValue(headers['x-csrf-token']) === csrfToken) return;
  throw new GatewayError(
    'permission_denied',
    'The x-csrf-token header is missing or wrong; GET /admin/v1/session tells the one of this session',
  );
}
