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
