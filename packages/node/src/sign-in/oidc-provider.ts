import {
  type EndedIdentity,
  GatewayError,
  type IdentityProvider,
  type IdentityTokens,
  type ProvenIdentity,
} from '@model-gateway/core';
import type * as Jose from 'jose';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import type * as OpenIdClient from 'openid-client';

import { loadPeer } from '../load-peer.ts';

export interface OidcProviderOptions {
  /** As the provider writes it in its tokens; https, or http on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Default: the client is public, and PKCE alone protects its codes. */
  readonly clientSecret?: string | undefined;
  /** How the secret is sent. Default `basic`. */
  readonly clientAuthentication?: 'basic' | 'post' | undefined;
  readonly scopes: readonly string[];
  /** What the provider asks of a user who is signed in there already: `consent`, `login`, `select_account`. */
  readonly prompt?: string | undefined;
  /** Milliseconds since the epoch. Default: the clock of the system. */
  readonly now?: (() => number) | undefined;
}

type Libraries = typeof OpenIdClient & { readonly jose: typeof Jose };

interface Discovered {
  readonly library: Libraries;
  /** The provider as the library needs it, by the clock of this moment. */
  readonly configure: () => OpenIdClient.Configuration;
  /** Checks the signature and the times of a token, by the keys of the provider. */
  readonly verify: (token: string, options: JWTVerifyOptions, isFromProvider: boolean) => Promise<JWTPayload>;
  readonly at: number;
}

interface Found extends Pick<Discovered, 'library' | 'verify'> {
  readonly config: OpenIdClient.Configuration;
}

const toFound = ({ library, verify, configure }: Discovered): Found => ({ library, verify, config: configure() });

/** How far the clocks of the two machines may be apart. */
const CLOCK_TOLERANCE_S = 300;
const TIMEOUT_S = 10;
const DISCOVERED_FOR_MS = 60 * 60_000;
const RETRY_MS = 60_000;
const LOGOUT_TOKEN_AGE_S = 15 * 60;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** No secret of the client signs: keys of the provider do. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/**
 * Creates a provider of identity that speaks OpenID Connect, by `openid-client`. It is asked for its addresses when they
 * are first needed, and again each hour; a provider that is away at the start does not matter.
 */
export function createOidcProvider(options: OidcProviderOptions): IdentityProvider {
  const { issuer, clientId, now = Date.now } = options;
  let discovering: Promise<Discovered> | undefined;
  let discovered: Discovered | undefined;

  const discover = async (): Promise<Found> => {
    if (discovered !== undefined && now() - discovered.at < DISCOVERED_FOR_MS) return toFound(discovered);
    discovering ??= discoverAnew(options).finally(() => (discovering = undefined));
    try {
      discovered = await discovering;
    } catch (error) {
      if (discovered === undefined) throw toAway(error);
      // Its addresses seldom change: in a minute is soon enough.
      discovered = { ...discovered, at: now() - DISCOVERED_FOR_MS + RETRY_MS };
    }
    return toFound(discovered);
  };

  /** The claims of an ID token, whose signature is checked: it came from the provider itself, but maybe not unchanged. */
  const readIdToken = async ({ verify }: Found, idToken: string | undefined) =>
    idToken === undefined ? undefined : verify(idToken, { audience: clientId }, true);

  /** Claims that are not in the ID token are at an address of their own. */
  const readUserInfo = async ({ library, config }: Found, accessToken: string, subject: string) =>
    config.serverMetadata().userinfo_endpoint === undefined
      ? undefined
      : library.fetchUserInfo(config, accessToken, subject);

  return {
    async begin(redirectUri) {
      const { library, config } = await discover();
      const [state, nonce, verifier] = [library.randomState(), library.randomNonce(), library.randomPKCECodeVerifier()];
      const url = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: options.scopes.join(' '),
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(options.prompt !== undefined && { prompt: options.prompt }),
      });
      return { url: url.href, state, nonce, verifier };
    },

    async complete(callbackUrl, { state, nonce, verifier }) {
      const found = await discover();
      const { library, config } = found;
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
        const tokens = await library.authorizationCodeGrant(config, new URL(callbackUrl), checks);
        const claims = await readIdToken(found, tokens.id_token);
        if (claims?.sub === undefined) throw refuse('The provider gave no ID token');
        const more = await readUserInfo(found, tokens.access_token, claims.sub).catch((error: unknown) => {
          if (isChallenge(error)) return undefined;
          throw error;
        });
        return toProven(issuer, claims.sub, { ...more, ...claims }, toHeld(claims.sub, tokens, namesOf(more)));
      } catch (error) {
        throw isAway(error) ? toAway(error) : toRefusal(error);
      }
    },

    async refresh({ refreshToken, subject, idToken, userInfoClaims = [] }, onRotated) {
      const found = await discover();
      const { library, config } = found;
      try {
        const tokens = await library.refreshTokenGrant(config, refreshToken);
        if (tokens.refresh_token !== undefined) await onRotated(tokens.refresh_token);
        const claims = await readIdToken(found, tokens.id_token);
        if (claims !== undefined && claims.sub !== subject) return null;
        const more = await readUserInfo(found, tokens.access_token, subject).catch((error: unknown) => {
          // As at the sign-in: the ID token that came along says that the user is there.
          if (claims !== undefined && isChallenge(error)) return undefined;
          if (statusOf(error) === 401) return null;
          throw error;
        });
        if (more === null) return null;
        // What is fresh counts, and of that the ID token, as at the sign-in.
        const former = (): Record<string, unknown> => {
          const old = Object.entries(readClaims(idToken));
          // Providers leave out a claim that has become empty, such as that of the groups.
          const gone = new Set(more === undefined ? [] : userInfoClaims);
          return Object.fromEntries(old.filter(([name]) => !gone.has(name)));
        };
        const fresh = claims === undefined ? { ...former(), ...more } : { ...more, ...claims };
        const names = [...new Set([...userInfoClaims, ...namesOf(more)])];
        return toProven(issuer, subject, fresh, toHeld(subject, tokens, names));
      } catch (error) {
        if (isEnded(error)) return null;
        throw isAway(error) ? toAway(error) : toRefusal(error);
      }
    },

    async readLogoutToken(token) {
      const { verify } = await discover();
      let claims: JWTPayload;
      try {
        claims = await verify(token, { audience: clientId, maxTokenAge: LOGOUT_TOKEN_AGE_S }, false);
      } catch (cause) {
        if (isAway(cause)) throw toAway(cause);
        throw refuseLogout('its signature, issuer, audience or time is wrong', cause);
      }
      return readLogout(issuer, claims);
    },

    async endSessionUrl({ idToken }, returnTo) {
      const { library, config } = await discover();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return library.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href;
    },
  };
}

async function discoverAnew(options: OidcProviderOptions): Promise<Discovered> {
  const { issuer, clientId, clientSecret, clientAuthentication = 'basic', now = Date.now } = options;
  const library = await loadLibraries();
  const { jose } = library;
  const authentication =
    clientSecret === undefined
      ? library.None()
      : clientAuthentication === 'post'
        ? library.ClientSecretPost(clientSecret)
        : library.ClientSecretBasic(clientSecret);
  // https alone, but for a provider on this machine.
  const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : [];
  const config = await library.discovery(new URL(issuer), clientId, {}, authentication, {
    execute,
    timeout: TIMEOUT_S,
  });
  const server = config.serverMetadata();
  const configure = (): OpenIdClient.Configuration => {
    const metadata = {
      [library.clockTolerance]: CLOCK_TOLERANCE_S,
      [library.clockSkew]: Math.round((now() - Date.now()) / 1000),
    };
    const made = new library.Configuration(server, clientId, metadata, authentication);
    made.timeout = TIMEOUT_S;
    for (const prepare of execute) prepare(made);
    return made;
  };
  const address = new URL(server.jwks_uri ?? '');
  const timeoutDuration = TIMEOUT_S * 1000;
  // Keys may have been exchanged a moment ago. Anybody can send a logout token, so those do not make it ask at will.
  const ownKeys = jose.createRemoteJWKSet(address, { timeoutDuration, cooldownDuration: 0 });
  const othersKeys = jose.createRemoteJWKSet(address, { timeoutDuration });
  return {
    library,
    configure,
    at: now(),
    async verify(token, checks, isFromProvider) {
      const { payload } = await jose.jwtVerify(token, isFromProvider ? ownKeys : othersKeys, {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
        ...checks,
      });
      if (payload.iat !== undefined && payload.iat > now() / 1000 + CLOCK_TOLERANCE_S)
        throw refuse('The token is from the future: the clocks of the two machines differ by more than 5 minutes');
      return payload;
    },
  };
}

const loadLibraries = async (): Promise<Libraries> =>
  loadPeer('Sign-in by OpenID Connect', ['openid-client', 'jose'], async () => {
    const [client, jose] = await Promise.all([import('openid-client'), import('jose')]);
    return { ...client, jose };
  });

function toProven(
  issuer: string,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
  tokens: IdentityTokens,
): ProvenIdentity {
  const { sid } = claims;
  return { issuer, subject, sessionId: typeof sid === 'string' ? sid : undefined, claims, tokens };
}

const toHeld = (
  subject: string,
  { id_token: idToken, refresh_token: refreshToken }: OpenIdClient.TokenEndpointResponse,
  userInfoClaims: readonly string[],
): IdentityTokens => ({ subject, idToken, refreshToken, userInfoClaims });

const namesOf = (claims: object | undefined): readonly string[] => Object.keys(claims ?? {});

/** The claims of a token that was checked when it came. */
function readClaims(token: string | undefined): Record<string, unknown> {
  const [, payload = ''] = token?.split('.') ?? [];
  return payload === '' ? {} : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>);
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. */
function readLogout(issuer: string, claims: JWTPayload): EndedIdentity {
  const { sub, jti, iat } = claims;
  const { sid, events, nonce } = claims as { sid?: unknown; events?: unknown; nonce?: unknown };
  const event =
    typeof events === 'object' && events !== null ? (events as Record<string, unknown>)[LOGOUT_EVENT] : null;
  if (typeof event !== 'object' || event === null) throw refuseLogout('its events do not say that it is one');
  if (nonce !== undefined) throw refuseLogout('it has a nonce, which ID tokens have');
  if (typeof jti !== 'string' || iat === undefined) throw refuseLogout('it has no jti or no iat');
  const subject = typeof sub === 'string' ? sub : undefined;
  const sessionId = typeof sid === 'string' ? sid : undefined;
  if (subject === undefined && sessionId === undefined) throw refuseLogout('it names neither a user nor a session');
  return { issuer, tokenId: jti, subject, sessionId };
}

const refuseLogout = (problem: string, cause?: unknown): GatewayError =>
  new GatewayError('invalid_request', `logout_token is refused: ${problem}`, { cause });

const refuse = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('authentication', message, { cause });

/** The message of the library names the claim, and no value of a token. */
function toRefusal(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { code, error: named } = error as { code?: unknown; error?: unknown };
  const what = typeof named === 'string' ? named : typeof code === 'string' ? code : 'error';
  const message = error instanceof Error ? error.message : String(error);
  return refuse(`What came from the provider of identity is refused (${what}): ${message}`, error);
}

function toAway(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const { message, cause: inner } = cause as Error;
  const reason = inner instanceof Error ? `${message}: ${inner.message}` : message;
  return new GatewayError('provider_unavailable', `The provider of identity cannot be used: ${reason}`, { cause });
}

/** The connection failed, it took too long, or the provider has a failure of its own. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, status, cause } = error as Error & { code?: unknown; status?: unknown };
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || code === 'ERR_JWKS_TIMEOUT') return true;
  if (typeof status === 'number') return status >= 500 || status === 429;
  if (cause instanceof Response) return cause.status >= 500 || cause.status === 429;
  return error.name === 'TypeError' && error.message === 'fetch failed' ? true : isAway(cause);
}

/** The provider says that the user is signed in no more. A client that is set up wrong, a 401, is another thing. */
const isEnded = (error: unknown): boolean => (error as { error?: unknown }).error === 'invalid_grant';

const isChallenge = (error: unknown): boolean => statusOf(error) === 401 || statusOf(error) === 403;

const statusOf = (error: unknown): number | undefined => {
  const { status, cause } = error as { status?: unknown; cause?: unknown };
  if (typeof status === 'number') return status;
  return cause instanceof Response ? cause.status : undefined;
};
