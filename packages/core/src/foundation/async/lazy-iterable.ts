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
