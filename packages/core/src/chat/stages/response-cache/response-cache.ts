import type { Endpoint } from '../../../catalog/catalog.ts';
import type { Awaitable } from '../../../foundation/awaitable.ts';
import { isObject } from '../../../foundation/parse.ts';
import type { ChatChunk } from '../../../wire/chat-chunk.ts';

export interface CachedCompletion {
  /** The generation that it was made for. */
  readonly sourceId: string;
  /** The endpoint that gave it, as `identify` names it. */
  readonly endpoint: string;
  /** Batches of chunks as received, without usage: JSON. */
  readonly batches: string;
  readonly ttlMs: number;
}

export interface FoundCompletion extends CachedCompletion {
  readonly ageMs: number;
}

/**
 * Completions for the keys that they were made for, until they expire. None may be had for long: a completion that
 * cannot be found in time is missing. Never rejects.
 */
export interface ResponseCache {
  /** Synchronous where it is in memory. */
  find(key: string): Awaitable<FoundCompletion | undefined>;
  /** Nobody waits for it. */
  store(key: string, completion: CachedCompletion): void;
  forget(key: string): Awaitable<void>;
}

/** Identifies the endpoint of a stored completion. */
export function identify({ modelId, tag, providerModel }: Endpoint): string {
  return JSON.stringify([modelId, tag, providerModel]);
}

/** The chunks of a stored completion; undefined for what is none, as a cache outside of the process may hold anything. */
export function batchesOf({ batches }: CachedCompletion): readonly (readonly ChatChunk[])[] | undefined {
  try {
    const read: unknown = JSON.parse(batches);
    const isUsable = Array.isArray(read) && read.every((batch) => Array.isArray(batch) && batch.every(isChunk));
    return isUsable ? (read as ChatChunk[][]) : undefined;
  } catch {
    return undefined;
  }
}

const isChunk = (value: unknown): boolean => isObject(value) && Array.isArray(value['choices']);
