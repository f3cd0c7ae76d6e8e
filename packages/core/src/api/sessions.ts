import { type AuthenticateCaller, isSignedInByHost, LINK_PRINCIPAL, refuseForged } from '../auth/authenticate.ts';
import type { IdentitySessions } from '../auth/identity-sessions.ts';
import type { Session } from '../auth/session-keep.ts';
import { isOwnPage, type Sessions, toSessionCookie } from '../auth/sessions.ts';
import { GatewayError, toGatewayError } from '../foundation/errors.ts';
import { publicOperation } from '../http/operation.ts';
import type { Principal, PublicContext } from '../http/request.ts';
import { createSessionRequestSchema, type SessionData, sessionResponseSchema } from '../wire/keys.ts';
import { permittedOperations } from './permissions.ts';

export interface SessionParts {
  readonly authenticate: AuthenticateCaller;
  /** Sessions of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
  /** Whether the sign-in page offers a public key. */
  readonly hasPublicKey: boolean;
  /** Told of the session that a sign-in has opened, for the audit log. */
  readonly noteSignIn: (session: Session) => void;
  /** Sessions of members; null where nobody can sign in as themselves. */
  readonly identitySessions: Pick<IdentitySessions, 'signOutUrl'> | null;
}

/** A session as its browser sees it. */
export function toSessionData({ name, csrfToken, expiresAtMs }: Session, principal: Principal): SessionData {
  const expiresAt = new Date(expiresAtMs).toISOString();
  return { signed_in: true, name, csrf_token: csrfToken, expires_at: expiresAt, ...toMemberData(principal) };
}

/** Who a member is and what they may do; nothing for the operator, who may do everything. */
function toMemberData(principal: Principal): Partial<Extract<SessionData, { signed_in: true }>> {
  const { member, userId } = principal;
  if (member === undefined) return {};
  return { user_id: userId ?? null, role: member.role, operations: permittedOperations(principal) };
}

type SessionContext = Pick<PublicContext<SessionParts>, 'request' | 'parts'>;

/** `GET /admin/v1/session`: whether the browser is signed in, and what its writes have to carry. */
export const getSession = publicOperation<SessionParts>()({
  response: sessionResponseSchema,
  responseHeaders: { 'cache-control': '`no-store`' },
  async run(context) {
    const isDemo = context.parts.sessions !== null && context.parts.hasPublicKey;
    const data = (await findSession(context)) ?? { signed_in: false, ...(isDemo && { demo: true }) };
    context.responseHeaders['cache-control'] = 'no-store';
    return { data };
  },
});

async function findSession(context: SessionContext): Promise<SessionData | undefined> {
  const { request, parts } = context;
  const isHosts = isSignedInByHost(request) || parts.sessions === null;
  const session = isHosts ? undefined : await parts.sessions?.find(request);
  if (!isHosts && session === undefined) return undefined;
  const principal = await authenticate(context);
  // The key may be gone by now.
  if (principal?.kind !== 'management') return undefined;
  return session === undefined ? toHostSessionData(principal) : toSessionData(session, principal);
}

/** Not by a key in the headers: this is about browsers. */
async function authenticate({ request, parts }: SessionContext): Promise<Principal | undefined> {
  try {
    return await parts.authenticate({ ...request, headers: { ...request.headers, authorization: undefined } });
  } catch (error) {
    if (toGatewayError(error).code === 'authentication') return undefined;
    throw error;
  }
}

/** The host has its own sign-in, and its own guard against forged requests. */
const toHostSessionData = (principal: Principal): SessionData => ({
  signed_in: true,
  name: principal.name,
  csrf_token: '',
  expires_at: null,
  ...toMemberData(principal),
});

/** `POST /admin/v1/session`: exchanges a one-time token or a management key for a cookie. */
export const createSession = publicOperation<SessionParts>()({
  body: createSessionRequestSchema,
  response: sessionResponseSchema,
  responseHeaders: { 'set-cookie': 'The session', 'cache-control': '`no-store`' },
  status: 201,
  errors: ['authentication', 'permission_denied', 'rate_limit_exceeded'],
  find({ request, parts: { sessions } }) {
    if (sessions === null || isSignedInByHost(request))
      throw new GatewayError('invalid_request', 'The host of this gateway has its own sign-in');
    if (!isOwnPage(request)) throw new GatewayError('permission_denied', 'Pages from another origin may not sign in');
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
      context.parts.noteSignIn(session);
      responseHeaders['set-cookie'] = toSessionCookie(session, request.baseUrl);
      responseHeaders['cache-control'] = 'no-store';
      return { data: toSessionData(session, principal) };
    } catch (error) {
      // Who was not looked up, as the store is away, has guessed nothing.
      if (toGatewayError(error).status < 500) sessions.noteFailure(address);
      throw error;
    }
  },
});

async function redeem(token: string, sessions: Sessions): Promise<Principal> {
  if (await sessions.redeemToken(token)) return LINK_PRINCIPAL;
  throw new GatewayError(
    'authentication',
    'This link was used already, is older than ten minutes, or is from before the gateway was restarted; sign in with a management key',
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

/** `DELETE /admin/v1/session`: signs out. It succeeds also without a session. */
export const deleteSession = publicOperation<SessionParts>()({
  response: sessionResponseSchema,
  responseHeaders: { 'set-cookie': 'Ends the session' },
  errors: ['permission_denied'],
  async run({ request, parts: { sessions, identitySessions }, responseHeaders }) {
    const session = await sessions?.find(request);
    let logoutUrl: string | undefined;
    if (session !== undefined) {
      refuseForged(request, session);
      await sessions?.close(session);
      logoutUrl = await identitySessions?.signOutUrl(session, `${request.baseUrl}/ui/`);
    }
    responseHeaders['set-cookie'] = toSessionCookie(null, request.baseUrl);
    return { data: { signed_in: false, ...(logoutUrl !== undefined && { logout_url: logoutUrl }) } };
  },
});
