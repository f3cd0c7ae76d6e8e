import type { GenerationContent, GenerationRecord, KeyRecord, Store } from '@model-gateway/core';

/** A store in memory that tests look into, and can make fail or wait. */
export interface RecordingStore extends Store {
  /** Everything appended, in order; an id twice is a bug of the caller that tests want to see. */
  readonly appended: readonly GenerationRecord[];
  readonly contents: ReadonlyMap<string, GenerationContent>;
  /** From now on `append` rejects with this. */
  failAppends(error: Error): void;
  /** From now on `append` waits until the returned function is called. */
  holdAppends(): () => void;
}

/** Creates an empty store. */
export function createRecordingStore(): RecordingStore {
  const keys = new Map<string, KeyRecord>();
  const appended: GenerationRecord[] = [];
  const contents = new Map<string, GenerationContent>();
  let failure: Error | undefined;
  let gate: Promise<void> = Promise.resolve();

  return {
    appended,
    contents,
    failAppends(error) {
      failure = error;
    },
    holdAppends() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    keys: {
      get: (hash) => keys.get(hash),
      list: () => [...keys.values()],
      async insert(key) {
        keys.set(key.hash, key);
      },
      update: async (key) => keys.has(key.hash) && keys.set(key.hash, key).has(key.hash),
      remove: async (hash) => keys.delete(hash),
    },
    generations: {
      async append(record, content) {
        await gate;
        if (failure !== undefined) throw failure;
        appended.push(record);
        if (content !== null) contents.set(record.generation.id, content);
      },
      update: async () => false,
      get: (id) => appended.find(({ generation }) => generation.id === id),
      getContent: (id) => contents.get(id),
      deleteContent: async (id) => contents.delete(id),
      page: () => ({ records: appended.toReversed(), next: null }),
      spentNanoUsd: (principalId) =>
        appended.reduce((sum, record) => sum + (record.principalId === principalId ? record.costNanoUsd : 0), 0),
    },
    close: async () => undefined,
  };
}
