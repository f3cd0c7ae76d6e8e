import type { Store } from '@model-gateway/core';

const LOOK_EVERY_MS = 100;

/** Whether the store can be read. */
export const isReady = ({ readiness }: Pick<Store, 'readiness'>): boolean => readiness?.().isReady !== false;

/** Calls back once, when the store can be read: at once where it can already. Returns what cancels it. */
export function whenReady(store: Pick<Store, 'readiness'>, begin: () => void): () => void {
  if (isReady(store)) {
    begin();
    return () => undefined;
  }
  const timer = setInterval(() => {
    if (!isReady(store)) return;
    clearInterval(timer);
    begin();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
