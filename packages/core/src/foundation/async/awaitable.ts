/** A value, or a promise of it: a store that has the value in memory avoids a promise on the hot path. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there, else when its promise resolves. */
export function whenKnown<Value, Next>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Goes on with several values: at once when all are there, else when the last promise has resolved. */
export function whenAllKnown<Values extends readonly unknown[], Next>(
  values: { readonly [Index in keyof Values]: Awaitable<Values[Index]> },
  use: (...values: Values) => Awaitable<Next>,
): Awaitable<Next> {
  return values.some((value) => value instanceof Promise)
    ? Promise.all(values).then((found) => use(...(found as unknown as Values)))
    : use(...(values as unknown as Values));
}
