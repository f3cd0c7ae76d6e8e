import type { Endpoint } from '../../catalog/catalog.ts';
import type { Awaitable } from '../../foundation/awaitable.ts';
import { isObject } from '../../foundation/parse.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Policy } from '../../guardrails/policy.ts';
import type { HeaderDescriptions } from '../../http/operation.ts';
import { firstValue, type HeaderMap } from '../../http/request.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import { nativeOf } from '../../wire/native-request.ts';
import type { ChatRun } from '../chat-run.ts';
import { type CommittedCompletion, readMore } from '../committed-completion.ts';
import type { Begin, PlannedStage, Stage } from './stage.ts';

export interface CachedCompletion {
  /** The generation that it was made for. */
  readonly sourceId: string;
  /** The endpoint that gave it, as `cachedEndpointId` names it. */
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
  /** Characters of the longest completion that it stores. Default: no limit. */
  readonly maxLength?: number | undefined;
  /** Synchronous where it is in memory. */
  find(key: string): Awaitable<FoundCompletion | undefined>;
  /** The call does not wait for it. */
  store(key: string, completion: CachedCompletion): void;
  forget(key: string): Awaitable<void>;
}

/** Identifies the endpoint of a stored completion. */
function cachedEndpointId({ modelId, tag, providerModel }: Endpoint): string {
  return JSON.stringify([modelId, tag, providerModel]);
}

/** The chunks of a stored completion; undefined for what is none, as a cache outside of the process may hold anything. */
function batchesOf({ batches }: CachedCompletion): readonly (readonly ChatChunk[])[] | undefined {
  try {
    const read: unknown = JSON.parse(batches);
    const isUsable = Array.isArray(read) && read.every((batch) => Array.isArray(batch) && batch.every(isChunk));
    return isUsable ? (read as ChatChunk[][]) : undefined;
  } catch {
    return undefined;
  }
}

const isChunk = (value: unknown): boolean => isObject(value) && Array.isArray(value['choices']);

interface CacheParts {
  readonly cache: ResponseCache;
  readonly keyOf: KeyOfQuery;
}

/** Repeats earlier completions for requests whose headers allow it (wire.md 21). */
export function createResponseCacheStage(parts: CacheParts): Stage {
  return {
    plan(run) {
      const wish = readCacheHeaders(run.client.headers);
      return wish === null ? null : askCache(wish, run, parts);
    },
  };
}

async function askCache(wish: CacheWish, run: ChatRun, { cache, keyOf }: CacheParts): Promise<PlannedStage | null> {
  const { call, caller, plan, toolSet, observer, responseHeaders } = run;
  const { principal, region } = call;
  const request = toolSet?.original ?? call.request;
  const key = await keyOf({
    request,
    principalId: principal.id,
    region: region?.name ?? null,
    policy: caller.policy,
  });
  if (wish.isCleared) await cache.forget(key);
  if (!wish.isOn) return null;
  const found = await cache.find(key);
  // The endpoints that may serve the request now decide, not those that might have when the completion was made.
  const endpoint = found && plan.endpoints.find((candidate) => cachedEndpointId(candidate) === found.endpoint);
  const batches = found && batchesOf(found);
  if (found === undefined || endpoint === undefined || batches === undefined) {
    const { ttlSeconds } = wish;
    setCacheHeaders(responseHeaders, wish, { status: 'MISS', ttlSeconds });
    const entry = { key, sourceId: call.id, ttlMs: ttlSeconds * 1000 };
    return { begin: (next) => storing(next, entry, cache) };
  }
  setCacheHeaders(responseHeaders, wish, {
    status: 'HIT',
    ttlSeconds: Math.round(found.ttlMs / 1000),
    ageSeconds: Math.floor(found.ageMs / 1000),
    sourceId: found.sourceId,
  });
  const begin: Begin = () => {
    observer.noteReplay(endpoint, found.sourceId);
    return Promise.resolve(replay(batches, endpoint));
  };
  return { isReplay: true, begin: () => begin };
}

/** The usage of a repeated completion. The cost is explicit, because a price may be per request. */
const NOTHING_USED: ChatChunk = {
  choices: [],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  upstreamCostUsd: 0,
};

function replay([first = [], ...others]: readonly (readonly ChatChunk[])[], endpoint: Endpoint): CommittedCompletion {
  const rest = [...others, [NOTHING_USED]].values();
  return { endpoint, startedAt: 0, first, rest: { next: () => Promise.resolve(rest.next()) }, isAccountedFor: true };
}

interface NewEntry {
  readonly key: string;
  /** The generation that the completion is made for. */
  readonly sourceId: string;
  readonly ttlMs: number;
}

/** Stores the completion that `next` begins, after it has ended successfully. */
function storing(next: Begin, entry: NewEntry, cache: ResponseCache): Begin {
  return async (turn) => storeAtEnd(await next(turn), entry, cache);
}

function storeAtEnd(
  completion: CommittedCompletion,
  { key, sourceId, ttlMs }: NewEntry,
  cache: ResponseCache,
): CommittedCompletion {
  const { maxLength = Number.POSITIVE_INFINITY } = cache;
  const pieces: string[] = [];
  let length = 0;
  let hasFinished = false;
  const add = (batch: readonly ChatChunk[]): void => {
    if (length > maxLength) return;
    for (const { choices } of batch) {
      for (const { finish_reason: reason } of choices) if (reason !== null) hasFinished = reason !== 'error';
    }
    const piece = JSON.stringify(
      batch.map(({ usage: _usage, upstreamCostUsd: _cost, upstreamCosts: _costs, ...chunk }) => chunk),
    );
    length += piece.length;
    pieces.push(piece);
    // It will not be stored, however it ends.
    if (length > maxLength) pieces.length = 0;
  };
  add(completion.first);
  return {
    ...completion,
    rest: {
      async next() {
        const step = await readMore(completion);
        if (step.done !== true) add(step.value);
        else if (hasFinished && length <= maxLength) {
          const endpoint = cachedEndpointId(completion.endpoint);
          cache.store(key, {
            sourceId,
            endpoint,
            batches: `[${pieces.join()}]`,
            ttlMs,
          });
        }
        return step;
      },
      return: () => completion.rest?.return?.() ?? Promise.resolve({ done: true as const, value: undefined }),
    },
  };
}

/** The caller's options for the response cache (wire.md 21). */
interface CacheWish {
  readonly isOn: boolean;
  readonly isCleared: boolean;
  readonly ttlSeconds: number;
  /** The families of headers in the request, which the response uses too: `x-service-cache`. */
  readonly families: readonly string[];
}

const DEFAULT_TTL_SECONDS = 300;
const MAX_TTL_SECONDS = 86_400;

/** Null when the cache is not requested. Throws `invalid_request` for a lifetime that is no number. */
function readCacheHeaders(headers: HeaderMap): CacheWish | null {
  const used = FAMILIES.filter(({ family, clear }) => isTrue(headers[family]) || isTrue(headers[clear]));
  if (used.length === 0) return null;
  return {
    isOn: used.some(({ family }) => isTrue(headers[family])),
    isCleared: used.some(({ clear }) => isTrue(headers[clear])),
    ttlSeconds: readTtl(headers),
    families: used.map(({ family }) => family),
  };
}

interface CacheFacts {
  readonly status: 'HIT' | 'MISS';
  readonly ttlSeconds: number;
  readonly ageSeconds?: number | undefined;
  readonly sourceId?: string | undefined;
}

/** Writes down what the cache did, under the names that the caller used. */
function setCacheHeaders(headers: Record<string, string>, { families }: CacheWish, facts: CacheFacts): void {
  for (const family of families) {
    headers[`${family}-status`] = facts.status;
    headers[`${family}-ttl`] = String(facts.ttlSeconds);
    if (facts.ageSeconds !== undefined) headers[`${family}-age`] = String(facts.ageSeconds);
    if (facts.sourceId !== undefined) headers[`${family}-source-id`] = facts.sourceId;
  }
}

function isTrue(value: HeaderMap[string]): boolean {
  return firstValue(value)?.trim().toLowerCase() === 'true';
}

function readTtl(headers: HeaderMap): number {
  for (const { ttl } of FAMILIES) {
    const text = firstValue(headers[ttl])?.trim();
    if (text === undefined) continue;
    if (!/^-?\d{1,12}$/.test(text)) {
      throw refuseField(ttl, `must be a whole number of seconds, 1 to ${MAX_TTL_SECONDS}`);
    }
    return Math.min(Math.max(Number(text), 1), MAX_TTL_SECONDS);
  }
  return DEFAULT_TTL_SECONDS;
}

/** Constant names: for the look-up in every request they must be the same strings as the keys of the headers. */
const FAMILIES = ['x-service-cache', 'x-openrouter-cache'].map((family) => ({
  family,
  clear: `${family}-clear`,
  ttl: `${family}-ttl`,
}));

/** The headers by which a request asks for the cache. */
export const CACHE_HEADERS: readonly string[] = FAMILIES.flatMap(({ family, clear }) => [family, clear]);

const describeFamilies = (descriptions: Readonly<Record<string, string>>): HeaderDescriptions =>
  Object.fromEntries(
    FAMILIES.flatMap(({ family }) =>
      Object.entries(descriptions).map(([suffix, description]) => [family + suffix, description]),
    ),
  );

/** The headers of a request for the cache, for the API document (wire.md 21). */
export const CACHE_REQUEST_HEADERS: HeaderDescriptions = describeFamilies({
  '': '`true`: the response may be a stored one, and is stored',
  '-clear': '`true`: a stored response is forgotten first',
  '-ttl': 'Seconds for which the response is kept',
});

/** What the cache did, under the names that the request used, for the API document. */
export const CACHE_RESPONSE_HEADERS: HeaderDescriptions = describeFamilies({
  '-status': '`HIT` or `MISS`',
  '-ttl': 'Seconds for which the response is kept',
  '-age': 'Seconds since a stored response was made',
  '-source-id': 'Id of the generation that made a stored response',
});

interface CacheQuery {
  /** The request as it is sent on: checked, in the order of the schema, with the replacements of guardrails. */
  readonly request: ChatCompletionRequest;
  readonly principalId: string;
  /** Name of the region of the host. */
  readonly region: string | null;
  /** A completion is repeated only under the policy that allowed it. */
  readonly policy: Policy | null;
}

type KeyOfQuery = (query: CacheQuery) => Promise<string>;

/** Makes the keys of stored completions, the same in every process. */
export function createCacheKeys({ sha256 }: Pick<Platform, 'sha256'>): KeyOfQuery {
  // A policy may be long, and serves many calls.
  const hashes = new WeakMap<Policy, string>();
  const hashOf = async (policy: Policy): Promise<string> => {
    const hash = hashes.get(policy) ?? (await sha256(policy.content));
    hashes.set(policy, hash);
    return hash;
  };
  return async ({ request, principalId, region, policy }) => {
    const policyHash = policy && (await hashOf(policy));
    return sha256(JSON.stringify([principalId, region, policyHash, request, nativeOf(request)?.body]));
  };
}

/** Completions of this process. */
interface MemoryResponseCache extends ResponseCache {
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

  const maxLength = maxCharacters * LARGEST_SHARE;

  return {
    maxLength,
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
      if (completion.batches.length > maxLength) return;
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
