import type { Policy } from '../guardrails/policy.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { ChatContext } from './chat-context.ts';
import type { RoutePlan } from '../routing/plan-route.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { keepAnswer, replayAnswer } from './stages/response-cache/cache-completion.ts';
import { healAnswer, wantsHealing } from './stages/healing/heal-completion.ts';
import type { PipelineStage } from '../wire/chat/pipeline-stage.ts';
import { identify } from './stages/response-cache/response-cache.ts';
import { type CacheWish, readCacheHeaders, setCacheHeaders } from './stages/response-cache/response-cache-headers.ts';
import { type BeginAnswer, runAttempts } from '../dispatch/run-attempts.ts';

export interface AnswerQuery {
  readonly context: ChatContext;
  /** As its caller meant it. */
  readonly request: ChatCompletionRequest;
  readonly route: RoutePlan;
  readonly region: string | null;
  readonly policy: Policy | null;
  readonly pipeline: PipelineStage[];
  /** Null when endpoints answer by themselves. */
  readonly prepared: BeginAnswer | null;
}

/** Where the answer to a request comes from. */
export interface AnswerSource {
  readonly begin: BeginAnswer;
  /** Nobody is asked: an answer of before is repeated. */
  readonly isReplay: boolean;
}

const ENDPOINTS_ALONE: AnswerSource = { begin: runAttempts, isReplay: false };

/** Chooses what answers a request: an answer that was kept, or endpoints with what the request wants around them. */
export function chooseAnswer(query: AnswerQuery): Awaitable<AnswerSource> {
  const wish = readCacheHeaders(query.context.request.headers);
  const source = surround(query);
  return wish === null ? source : askCache(source.begin, wish, query);
}

function surround({ request, pipeline, prepared }: AnswerQuery): AnswerSource {
  const isHealed = wantsHealing(request);
  if (prepared === null && !isHealed) return ENDPOINTS_ALONE;
  const begin = prepared ?? runAttempts;
  return { begin: isHealed ? healAnswer(begin, pipeline) : begin, isReplay: false };
}

async function askCache(begin: BeginAnswer, wish: CacheWish, query: AnswerQuery): Promise<AnswerSource> {
  const { context, request, route, region, policy } = query;
  const { responseCache: cache, platform } = context.parts;
  const key = await cache.keyOf({ request, principalId: context.principal.id, region, policy });
  if (wish.isCleared) cache.forget(key);
  if (!wish.isOn) return { begin, isReplay: false };
  const found = cache.find(key);
  // What may serve the request now decides, not what might when the answer was made.
  const endpoint = found && route.endpoints.find((candidate) => identify(candidate) === found.endpoint);
  if (found === undefined || endpoint === undefined) {
    const { ttlSeconds } = wish;
    setCacheHeaders(context.responseHeaders, wish, { status: 'MISS', ttlSeconds });
    return { begin: keepAnswer(begin, { cache, key, ttlMs: ttlSeconds * 1000 }), isReplay: false };
  }
  setCacheHeaders(context.responseHeaders, wish, {
    status: 'HIT',
    ttlSeconds: Math.round(found.ttlMs / 1000),
    ageSeconds: Math.floor((platform.monotonicNow() - found.storedAt) / 1000),
    sourceId: found.sourceId,
  });
  return { begin: replayAnswer(found, endpoint), isReplay: true };
}
