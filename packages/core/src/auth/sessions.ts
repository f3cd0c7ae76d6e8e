import type { Platform } from '../foundation/platform.ts';
import { createRandomId } from '../foundation/random-id.ts';
import { type GatewayRequest, firstValue } from '../http/request.ts';

/** A browser that is signed in. */
export interface Session {
  /** Value of the cookie. */
  readonly secret: string;
  /** Hash of the management key that was signed in with; null after a one-time link. */
  readonly keyHash: string | null;
  readonly name: string;
  /** Token that writes must carry beside the cookie. */
  readonly csrfToken: string;
  /** Milliseconds since the epoch, for people to read: the session ends by the monotonic clock. */
  readonly expiresAtMs: number;
  /** The `Host` it was made at; it holds at no other. */
  readonly host: string;
}

/** Sessions of browsers. They are in memory: a restart ends them all. */
export interface Sessions {
  /** A token that opens one session, within ten minutes. */
  issueToken(): string;
  /** Whether the token is good; it is not any more afterwards. */
  redeemToken(token: string): boolean;
  open(session: Pick<Session, 'keyHash' | 'name'>, request: GatewayRequest): Session;
  /** The session of a request's cookie, unless a page of another origin has sent it. */
  find(request: GatewayRequest): Session | undefined;
  close(session: Session): void;
  /** Seconds that an address with too many recent failures has to wait; 0 for every other address. */
  waitSeconds(address: string): number;
  noteFailure(address: string): void;
}

export const SESSION_LIFETIME_S = 12 * 60 * 60;
const TOKEN_LIFETIME_MS = 10 * 60 * 1000;
const MAX_SESSIONS = 1000;
const MAX_TOKENS = 100;
const MAX_FAILURES = 20;
const FAILURE_WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1000;

type SessionPlatform = Pick<Platform, 'now' | 'monotonicNow' | 'randomBytes'>;

/** Creates an empty collection of sessions; its size is bounded, and the oldest is removed first. */
export function createSessions(platform: SessionPlatform): Sessions {
  const bySecret = new Map<string, { readonly session: Session; readonly endsAt: number }>();
  /** Expiry time of each token. This and all other times here are of the monotonic clock. */
  const tokens = new Map<string, number>();
  const failures = new Map<string, { count: number; readonly since: number }>();
  const createSecret = (): string => createRandomId(platform) + createRandomId(platform);
  const failuresOf = (address: string): { count: number; readonly since: number } | undefined => {
    const found = failures.get(address);
    return found !== undefined && found.since > platform.monotonicNow() - FAILURE_WINDOW_MS ? found : undefined;
  };

  return {
    issueToken() {
      const token = createSecret();
      tokens.set(token, platform.monotonicNow() + TOKEN_LIFETIME_MS);
      dropOldest(tokens, MAX_TOKENS);
      return token;
    },
    redeemToken(token) {
      const expiresAt = tokens.get(token) ?? Number.NEGATIVE_INFINITY;
      tokens.delete(token);
      return expiresAt > platform.monotonicNow();
    },
    open({ keyHash, name }, { headers }) {
      const session: Session = {
        secret: createSecret(),
        keyHash,
        name,
        csrfToken: createRandomId(platform),
        expiresAtMs: platform.now() + SESSION_LIFETIME_S * 1000,
        host: firstValue(headers['host']) ?? '',
      };
      bySecret.set(session.secret, { session, endsAt: platform.monotonicNow() + SESSION_LIFETIME_S * 1000 });
      dropOldest(bySecret, MAX_SESSIONS);
      return session;
    },
    find(request) {
      const secret = readCookie(request);
      const found = secret === undefined ? undefined : bySecret.get(secret);
      if (found === undefined) return undefined;
      const { session, endsAt } = found;
      if (session.host !== (firstValue(request.headers['host']) ?? '')) return undefined;
      if (endsAt <= platform.monotonicNow()) {
        bySecret.delete(session.secret);
        return undefined;
      }
      return isOwnPage(request) ? session : undefined;
    },
    close: ({ secret }) => void bySecret.delete(secret),
    waitSeconds(address) {
      const found = failuresOf(address);
      if (found === undefined || found.count < MAX_FAILURES) return 0;
      return Math.ceil((found.since + FAILURE_WINDOW_MS - platform.monotonicNow()) / 1000);
    },
    noteFailure(address) {
      const found = failuresOf(address);
      if (found !== undefined) return void (found.count += 1);
      failures.delete(address);
      failures.set(address, { count: 1, since: platform.monotonicNow() });
      dropOldest(failures, MAX_ADDRESSES);
    },
  };
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  const [oldest] = map.size > limit ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * Whether the request comes from this gateway's own page, as far as the browser reports it. A cookie does not
 * distinguish ports of one machine, so `SameSite` alone does not exclude a page on another port.
 */
export function isOwnPage({ headers, baseUrl }: GatewayRequest): boolean {
  const site = firstValue(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = firstValue(headers['origin'])?.toLowerCase();
  if (origin === undefined) return true;
  const host = firstValue(headers['host'])?.toLowerCase();
  return origin === `http://${host}` || origin === `https://${host}` || origin === originOf(baseUrl);
}

/**
 * The name contains the port, because cookies do not distinguish ports: two gateways on one machine would sign each
 * other out.
 */
const cookieNameOf = (baseUrl: string): string => `gateway_session_${URL.parse(baseUrl)?.port || 'default'}`;

const originOf = (baseUrl: string): string | undefined => URL.parse(baseUrl)?.origin;

function readCookie({ headers, baseUrl }: GatewayRequest): string | undefined {
  const start = `${cookieNameOf(baseUrl)}=`;
  const cookies = firstValue(headers['cookie'])?.split(';') ?? [];
  return cookies
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(start))
    ?.slice(start.length);
}

/** The header that gives a browser its cookie, or, without a session, removes it. */
export function toSessionCookie(session: Session | null, baseUrl: string): string {
  const url = URL.parse(baseUrl);
  const secure = url?.protocol === 'https:' ? '; Secure' : '';
  const path = url === null || url.pathname === '' ? '/' : url.pathname;
  const maxAge = session === null ? 0 : SESSION_LIFETIME_S;
  const value = `${cookieNameOf(baseUrl)}=${session?.secret ?? ''}`;
  return `${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`;
}
