import type { ProviderFinding } from '@model-gateway/core';

/** One test of a provider that several follow. */
export interface SharedTest {
  /** Yields what was found so far, then what comes. Ends with the test, or when the signal fires. */
  follow(signal: AbortSignal): AsyncGenerator<ProviderFinding, undefined, undefined>;
}

/** Runs a test once for all who follow it. It ends when nobody does any more. */
export function shareTest(run: (signal: AbortSignal) => AsyncIterable<ProviderFinding>, onEnd: () => void): SharedTest {
  const findings: ProviderFinding[] = [];
  const ending = new AbortController();
  let followers = 0;
  let state: { readonly isDone: boolean; readonly error?: unknown } = { isDone: false };
  const waiting = new Set<() => void>();
  const change = (): Promise<void> => new Promise((resolve) => void waiting.add(resolve));
  const tell = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const collect = async (): Promise<void> => {
    try {
      for await (const finding of run(ending.signal)) {
        findings.push(finding);
        tell();
      }
      state = { isDone: true };
    } catch (error) {
      state = { isDone: true, error };
    }
    if (!ending.signal.aborted) onEnd();
    tell();
  };
  void collect();
  return {
    async *follow(signal) {
      followers += 1;
      signal.addEventListener('abort', tell);
      try {
        for (let at = 0; !signal.aborted;) {
          const finding = findings[at];
          if (finding !== undefined) {
            at += 1;
            yield finding;
          } else if (state.isDone) {
            if (state.error !== undefined) throw state.error;
            return undefined;
          } else await change();
        }
        return undefined;
      } finally {
        signal.removeEventListener('abort', tell);
        followers -= 1;
        if (followers === 0 && !state.isDone) {
          ending.abort();
          onEnd();
        }
      }
    },
  };
}
