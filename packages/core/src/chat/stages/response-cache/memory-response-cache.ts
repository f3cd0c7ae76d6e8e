import type { Platform } from '../../../foundation/platform.ts';
import type { CachedCompletion, FoundCompletion, ResponseCache } from './response-cache.ts';

/** Completions of this process. */
export interface MemoryResponseCache extends ResponseCache {
  find(key: string): FoundCompletion | undefined;
  forget(key: string): void;
  /** Characters in use. */
  size(): number;
}

const DEFAULT_MAX_CHARACTERS = 32 * 1024 * 1024;
/** Largest share of the cache that a single completion may take. */
const LARGEST_SHARE = 1 / 8;

/** Creates an empty cache. Beyond `maxCharacters` of completions, the least recently used one is removed. */
export function createMemoryResponseCache(
  platform: Pick<Platform, 'monotonicNow'>,
  maxCharacters = DEFAULT_MAX_CHARACTERS,
): MemoryResponseCache {
  const entries = new Map<string, { readonly completion: CachedCompletion; readonly storedAt: number }>();
  let size = 0;

  const forget = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    size -= entry.completion.batches.length;
    entries.delete(key);
  };

  return {
    find(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const { completion, storedAt } = entry;
      const ageMs = platform.monotonicNow() - storedAt;
      if (ageMs >= completion.ttlMs) {
        forget(key);
        return undefined;
      }
      // The order of insertion is the order of use.
      entries.delete(key);
      entries.set(key, entry);
      return { ...completion, ageMs };
    },
    store(key, completion) {
      if (completion.batches.length > maxCharacters * LARGEST_SHARE) return;
      forget(key);
      entries.set(key, { completion, storedAt: platform.monotonicNow() });
      size += completion.batches.length;
      for (const oldest of entries.keys()) {
        if (size <= maxCharacters) break;
        forget(oldest);
      }
    },
    forget,
    size: () => size,
  };
}
