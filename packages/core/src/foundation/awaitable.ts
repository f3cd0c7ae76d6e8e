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

/**
 * An iterable whose source is opened only when the first item is read. Costs almost nothing per item, unlike a
 * generator that delegates to another.
 */
export function createLazyIterable<Item>(open: () => Promise<AsyncIterable<Item>>): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      let source: AsyncIterator<Item> | undefined;
      const openAndRead = async (): Promise<IteratorResult<Item>> => {
        source = (await open())[Symbol.asyncIterator]();
        return source.next();
      };
      return {
        next: () => (source === undefined ? openAndRead() : source.next()),
        async return() {
          await source?.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

export function iterateOne<Item>(item: Item): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      let isTaken = false;
      return {
        next() {
          const result: IteratorResult<Item> = isTaken
            ? { done: true, value: undefined }
            : { done: false, value: item };
          isTaken = true;
          return Promise.resolve(result);
        },
      };
    },
  };
}

/** Waits no longer than the signal allows, even for a provider that ignores it. */
export function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: Error) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

/** Makes a value when it is first asked for, and keeps it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
