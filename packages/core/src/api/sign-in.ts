import type { AuditTrail } from '../audit/audit-trail.ts';
import { isSignedInByHost } from '../auth/authenticate.ts';
import { refuseIdentity, type PendingSignIn } from '../auth/identity-provider.ts';
import type { IdentitySessions, OidcSignIn } from '../auth/identity-sessions.ts';
import type { IdentityProblem } from '../auth/identity.ts';
import type { MemberDirectory } from '../auth/keys.ts';
import { findMemberPrincipal } from '../auth/member-principal.ts';
import type { Session } from '../auth/session-keep.ts';
import { isOwnPage, type Sessions, toSessionCookie } from '../auth/sessions.ts';
import { GatewayError, toGatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { publicOperation } from '../http/operation.ts';
import { firstValue, type GatewayRequest, mountPathOf, type PublicContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { Store } from '../stores/store.ts';
import { sessionResponseSchema } from '../wire/keys.ts';
import {
  backChannelLogoutSchema,
  beginSignInQuerySchema,
  SIGN_IN_PROBLEMS,
  type SignInProblem,
  signInWaysSchema,
} from '../wire/sign-in.ts';
import { toSessionData } from './sessions.ts';

export interface SignInParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly logger: Logger;
  readonly store: Pick<Store, 'members' | 'workspaces'>;
  readonly members: MemberDirectory;
  /** Sessions of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
  /** Sessions of members; null where nobody can sign in as themselves. */
  readonly identitySessions: IdentitySessions | null;
  readonly noteSignIn: (session: Session) => void;
  readonly audit: AuditTrail | null;
}

type SignInContext = Pick<PublicContext<SignInParts>, 'request' | 'parts'>;

/** `GET /admin/v1/sign-in`: the ways to sign in, for the page that offers them. */
export const getSignInWays = publicOperation<SignInParts>()({
  response: signInWaysSchema,
  responseHeaders: { 'cache-control': '`no-store`' },
  async run({ request, parts: { identitySessions }, responseHeaders }) {
    responseHeaders['cache-control'] = 'no-store';
    if (isSignedInByHost(request)) return { data: { oidc: null, proxy: null } };
    const label = identitySessions?.oidc?.label;
    const user = identitySessions?.readProxy(request);
    return {
      data: {
        oidc: label === undefined ? null : { label },
        proxy: user === undefined ? null : { user: user.email ?? user.id },
      },
    };
  },
});

const REDIRECT_HEADERS = { 'cache-control': '`no-store`', 'referrer-policy': '`no-referrer`' };

/** `GET /admin/v1/sign-in/oidc`: sends the browser to the provider. */
export const beginSignIn = publicOperation<SignInParts>()({
  query: beginSignInQuerySchema,
  response: { mediaTypes: { 'text/plain': null } },
  responseHeaders: {
    location: 'The page of the provider',
    'set-cookie': 'What the way back is checked against',
    ...REDIRECT_HEADERS,
  },
  status: 302,
  errors: ['not_found'],
  find: (context) => findOidc(context),
  async run({ request, parts, query, found: { oidc } }) {
    const returnTo = toLocalPath(query.return_to, request);
    try {
      const { url, ...pending } = await oidc.provider.begin(callbackOf(request));
      const cookie = toPendingCookie({ ...pending, returnTo, at: parts.platform.now() }, request.baseUrl);
      return redirect(url, cookie);
    } catch (error) {
      return explain({ request, parts }, error);
    }
  },
});

/** `GET /admin/v1/sign-in/oidc/callback`: the way back from the provider. Opens the session, or says on the page why not. */
export const finishSignIn = publicOperation<SignInParts>()({
  response: { mediaTypes: { 'text/plain': null } },
  responseHeaders: { location: 'The page that the sign-in began at', 'set-cookie': 'The session', ...REDIRECT_HEADERS },
  status: 302,
  errors: ['not_found'],
  find: (context) => findOidc(context),
  async run({ request, parts, found: { oidc, identitySessions, sessions } }) {
    const address = request.remoteAddress ?? '';
    if (sessions.waitSeconds(address) > 0) return redirect(toProblemUrl('too_many', request));
    const asked = new URLSearchParams(request.query);
    const pending = readPending(request, asked.get('state') ?? '', parts.platform.now());
    try {
      if (pending === undefined) throw expired();
      const proven = await oidc.provider.complete(`${callbackOf(request)}?${request.query}`, pending);
      const session = await identitySessions.openByProvider(proven, request, parts);
      parts.noteSignIn(session);
      // Checked again: the cookie may be anybody's who could write one.
      return redirect(toLocalPath(pending.returnTo, request), toSessionCookie(session, request.baseUrl));
    } catch (error) {
      // Who was never asked about has guessed nothing, and keys are the way in while the provider or the store is away.
      if (pending !== undefined && toGatewayError(error).status < 500) sessions.noteFailure(address);
      return explain({ request, parts }, error, asked.has('error') && pending !== undefined ? 'denied' : undefined);
    }
  },
});

/** `POST /admin/v1/sign-in/proxy`: opens the session of the user whom the trusted proxy names. */
export const signInByProxy = publicOperation<SignInParts>()({
  response: sessionResponseSchema,
  responseHeaders: { 'set-cookie': 'The session', 'cache-control': '`no-store`' },
  status: 201,
  errors: ['authentication', 'not_found', 'permission_denied'],
  async run({ request, parts, responseHeaders }) {
    const { identitySessions } = parts;
    if (!isOwnPage(request)) throw new GatewayError('permission_denied', 'Pages from another origin may not sign in');
    if (identitySessions === null || isSignedInByHost(request))
      throw new GatewayError('not_found', 'Sign-in by a proxy is not set up');
    const identity = identitySessions.readProxy(request);
    if (identity === undefined) throw refuseIdentity('No trusted proxy names the user of this request');
    const session = await identitySessions.openByProxy(identity, request, parts);
    parts.noteSignIn(session);
    responseHeaders['set-cookie'] = toSessionCookie(session, request.baseUrl);
    responseHeaders['cache-control'] = 'no-store';
    return { data: toSessionData(session, await findMemberPrincipal(session.memberId ?? '', parts)) };
  },
});

const MAX_LOGOUT_BYTES = 64 * 1024;

/** `POST /admin/v1/sign-in/oidc/back-channel-logout`: the provider ends the sessions of a user, in all processes. */
export const endByProvider = publicOperation<SignInParts>()({
  body: { readByRun: backChannelLogoutSchema, mediaType: 'application/x-www-form-urlencoded' },
  response: { mediaTypes: { 'text/plain': null } },
  responseHeaders: { 'cache-control': '`no-store`' },
  errors: ['invalid_request', 'not_found', 'payload_too_large'],
  find: (context) => findOidc(context),
  async run({ request, parts: { audit }, found: { identitySessions } }) {
    const text = new TextDecoder().decode(await request.readBody(MAX_LOGOUT_BYTES));
    const token = new URLSearchParams(text).get('logout_token');
    if (token === null) throw new GatewayError('invalid_request', 'logout_token is missing in the form');
    const { issuer, name } = await identitySessions.endByProvider(token);
    const actor = { kind: 'unknown', id: null, name: issuer, member: null, key: null } as const;
    const target = { kind: 'session', id: null, name, workspace: null } as const;
    await audit?.record({ actor, request }, [{ action: 'session.delete', target }]);
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      body: '',
    };
  },
});

interface FoundOidc {
  readonly oidc: OidcSignIn;
  readonly identitySessions: IdentitySessions;
  readonly sessions: Sessions;
}

function findOidc({ request, parts: { identitySessions, sessions } }: SignInContext): FoundOidc {
  const oidc = identitySessions?.oidc;
  if (oidc === undefined || identitySessions === null || sessions === null || isSignedInByHost(request))
    throw new GatewayError(
      'not_found',
      'Sign-in by OpenID Connect is not set up: see signIn.oidc of the configuration',
    );
  return { oidc, identitySessions, sessions };
}

const CALLBACK = '/admin/v1/sign-in/oidc/callback';
const callbackOf = ({ baseUrl }: GatewayRequest): string => baseUrl + CALLBACK;

const expired = (): GatewayError =>
  new GatewayError('authentication', 'The sign-in was begun elsewhere, or more than ten minutes ago', {
    metadata: { reason: 'expired' },
  });

/** Sends the browser to the page with the reason, which the audit log and the log have, too. */
function explain({ request, parts }: SignInContext, thrown: unknown, known?: SignInProblem): GatewayResponse {
  const error = toGatewayError(thrown);
  const problem = known ?? toProblem(error);
  parts.logger.warn('a sign-in by the identity provider was refused', {
    problem,
    reason: error.cause instanceof Error && error.code === 'internal' ? error.cause.message : error.message,
  });
  const refused = error.code === 'permission_denied' ? error : refuseIdentity(error.message);
  const asked = { request, action: 'session.create', place: `GET ${CALLBACK}`, params: {}, principal: undefined };
  parts.audit?.noteRefused(asked, refused);
  return redirect(toProblemUrl(problem, request));
}

function toProblem({ code, metadata }: GatewayError): SignInProblem {
  const reason = metadata?.['reason'] as IdentityProblem | 'expired' | undefined;
  if (reason !== undefined && SIGN_IN_PROBLEMS.includes(reason)) return reason;
  return code === 'provider_unavailable' ? 'away' : 'invalid';
}

const toProblemUrl = (problem: SignInProblem, request: GatewayRequest): string =>
  `${mountPathOf(request)}/ui/#sign-in-error=${problem}`;

const redirect = (location: string, cookie?: string): GatewayResponse => ({
  status: 302,
  headers: {
    location,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  },
  body: '',
});

/** A path of this origin alone: what a link of another page says must not lead elsewhere after a sign-in. */
function toLocalPath(asked: string | undefined, request: GatewayRequest): string {
  const ui = `${mountPathOf(request)}/ui/`;
  if (asked === undefined || !asked.startsWith('/')) return ui;
  const url = URL.parse(asked, request.baseUrl);
  if (url === null || url.origin !== URL.parse(request.baseUrl)?.origin) return ui;
  // As it was read, so that no browser reads it in another way.
  const path = url.pathname + url.search + url.hash;
  return path.startsWith('//') ? ui : path;
}

interface Pending extends PendingSignIn {
  readonly returnTo: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const PENDING_S = 600;

/** By the state, so that two pages can sign in at once. */
const pendingNameOf = (state: string): string => `gateway_sign_in_${state.replaceAll(/[^\w-]/g, '').slice(0, 16)}`;

/**
 * The cookie that ties the way back to this browser. It is no secret from its user, and needs no seal: whoever could
 * write it could begin a sign-in of their own just as well. Not `Strict`, because the way back begins at the provider.
 */
function toPendingCookie(pending: Pending, baseUrl: string): string {
  const value = encodeURIComponent(JSON.stringify(pending));
  const url = URL.parse(baseUrl);
  const secure = url?.protocol === 'https:' ? '; Secure' : '';
  const path = `${url?.pathname.replace(/\/$/, '') ?? ''}${CALLBACK}`;
  return `${pendingNameOf(pending.state)}=${value}; Path=${path}; Max-Age=${PENDING_S}; HttpOnly; SameSite=Lax${secure}`;
}

function readPending({ headers }: GatewayRequest, state: string, now: number): Pending | undefined {
  const start = `${pendingNameOf(state)}=`;
  const cookies = firstValue(headers['cookie'])?.split(';') ?? [];
  const text = cookies.map((cookie) => cookie.trim()).find((cookie) => cookie.startsWith(start));
  if (text === undefined || state === '') return undefined;
  try {
    const pending = JSON.parse(decodeURIComponent(text.slice(start.length))) as Partial<Record<keyof Pending, unknown>>;
    const { nonce, verifier, returnTo, at } = pending;
    if (typeof nonce !== 'string' || typeof verifier !== 'string' || typeof at !== 'number') return undefined;
    if (pending.state !== state || typeof returnTo !== 'string' || now - at > PENDING_S * 1000) return undefined;
    return { state, nonce, verifier, returnTo, at };
  } catch {
    return undefined;
  }
}
