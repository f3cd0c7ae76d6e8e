import type { GenerationContent, GenerationRecord, Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

/** The memory store, with a record of what was appended and ways to make that fail or wait. */
export interface RecordingStore extends Store {
  /** Everything appended with success, in order. */
  readonly appended: readonly { readonly record: GenerationRecord; readonly content: GenerationContent | null }[];
  /** Number of attempts to append, with success or without. */
  appendCalls(): number;
  /** From now on `append` rejects with this. */
  failAppends(error: Error): void;
  /** From now on `append` waits until the returned function is called. */
  holdAppends(): () => void;
}

/** Creates an empty store. */
export function createRecordingStore(): RecordingStore {
  const store = createMemoryStore();
  const appended: { record: GenerationRecord; content: GenerationContent | null }[] = [];
  let failure: Error | undefined;
  let gate: Promise<void> | undefined;
  let appendCalls = 0;

  return {
    ...store,
    appended,
    appendCalls: () => appendCalls,
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
    },
  };
}
