/** A value, or a promise of it: a store that has the value in memory avoids a promise on the hot path. */
export type Awaitable<T> = T | Promise<T>;
