import type { Platform } from '../../../foundation/platform.ts';
import type { Store } from '../../../stores/store.ts';
import { type HistorySpan, type PastOfProvider, readHistories } from './read-histories.ts';

/** What became of former calls to providers, from the records of calls: it outlives the process. */
export interface ProviderHistories {
  read(span: HistorySpan): Promise<readonly PastOfProvider[]>;
}

/** Pages of a UI ask for the same again and again. */
const KEPT_MS = 5000;
const KEPT_SPANS = 4;

interface ProviderHistoriesOptions {
  readonly store: { readonly generations: Pick<Store['generations'], 'scan'> };
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

/** Creates the histories, which keep what was added up for some seconds. */
export function createProviderHistories({ store, platform }: ProviderHistoriesOptions): ProviderHistories {
  const kept = new Map<string, { readonly atMs: number; readonly histories: Promise<readonly PastOfProvider[]> }>();
  return {
    read(span) {
      const { fromMs, bucketMs, buckets } = span;
      const key = `${fromMs} ${bucketMs} ${buckets}`;
      const now = platform.monotonicNow();
      const known = kept.get(key);
      if (known !== undefined && known.atMs > now - KEPT_MS) return known.histories;
      const histories = readHistories(span, store.generations);
      kept.delete(key);
      kept.set(key, { atMs: now, histories });
      histories.catch(() => kept.delete(key));
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_SPANS) break;
        kept.delete(oldest);
      }
      return histories;
    },
  };
}
