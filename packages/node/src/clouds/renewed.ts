/** A value for some time. */
export interface Lasting<Value> {
  readonly value: Value;
  /** Milliseconds since the epoch; undefined for a value that does not expire. */
  readonly expiresAt?: number | undefined;
}

export interface RenewOptions<Value> {
  readonly fetch: () => Promise<Lasting<Value>>;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** A value is fetched anew this long before it expires, while calls go on with the one that is there. */
const AHEAD_MS = 5 * 60_000;
/** A value that ends so soon may have ended when it arrives. */
const TOO_LATE_MS = 15_000;
/** The pause after a fetch ahead of time: it may have failed, or brought the same value, which its server still holds. */
const RETRY_MS = 10_000;

/**
 * Holds a value that expires. It is fetched once for all that wait for it; where fetching anew fails, the value that is
 * there is used until its end. Rejects with the error of `fetch` where there is none.
 */
export function createRenewed<Value>({ fetch, now = Date.now }: RenewOptions<Value>): () => Value | Promise<Value> {
  let held: Lasting<Value> | undefined;
  let fetching: Promise<Lasting<Value>> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  const renew = (): Promise<Lasting<Value>> =>
    (fetching ??= fetch()
      .then((fetched) => (held = fetched))
      .finally(() => (fetching = undefined)));
  return () => {
    const left = held === undefined ? 0 : (held.expiresAt ?? Number.POSITIVE_INFINITY) - now();
    if (held === undefined || left <= TOO_LATE_MS) return renew().then(({ value }) => value);
    if (left <= AHEAD_MS && now() - triedAt >= RETRY_MS) {
      triedAt = now();
      renew().catch(() => undefined);
    }
    return held.value;
  };
}
