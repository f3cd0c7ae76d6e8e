import type { StoredContent, GenerationRecord, RunningCall, Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

/** A store, by default in memory, with a record of what was appended and ways to make that fail or wait. */
export interface RecordingStore extends Store {
  /** Everything appended with success, in order. */
  readonly appended: readonly { readonly record: GenerationRecord; readonly content: StoredContent | null }[];
  /** What was noted of calls under way, in order; always empty unless it is asked to take notes. */
  readonly notes: readonly (readonly RunningCall[])[];
  /** Number of attempts to append, with success or without. */
  appendCalls(): number;
  /** From now on notes are rejected with this. */
  failNotes(error: Error): void;
  /** From now on changes of providers are rejected with this. */
  failSetups(error: Error): void;
  /** From now on `append` rejects with this. */
  failAppends(error: Error): void;
  /** From now on `append` waits until the returned function is called. */
  holdAppends(): () => void;
}

interface RecordingStoreOptions {
  readonly takesNotes?: boolean | undefined;
  /** The store. Default: an empty one in memory. */
  readonly store?: Store;
}

/** Records what a store is given. */
export function createRecordingStore({
  takesNotes = false,
  store = createMemoryStore(),
}: RecordingStoreOptions = {}): RecordingStore {
  const appended: { record: GenerationRecord; content: StoredContent | null }[] = [];
  const notes: (readonly RunningCall[])[] = [];
  let failure: Error | undefined;
  let setupFailure: Error | undefined;
  let noteFailure: Error | undefined;
  let gate: Promise<void> | undefined;
  let appendCalls = 0;

  return {
    ...store,
    appended,
    notes,
    appendCalls: () => appendCalls,
    failNotes(error) {
      noteFailure = error;
    },
    failSetups(error) {
      setupFailure = error;
    },
    providers: {
      ...store.providers,
      async update(...change) {
        if (setupFailure !== undefined) throw setupFailure;
        return store.providers.update(...change);
      },
    },
    failAppends(error) {
      failure = error;
    },
    holdAppends() {
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return () => open();
    },
    generations: {
      ...store.generations,
      async append(record, content) {
        appendCalls += 1;
        if (gate !== undefined) await gate;
        if (failure !== undefined) throw failure;
        await store.generations.append(record, content);
        appended.push({ record, content });
      },
      ...(takesNotes && {
        async noteRunning(calls: readonly RunningCall[]) {
          if (noteFailure !== undefined) throw noteFailure;
          notes.push(calls);
        },
      }),
    },
  };
}
