import type { Platform } from '../foundation/platform.ts';

/** Where sessions and one-time tokens are kept until they end. */
export interface SessionKeep {
  putToken(token: string): void;
  /** Whether the token was there; it is not any more afterwards. */
  takeToken(token: string): Promise<boolean>;
  put(session: Session): Promise<void>;
  get(secret: string): Promise<Session | undefined>;
  remove(secret: string): Promise<void>;
}

export const SESSION_LIFETIME_S = 12 * 60 * 60;
export const TOKEN_LIFETIME_MS = 10 * 60 * 1000;

const MAX_SESSIONS = 1000;
const MAX_TOKENS = 100;

/** Keeps them in memory: a restart ends them all. The number of each is bounded, and the oldest is removed first. */
export function createMemoryKeep(platform: Pick<Platform, 'monotonicNow'>): SessionKeep {
  const bySecret = new Map<string, { readonly session: Session; readonly endsAt: number }>();
  /** Expiry time of each token. This and all other times here are of the monotonic clock. */
  const tokens = new Map<string, number>();
  return {
    putToken(token) {
      tokens.set(token, platform.monotonicNow() + TOKEN_LIFETIME_MS);
      dropOldest(tokens, MAX_TOKENS);
    },
    async takeToken(token) {
      const expiresAt = tokens.get(token) ?? Number.NEGATIVE_INFINITY;
      tokens.delete(token);
      return expiresAt > platform.monotonicNow();
    },
    async put(session) {
      bySecret.set(session.secret, { session, endsAt: platform.monotonicNow() + SESSION_LIFETIME_S * 1000 });
      dropOldest(bySecret, MAX_SESSIONS);
    },
    async get(secret) {
      const found = bySecret.get(secret);
      if (found === undefined || found.endsAt > platform.monotonicNow()) return found?.session;
      bySecret.delete(secret);
      return undefined;
    },
    async remove(secret) {
      bySecret.delete(secret);
    },
  };
}

/** Removes the entry that was set first when there are too many. */
export function dropOldest(map: Map<string, unknown>, limit: number): void {
  const [oldest] = map.size > limit ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

/** A browser that is signed in. */
export interface Session {
  /** Value of the cookie. */
  readonly secret: string;
  /** Hash of the management key that was signed in with; null after a one-time link, and for members. */
  readonly keyHash: string | null;
  /** The member who has signed in as themselves, by a provider of identity or a trusted proxy. */
  readonly memberId?: string | undefined;
  /** What keeps a member's session in force beside its own time: see identity-sessions.ts. */
  readonly identity?: SessionIdentity | undefined;
  readonly name: string;
  /** Token that writes must carry beside the cookie. */
  readonly csrfToken: string;
  /** Milliseconds since the epoch, for people to read: the session ends by the monotonic clock. */
  readonly expiresAtMs: number;
  /** The `Host` it was made at; it holds at no other. */
  readonly host: string;
}

/** Who has vouched for the member of a session. */
export type SessionIdentity =
  | {
      readonly via: 'oidc';
      /** The marks of logouts at the provider that were there when the session was opened, by what they are of. */
      readonly marks: Readonly<Record<string, string | null>>;
    }
  | {
      readonly via: 'proxy';
      /** Of all that the proxy says of the user. */
      readonly fingerprint: string;
    };
