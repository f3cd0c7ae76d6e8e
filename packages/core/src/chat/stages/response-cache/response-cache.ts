import type { Endpoint } from '../../../catalog/catalog.ts';
import type { Awaitable } from '../../../foundation/async/awaitable.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Policy } from '../../../guardrails/policy.ts';
import type { ChatChunk } from '../../../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import { nativeOf } from '../../../wire/chat/native-request.ts';

export interface CachedCompletion {
  /** The generation that it was made for. */
  readonly sourceId: string;
  /** The endpoint that gave it, as `identify` names it. */
  readonly endpoint: string;
  /** Batches of chunks as received, without usage: JSON. */
  readonly batches: string;
  /** Time on the monotonic clock. */
  readonly storedAt: number;
  readonly ttlMs: number;
}

export interface CacheQuery {
  /** The request as it is sent on: checked, in the order of the schema, with the replacements of guardrails. */
  readonly request: ChatCompletionRequest;
  readonly principalId: string;
  /** Name of the region of the host. */
  readonly region: string | null;
  /** A completion is repeated only under the policy that allowed it. */
  readonly policy: Policy | null;
}

/** Completions of this process, each for the key that it was made for. */
export interface ResponseCache {
  keyOf(query: CacheQuery): Awaitable<string>;
  find(key: string): CachedCompletion | undefined;
  store(key: string, completion: CachedCompletion): void;
  forget(key: string): void;
  /** Characters in use. */
  size(): number;
}

const DEFAULT_MAX_CHARACTERS = 32 * 1024 * 1024;
/** Largest share of the cache that a single completion may take. */
const LARGEST_SHARE = 1 / 8;

/** Creates an empty cache. Beyond `maxCharacters` of completions, the least recently used one is removed. */
export function createResponseCache(platform: Platform, maxCharacters = DEFAULT_MAX_CHARACTERS): ResponseCache {
  const entries = new Map<string, CachedCompletion>();
  const policies = new WeakMap<Policy, number>();
  let policyCount = 0;
  let size = 0;

  const numberOf = (policy: Policy | null): number => {
    if (policy === null) return 0;
    const known = policies.get(policy);
    if (known !== undefined) return known;
    policyCount += 1;
    policies.set(policy, policyCount);
    return policyCount;
  };

  const forget = (key: string): void => {
    const cached = entries.get(key);
    if (cached === undefined) return;
    size -= cached.batches.length;
    entries.delete(key);
  };

  return {
    keyOf: ({ request, principalId, region, policy }) =>
      platform.sha256(JSON.stringify([principalId, region, numberOf(policy), request, nativeOf(request)?.body])),
    find(key) {
      const cached = entries.get(key);
      if (cached === undefined) return undefined;
      if (platform.monotonicNow() - cached.storedAt >= cached.ttlMs) {
        forget(key);
        return undefined;
      }
      // The order of insertion is the order of use.
      entries.delete(key);
      entries.set(key, cached);
      return cached;
    },
    store(key, cached) {
      if (cached.batches.length > maxCharacters * LARGEST_SHARE) return;
      forget(key);
      entries.set(key, cached);
      size += cached.batches.length;
      for (const oldest of entries.keys()) {
        if (size <= maxCharacters) break;
        forget(oldest);
      }
    },
    forget,
    size: () => size,
  };
}

/** Identifies the endpoint of a stored completion. */
export function identify({ modelId, tag, providerModel }: Endpoint): string {
  return JSON.stringify([modelId, tag, providerModel]);
}

export function batchesOf({ batches }: CachedCompletion): readonly (readonly ChatChunk[])[] {
  return JSON.parse(batches) as ChatChunk[][];
}
