import type { Principal } from '../../http/principal.ts';
import type { Session } from '../../auth/sessions.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { toGatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

type PublicContext = Pick<RequestContext, 'request' | 'runtime'>;

/** `GET /admin/v1/session`: whether the browser is signed in, and what its writes have to carry. */
export async function getSession(context: PublicContext): Promise<GatewayResponse> {
  const data = (await findSession(context)) ?? { signed_in: false };
  return toJsonResponse(200, { data }, { 'cache-control': 'no-store' });
}

async function findSession(context: PublicContext): Promise<object | undefined> {
  const { request, runtime } = context;
  const isHosts = request.principal !== undefined || runtime.sessions === null;
  const session = isHosts ? undefined : runtime.sessions?.find(request);
  if (!isHosts && session === undefined) return undefined;
  const principal = await authenticate(context);
  // The key may be gone by now.
  if (principal?.kind !== 'management') return undefined;
  return session === undefined ? toHostSessionData(principal) : toSessionData(session);
}

/** Not by a key in the headers: this is about browsers. */
async function authenticate({ request, runtime }: PublicContext): Promise<Principal | undefined> {
  try {
    return await runtime.authenticate({ ...request, headers: { ...request.headers, authorization: undefined } });
  } catch (error) {
    if (toGatewayError(error).code === 'authentication') return undefined;
    throw error;
  }
}

export function toSessionData({ name, csrfToken, expiresAtMs }: Session): object {
  return { signed_in: true, name, csrf_token: csrfToken, expires_at: new Date(expiresAtMs).toISOString() };
}

/** The host has its own sign-in, and its own guard against forged requests. */
const toHostSessionData = ({ name }: Principal): object => ({
  signed_in: true,
  name,
  csrf_token: '',
  expires_at: null,
});
