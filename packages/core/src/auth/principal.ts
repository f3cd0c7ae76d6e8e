/**
 * Who is calling. An `api` principal may use models and read what it made; a `management` principal administers and
 * may read everything, but cannot call models.
 */
export interface Principal {
  readonly kind: 'api' | 'management';
  /** The key's SHA-256 in hex, or whatever stable id the embedder's own authentication knows the caller by. */
  readonly id: string;
  readonly name: string;
  /** The member the key belongs to, where there is one. */
  readonly userId?: string | undefined;
  /** Spending limit of the key in USD; absent or null means none. */
  readonly limitUsd?: number | null | undefined;
}
