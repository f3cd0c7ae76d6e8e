import type { Endpoint } from '../../../catalog/catalog.ts';
import { firstValue, type HeaderMap } from '../../../http/request.ts';
import type { ChatChunk } from '../../../wire/chat-chunk.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { ChatRun } from '../../chat-run.ts';
import { type CommittedCompletion, readMore } from '../../committed-completion.ts';
import type { Begin, PlannedStage, Stage } from '../stage.ts';
import { FAMILIES } from './cache-headers.ts';
import type { KeyOfQuery } from './cache-key.ts';
import { batchesOf, identify, type ResponseCache } from './response-cache.ts';

export interface CacheParts {
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
  const endpoint = found && plan.endpoints.find((candidate) => identify(candidate) === found.endpoint);
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
  const pieces: string[] = [];
  let hasFinished = false;
  const add = (batch: readonly ChatChunk[]): void => {
    for (const { choices } of batch) {
      for (const { finish_reason: reason } of choices) if (reason !== null) hasFinished = reason !== 'error';
    }
    pieces.push(
      JSON.stringify(batch.map(({ usage: _usage, upstreamCostUsd: _cost, upstreamCosts: _costs, ...chunk }) => chunk)),
    );
  };
  add(completion.first);
  return {
    ...completion,
    rest: {
      async next() {
        const step = await readMore(completion);
        if (step.done !== true) add(step.value);
        else if (hasFinished) {
          const endpoint = identify(completion.endpoint);
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
export interface CacheWish {
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

export interface CacheFacts {
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
