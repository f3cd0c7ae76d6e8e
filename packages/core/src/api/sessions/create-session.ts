import { isSignedInByHost, LINK_PRINCIPAL } from '../../auth/authenticate.ts';
import { isOwnPage, type Sessions, toSessionCookie } from '../../auth/sessions.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { publicOperation } from '../../http/operation.ts';
import type { Principal, PublicContext } from '../../http/request.ts';
import { createSessionRequestSchema, sessionResponseSchema } from '../../wire/keys.ts';
import type { SessionParts } from './session-parts.ts';
import { toSessionData } from './to-session-data.ts';

type SessionContext = Pick<PublicContext<SessionParts>, 'request' | 'parts'>;

/** `POST /admin/v1/session`: exchanges a one-time token or a management key for a cookie. */
export const createSession = publicOperation<SessionParts>()({
  body: createSessionRequestSchema,
  response: sessionResponseSchema,
  responseHeaders: { 'set-cookie': 'The session', 'cache-control': '`no-store`' },
  status: 201,
  find({ request, parts: { sessions } }) {
    if (sessions === null || isSignedInByHost(request))
      throw new GatewayError('invalid_request', 'The host of this gateway has its own sign-in');
    if (!isOwnPage(request)) throw new GatewayError('permission_denied', 'Pages of another origin may not sign in');
    const address = request.remoteAddress ?? '';
    const retryAfterSeconds = sessions.waitSeconds(address);
    if (retryAfterSeconds > 0) {
      throw new GatewayError('rate_limit_exceeded', 'Too many failed sign-ins; wait a minute', { retryAfterSeconds });
    }
    return { sessions, address };
  },
  async run(context) {
    const { request, responseHeaders, found } = context;
    const { token, key = '' } = context.body;
    const { sessions, address } = found;
    try {
      const principal = token === undefined ? await authenticateKey(key, context) : await redeem(token, sessions);
      const keyHash = token === undefined ? principal.id : null;
      const session = await sessions.open({ keyHash, name: principal.name }, request);
      responseHeaders['set-cookie'] = toSessionCookie(session, request.baseUrl);
      responseHeaders['cache-control'] = 'no-store';
      return { data: toSessionData(session) };
    } catch (error) {
      sessions.noteFailure(address);
      throw error;
    }
  },
});

async function redeem(token: string, sessions: Sessions): Promise<Principal> {
  if (await sessions.redeemToken(token)) return LINK_PRINCIPAL;
  throw new GatewayError(
    'authentication',
    'This link was used already, is older than ten minutes, or is of another start of the gateway; sign in with a management key',
  );
}

async function authenticateKey(key: string, { request, parts }: SessionContext): Promise<Principal> {
  const principal = await parts.authenticate({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
  });
  if (principal.kind === 'management') return principal;
  throw new GatewayError('permission_denied', 'Only management keys can sign in');
}
