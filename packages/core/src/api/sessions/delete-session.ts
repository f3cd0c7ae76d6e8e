import { refuseForged } from '../../auth/authenticate-session.ts';
import { toSessionCookie } from '../../auth/sessions.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/** `DELETE /admin/v1/session`: signs out. Nobody who is signed out already is told off for it. */
export async function deleteSession({
  request,
  runtime,
}: Pick<RequestContext, 'request' | 'runtime'>): Promise<GatewayResponse> {
  const session = runtime.sessions?.find(request);
  if (session !== undefined) {
    refuseForged(request, session);
    runtime.sessions?.close(session);
  }
  return toJsonResponse(200, { data: { signed_in: false } }, { 'set-cookie': toSessionCookie(null, request.baseUrl) });
}
