/**
 * Small texts that every process at a store sees, until they expire: claims, sessions, one-time tokens. Each method
 * rejects while the store is away.
 */
export interface SharedEntries {
  get(id: string): Promise<string | undefined>;
  /** Puts it in the place of what is there. */
  put(id: string, value: string, ttlMs: number): Promise<void>;
  /** Puts it unless there is one already. Resolves with that one; undefined when this one was put. */
  claim(id: string, value: string, ttlMs: number): Promise<string | undefined>;
  /** Removes it. Resolves with what was there: of several processes that do it at once, one gets it. */
  take(id: string): Promise<string | undefined>;
}
