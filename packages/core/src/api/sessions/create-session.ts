import { LINK_PRINCIPAL } from '../../auth/authenticate-session.ts';
import type { Principal } from '../../http/principal.ts';
import { isOwnPage, type Sessions, toSessionCookie } from '../../auth/sessions.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { createSessionRequestSchema } from '../../wire/management/session.ts';
import { toSessionData } from './get-session.ts';

type PublicContext = Pick<RequestContext, 'request' | 'runtime'>;

/** `POST /admin/v1/session`: exchanges a one-time token or a management key for a cookie. */
export async function createSession(context: PublicContext): Promise<GatewayResponse> {
  const { request, runtime } = context;
  const { sessions } = runtime;
  if (sessions === null || request.principal !== undefined)
    throw new GatewayError('invalid_request', 'The host of this gateway has its own sign-in');
  if (!isOwnPage(request)) throw new GatewayError('permission_denied', 'Pages of another origin may not sign in');
  const address = request.remoteAddress ?? '';
  const retryAfterSeconds = sessions.waitSeconds(address);
  if (retryAfterSeconds > 0) {
    throw new GatewayError('rate_limit_exceeded', 'Too many failed sign-ins; wait a minute', { retryAfterSeconds });
  }
  const { token, key = '' } = parseWith(createSessionRequestSchema, await readJsonBody(request));
  try {
    const principal = token === undefined ? await authenticateKey(key, context) : redeem(token, sessions);
    const keyHash = token === undefined ? principal.id : null;
    const session = sessions.open({ keyHash, name: principal.name }, request);
    const headers = { 'set-cookie': toSessionCookie(session, request.baseUrl), 'cache-control': 'no-store' };
    return toJsonResponse(201, { data: toSessionData(session) }, headers);
  } catch (error) {
    sessions.noteFailure(address);
    throw error;
  }
}

function redeem(token: string, sessions: Sessions): Principal {
  if (sessions.redeemToken(token)) return LINK_PRINCIPAL;
  throw new GatewayError(
    'authentication',
    'This link was used already, is older than ten minutes, or is of another start of the gateway; sign in with a management key',
  );
}

async function authenticateKey(key: string, { request, runtime }: PublicContext): Promise<Principal> {
  const principal = await runtime.authenticate({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
  });
  if (principal.kind === 'management') return principal;
  throw new GatewayError('permission_denied', 'Only management keys can sign in');
}
