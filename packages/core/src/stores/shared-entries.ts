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
  /** Lets it live this long from now on, if it is still this one; false if it has expired, or another is there. */
  renew(id: string, value: string, ttlMs: number): Promise<boolean>;
  /**
   * Removes it; only if it is this one, where a value is given. Resolves with what was removed: of several processes that
   * do it at once, one gets it.
   */
  take(id: string, value?: string): Promise<string | undefined>;
}
