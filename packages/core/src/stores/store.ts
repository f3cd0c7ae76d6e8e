import type { Generation, GenerationContent } from '../schemas/generation.ts';

/** Either at once or later: a store that has the answer in memory spares the hot path a promise. */
export type Awaitable<T> = T | Promise<T>;

/** An issued key. The key itself is never stored, only its SHA-256. */
export interface KeyRecord {
  /** SHA-256 of the key in lower-case hex: its public identifier. */
  readonly hash: string;
  readonly kind: 'api' | 'management';
  readonly name: string;
  /** The key with its middle left out, for people to recognise it by. */
  readonly label: string;
  readonly disabled: boolean;
  /** USD; null means no limit. */
  readonly limitUsd: number | null;
  readonly limitReset: 'daily' | 'weekly' | 'monthly' | null;
  readonly includeByokInLimit: boolean;
  readonly creatorUserId: string | null;
  readonly workspaceId: string;
  /** ISO 8601 in UTC, as all `…At` here. */
  readonly createdAt: string;
  readonly updatedAt: string | null;
  readonly expiresAt: string | null;
}

/** A generation with what the wire does not show. */
export interface GenerationRecord {
  readonly generation: Generation;
  /** `Principal.id` of whoever made the call; only they and management may read it. */
  readonly principalId: string;
  /** Exact cost in billionths of a dollar; 0 when unknown (`generation.cost_known` tells). */
  readonly costNanoUsd: number;
}

export interface KeyRepository {
  get(hash: string): Awaitable<KeyRecord | undefined>;
  /** Oldest first. */
  list(): Awaitable<readonly KeyRecord[]>;
  /** Durable when it resolves. Rejects when the hash exists. */
  insert(key: KeyRecord): Promise<void>;
  /** Durable when it resolves. False when there is no such key. */
  update(key: KeyRecord): Promise<boolean>;
  /** Durable when it resolves. False when there is no such key. */
  remove(hash: string): Promise<boolean>;
}

export interface GenerationPage {
  readonly records: readonly GenerationRecord[];
  /** Hand in as `before` for the next, older page; null at the end. */
  readonly next: string | null;
}

export interface GenerationRepository {
  /**
   * Resolves once the record (and its content, where given) would survive the death of this process; the last byte
   * of an answer waits for it. Both can be read from then on. An id that exists is refused with an error.
   */
  append(record: GenerationRecord, content: GenerationContent | null): Promise<void>;
  /** A later version of a record; the last one wins. Same durability as `append`. False when the id is unknown. */
  update(record: GenerationRecord): Promise<boolean>;
  get(id: string): Awaitable<GenerationRecord | undefined>;
  /** Undefined when the id is unknown, or nothing was stored, or it was deleted. */
  getContent(id: string): Awaitable<GenerationContent | undefined>;
  /** The content cannot be read from the moment it resolves. False when there was none. */
  deleteContent(id: string): Promise<boolean>;
  /** Newest first. Costs the same however many there are. `before` is a former page's `next`. */
  page(query: { readonly limit: number; readonly before?: string | undefined }): Awaitable<GenerationPage>;
  /** Sum of `costNanoUsd` over all records of one principal, those removed by retention included. */
  spentNanoUsd(principalId: string): Awaitable<number>;
}

/**
 * Everything the gateway remembers. Small repositories, so that a new store is a handful of short functions;
 * `test/contract/stores.test.ts` holds the facts every one of them must meet.
 */
export interface Store {
  readonly keys: KeyRepository;
  readonly generations: GenerationRepository;
  /** Writes out what is pending and lets go of files and connections. Nothing may be called after it. */
  close(): Promise<void>;
}
