import { createRandomId, type Platform } from '../foundation/platform.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { SharedEntries } from '../stores/store.ts';
import { createMemoryKeep, dropOldest, type Session, SESSION_LIFETIME_S } from './session-keep.ts';
import { createSharedKeep } from './shared-sessions.ts';
import type { ShareFailures } from './wrong-keys.ts';

/** Sessions of browsers: of this process, which a restart ends, or of all at a shared store. */
export interface Sessions {
  /** A token that opens one session, within ten minutes. */
  issueToken(): string;
  /** Whether the token is good; it is not any more afterwards. */
  redeemToken(token: string): Promise<boolean>;
  open(session: Pick<Session, 'keyHash' | 'name' | 'memberId' | 'identity'>, request: GatewayRequest): Promise<Session>;
  /** The session of a request's cookie, unless a page of another origin has sent it. */
  find(request: GatewayRequest): Promise<Session | undefined>;
  close(session: Session): Promise<void>;
  /** Seconds that an address with too many recent failures has to wait; 0 for every other address. */
  waitSeconds(address: string): number;
  noteFailure(address: string): void;
}

const MAX_FAILURES = 20;
const FAILURE_WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1000;

/** What a secret looks like, so that nothing else is looked up. */
const SECRET = /^[0-9a-f]{64}$/;

/**
 * Creates the sessions, which are shared where processes share entries. Failures are counted by each process, or, with
 * `shareFailures`, together.
 */
export function createSessions(platform: Platform, entries?: SharedEntries, shareFailures?: ShareFailures): Sessions {
  const keep = entries === undefined ? createMemoryKeep(platform) : createSharedKeep(entries, platform);
  /** Times are of the monotonic clock. */
  const failures = new Map<string, { count: number; readonly since: number }>();
  const createSecret = (): string => createRandomId(platform) + createRandomId(platform);
  const failuresOf = (address: string): { count: number; readonly since: number } | undefined => {
    const found = failures.get(address);
    return found !== undefined && found.since > platform.monotonicNow() - FAILURE_WINDOW_MS ? found : undefined;
  };
  const note = (address: string, more = 1): void => {
    const found = failuresOf(address);
    if (found !== undefined) return void (found.count += more);
    failures.delete(address);
    failures.set(address, { count: more, since: platform.monotonicNow() });
    dropOldest(failures, MAX_ADDRESSES);
  };
  const tell = shareFailures?.(note);

  return {
    issueToken() {
      const token = createSecret();
      keep.putToken(token);
      return token;
    },
    redeemToken: async (token) => SECRET.test(token) && keep.takeToken(token),
    async open({ keyHash, name, memberId, identity }, { headers }) {
      const session: Session = {
        secret: createSecret(),
        keyHash,
        name,
        ...(memberId !== undefined && { memberId }),
        ...(identity !== undefined && { identity }),
        csrfToken: createRandomId(platform),
        expiresAtMs: platform.now() + SESSION_LIFETIME_S * 1000,
        host: firstValue(headers['host']) ?? '',
      };
      await keep.put(session);
      return session;
    },
    async find(request) {
      const secret = readCookie(request);
      const session = secret !== undefined && SECRET.test(secret) ? await keep.get(secret) : undefined;
      if (session === undefined || session.host !== (firstValue(request.headers['host']) ?? '')) return undefined;
      return isOwnPage(request) ? session : undefined;
    },
    close: ({ secret }) => keep.remove(secret),
    waitSeconds(address) {
      const found = failuresOf(address);
      if (found === undefined || found.count < MAX_FAILURES) return 0;
      return Math.ceil((found.since + FAILURE_WINDOW_MS - platform.monotonicNow()) / 1000);
    },
    noteFailure(address) {
      // All whose address is unknown would wait for the one who guesses.
      if (address === '') return;
      note(address);
      tell?.(address);
    },
  };
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
