/** Either at once or later: a store that has the answer in memory spares the hot path a promise. */
export type Awaitable<T> = T | Promise<T>;
