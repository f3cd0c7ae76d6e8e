import { whenKnown } from '../foundation/awaitable.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Principal, PublicContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { Route, RouteMatch, RouteRow } from '../http/route.ts';
import type { AuditedRequest, AuditTrail } from './audit-trail.ts';
import { type AuditedParts, runAudited } from './run-audited.ts';

/**
 * Whether the log has what a route does: changes by whoever makes them, and what those who administer read of calls. A
 * GET that needs no key and is in the log signs in.
 */
export function isAudited(
  { audit, method, auth }: Pick<RouteRow, 'audit' | 'method'> & Pick<Route<never>, 'auth'>,
  trail: AuditTrail | null,
  principal?: Principal,
): boolean {
  if (audit == null || trail === null) return false;
  return method !== 'GET' || auth === 'none' || principal?.kind === 'management';
}

type PartsOfRoute = AuditedParts & {
  readonly audit: AuditTrail | null;
  readonly platform: Pick<Platform, 'sha256'>;
};

/** Runs the operation of a route for which `isAudited` is true. */
export function handleAudited<RouteParts, Parts extends RouteParts & PartsOfRoute>(
  route: Route<RouteParts>,
  context: PublicContext<Parts>,
  principal?: Principal,
): Promise<GatewayResponse> {
  const { parts, params, request } = context;
  const asked = { request, params, principal, action: route.audit ?? '', place: placeOf(route) };
  return runAudited(parts.audit as AuditTrail, asked, parts, (tracked) => {
    const trackedContext = { ...context, parts: tracked };
    return route.auth === 'none'
      ? whenKnown(route.load(), (operation) => operation.handle(trackedContext))
      : whenKnown(route.load(), (operation) =>
          operation.handle({ ...trackedContext, principal: principal as Principal }),
        );
  });
}

const placeOf = ({ method, path }: Pick<RouteRow, 'method' | 'path'>): string => `${method} ${path}`;

/** Notes what is refused of that which administers, or reads what is stored. */
export function noteRefused(
  { route, params }: RouteMatch<never>,
  { request, principal, error }: Pick<AuditedRequest, 'request' | 'principal'> & { readonly error: GatewayError },
  trail: AuditTrail | null,
): void {
  if (trail === null || !(route.auth === 'management' || route.audit != null)) return;
  const isOfTooManySignIns = error.status === 429 && route.auth === 'none';
  if (error.status !== 401 && error.code !== 'permission_denied' && !isOfTooManySignIns) return;
  trail.noteRefused({ request, principal, params, action: route.audit ?? null, place: placeOf(route) }, error);
}
