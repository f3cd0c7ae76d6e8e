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
  /** The workspace the key belongs to; the default one where nothing is said. */
  readonly workspaceId?: string | undefined;
  /** Spending limit of the key in USD; absent or null means none. */
  readonly limitUsd?: number | null | undefined;
  /** How often the limit counts anew; absent or null means never. */
  readonly limitReset?: 'daily' | 'weekly' | 'monthly' | null | undefined;
  /** Whether calls that the caller pays to the provider count, too. */
  readonly includeByokInLimit?: boolean | undefined;
}
