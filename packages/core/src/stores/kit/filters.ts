import { NANO_PER_USD, toNanoUsd } from '../../foundation/money.ts';
import { isLike } from '../../foundation/parse.ts';
import type { GenerationField } from '../../wire/generation-fields.ts';
import type { Generation, ProviderResponse } from '../../wire/generation.ts';
import { statusOfGeneration } from '../../wire/statuses.ts';
import type {
  AttemptFacts,
  GenerationCondition,
  GenerationFacts,
  GenerationFilter,
  GenerationReach,
} from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';

/** Whether a generation matches the filter. Its record is read only where conditions are about more than its facts. */
export function matchesFilter(
  facts: GenerationFacts,
  filter: GenerationFilter,
  readRecord: () => GenerationRecord,
): boolean {
  return (
    facts.createdAtMs >= (filter.createdFromMs ?? Number.NEGATIVE_INFINITY) &&
    facts.createdAtMs < (filter.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    filter.models?.has(facts.model) !== false &&
    (filter.providerNames === undefined || filter.providerNames.has(facts.providerName ?? '')) &&
    filter.principalIds?.has(facts.principalId) !== false &&
    (filter.userIds === undefined || filter.userIds.has(facts.userId ?? '')) &&
    (filter.apps === undefined || filter.apps.has(facts.app ?? '')) &&
    (filter.sessionId === undefined || filter.sessionId === (facts.sessionId ?? '')) &&
    filter.statuses?.has(facts.status) !== false &&
    facts.costNanoUsd >= (filter.minCostNanoUsd ?? 0) &&
    facts.costNanoUsd <= (filter.maxCostNanoUsd ?? Number.POSITIVE_INFINITY) &&
    (filter.conditions === undefined || meetsConditions(facts, filter.conditions, readRecord)) &&
    (filter.reach === undefined || isInReach(facts, filter.reach, readRecord))
  );
}

/** Whether a generation is one of those. Its record is read only where workspaces decide. */
export function isInReach(
  { userId }: Pick<GenerationFacts, 'userId'>,
  reach: GenerationReach,
  readRecord: () => GenerationRecord,
): boolean {
  if (userId !== null && userId === reach.userId) return true;
  return reach.workspaceIds.size > 0 && reach.workspaceIds.has(readRecord().generation.workspace_id ?? '');
}

type Value = string | number | boolean | null | undefined;

const attemptsOf = ({ provider_responses: responses }: Generation): NonNullable<Generation['provider_responses']> =>
  responses ?? [];

/** How the values of each field are read from a record. */
const READ: Readonly<
  Record<GenerationField, (generation: Generation, record: GenerationRecord) => Value | readonly Value[]>
> = {
  id: ({ id }) => id,
  request: (generation) => generation.request_id,
  upstream_id: (generation) => generation.upstream_id,
  session: (generation) => generation.session_id,
  model: ({ model }) => model,
  router: ({ router }) => router,
  rule: ({ routing_rule: rule }) => rule,
  provider: (generation) => generation.provider_name,
  upstream: (generation) => generation.upstream_provider_name,
  endpoint: (generation) => attemptsOf(generation).map((attempt) => attempt.endpoint_id),
  type: (generation) => generation.api_type,
  app: (generation) => [generation.origin, generation.http_referer, appOf(generation)],
  agent: (generation) => generation.user_agent,
  user: (generation) => generation.external_user,
  member: (_, { userId }) => userId,
  key: (_, { principalId }) => principalId,
  workspace: (generation) => generation.workspace_id,
  preset: (generation) => generation.preset_id,
  region: (generation) => [generation.data_region, generation.called_region],
  tier: (generation) => generation.service_tier,
  status: statusOfGeneration,
  finish: (generation) => generation.finish_reason,
  native_finish: (generation) => generation.native_finish_reason,
  error: (generation) =>
    attemptsOf(generation).flatMap(({ error }) => (error === undefined ? [] : [error.error_type, String(error.code)])),
  guardrail: ({ pipeline = [], narrowed_by: narrowedBy = [] }) => [
    ...narrowedBy,
    ...pipeline.map((stage) => stage.guardrail_id),
  ],
  stage: ({ pipeline = [] }) => pipeline.flatMap(({ type, name }) => [type, name]),
  feedback: ({ feedback = [] }) => feedback.map(({ category }) => category),
  search_engine: (generation) => generation.web_search_engine,
  streamed: ({ streamed }) => streamed === true,
  byok: (generation) => generation.is_byok,
  fallback: (generation) => attemptsOf(generation).length > 1,
  cached: (generation) => generation.response_cache_source_id !== null,
  estimated: (generation) => generation.usage_estimated,
  priced: (generation) => generation.cost_known,
  cost: (generation) => (generation.cost_known ? generation.total_cost : null),
  upstream_cost: (generation) => generation.upstream_inference_cost,
  cache_discount: (generation) => generation.cache_discount,
  latency: ({ latency }) => latency,
  duration: (generation) => generation.generation_time,
  moderation: (generation) => generation.moderation_latency,
  attempts: (generation) => attemptsOf(generation).length,
  in: (generation) => generation.tokens_prompt,
  out: (generation) => generation.tokens_completion,
  reasoning: (generation) => generation.native_tokens_reasoning,
  cached_tokens: (generation) => generation.native_tokens_cached,
  native_in: (generation) => generation.native_tokens_prompt,
  native_out: (generation) => generation.native_tokens_completion,
  media_in: (generation) => generation.num_media_prompt,
  media_out: (generation) => generation.num_media_completion,
  audio_in: (generation) => generation.num_input_audio_prompt,
  searches: (generation) => generation.num_search_results,
  fetches: (generation) => generation.num_fetches,
  speed: tokensPerSecondOf,
};

/** What the facts say as the record does: to read all records of a store takes ten times as long. */
const READ_FROM_FACTS: Readonly<
  Partial<Record<GenerationField, (facts: GenerationFacts) => Value | readonly Value[]>>
> = {
  session: ({ sessionId }) => sessionId,
  model: ({ model }) => model,
  provider: ({ providerName }) => providerName,
  member: ({ userId }) => userId,
  key: ({ principalId }) => principalId,
  status: ({ status }) => status,
  priced: ({ isCostKnown }) => isCostKnown,
  // To a billionth of a dollar.
  cost: ({ isCostKnown, costNanoUsd }) => (isCostKnown ? costNanoUsd / NANO_PER_USD : null),
  fallback: ({ attempts }) => attempts > 1,
  attempts: ({ attempts }) => attempts,
  duration: ({ durationMs }) => durationMs,
  in: ({ promptTokens }) => promptTokens,
  out: ({ completionTokens }) => completionTokens,
  speed: ({ tokensPerSecond }) => tokensPerSecond,
  latency: ({ latencyMs }) => latencyMs,
  streamed: ({ isStreamed }) => isStreamed,
  finish: ({ finishReason }) => finishReason,
  agent: ({ userAgent }) => userAgent,
  user: ({ externalUser }) => externalUser,
  error: ({ errors }) => errors,
};

/**
 * Whether a generation meets all conditions. Nothing that is not known meets one; its negation it does meet. The record
 * is read only when the facts have met what is about them.
 */
function meetsConditions(
  facts: GenerationFacts,
  conditions: readonly GenerationCondition[],
  readRecord: () => GenerationRecord,
): boolean {
  let isRecordAsked = false;
  for (const condition of conditions) {
    const read = factsReaderOf(condition);
    if (read === undefined) isRecordAsked = true;
    else if (!isMet(condition, read(facts))) return false;
  }
  if (!isRecordAsked) return true;
  const record = readRecord();
  return conditions.every(
    (condition) =>
      factsReaderOf(condition) !== undefined || isMet(condition, READ[condition.field](record.generation, record)),
  );
}

/** What is the same to the last digit has to be read from the record. */
const factsReaderOf = ({ field, sign }: GenerationCondition): (typeof READ_FROM_FACTS)[GenerationField] =>
  field === 'cost' && sign === ':' ? undefined : READ_FROM_FACTS[field];

function isMet(condition: GenerationCondition, read: Value | readonly Value[]): boolean {
  const values = Array.isArray(read) ? (read as readonly Value[]) : [read as Value];
  return values.some((value) => value != null && meets(value, condition)) !== condition.isNegated;
}

function meets(value: string | number | boolean, condition: GenerationCondition): boolean {
  if (condition.sign === ':') return condition.values.some((wanted) => isEqual(value, wanted));
  const [bound] = condition.values;
  if (typeof value !== 'number' || typeof bound !== 'number') return false;
  switch (condition.sign) {
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
  }
}

function isEqual(value: string | number | boolean, wanted: string | number | boolean): boolean {
  if (typeof value !== 'string' || typeof wanted !== 'string') return value === wanted;
  return isLike(value.toLowerCase(), wanted);
}

/** The members of a generation of which its facts are made. */
export type FactSource = Pick<
  Generation,
  | 'created_at'
  | 'model'
  | 'provider_name'
  | 'session_id'
  | 'origin'
  | 'user_agent'
  | 'external_user'
  | 'streamed'
  | 'cancelled'
  | 'interrupted'
  | 'finish_reason'
  | 'tokens_prompt'
  | 'tokens_completion'
  | 'native_tokens_cached'
  | 'cache_discount'
  | 'cost_known'
  | 'latency'
  | 'generation_time'
> & {
  readonly provider_responses: readonly AttemptSource[] | null;
};

/** The members of an attempt of which its facts are made. */
export type AttemptSource = Pick<
  ProviderResponse,
  'endpoint_id' | 'latency' | 'model_permaslug' | 'provider_name' | 'status' | 'error'
>;

export function toGenerationFacts({
  generation,
  principalId,
  userId,
  costNanoUsd,
}: Omit<GenerationRecord, 'generation'> & { readonly generation: FactSource }): GenerationFacts {
  return {
    createdAtMs: Date.parse(generation.created_at),
    model: generation.model,
    providerName: generation.provider_name,
    sessionId: generation.session_id,
    status: statusOfGeneration(generation),
    principalId,
    userId: userId ?? null,
    app: appOf(generation),
    costNanoUsd,
    isCostKnown: generation.cost_known,
    promptTokens: generation.tokens_prompt,
    completionTokens: generation.tokens_completion,
    cachedTokens: generation.native_tokens_cached,
    cacheSavedNanoUsd: toNanoUsd(generation.cache_discount ?? 0),
    firstTokenMs: firstTokenMsOf(generation),
    durationMs: generation.generation_time,
    tokensPerSecond: tokensPerSecondOf(generation),
    attempts: generation.provider_responses?.length ?? 0,
    latencyMs: generation.latency,
    isStreamed: generation.streamed === true,
    finishReason: generation.finish_reason,
    userAgent: generation.user_agent,
    externalUser: generation.external_user,
    errors: errorsOf(generation),
  };
}

const NONE: readonly string[] = [];

function errorsOf({ provider_responses: attempts }: Pick<FactSource, 'provider_responses'>): readonly string[] {
  const failed = attempts?.flatMap(({ error }) => error ?? []) ?? [];
  return failed.length === 0 ? NONE : failed.flatMap(({ error_type: type, code }) => [type, String(code)]);
}

/** The attempts of a generation, in order. */
export function toAttemptFacts({
  model,
  provider_responses: attempts,
}: Pick<FactSource, 'model' | 'provider_responses'>): AttemptFacts[] {
  return (attempts ?? []).map((attempt) => ({
    providerName: attempt.provider_name ?? null,
    endpointId: attempt.endpoint_id ?? null,
    model: attempt.model_permaslug ?? model,
    status: attempt.status,
    latencyMs: attempt.latency ?? null,
    errorCode: attempt.error?.code ?? null,
    errorType: attempt.error?.error_type ?? null,
  }));
}

const MAX_APP_CHARS = 200;

/** The app that called: its address, or else the name with which its user agent begins; null without both. */
export function appOf({ origin, user_agent: userAgent }: Pick<Generation, 'origin' | 'user_agent'>): string | null {
  const app = origin === '' ? /^[^\s/(]+/.exec(userAgent ?? '')?.[0] : origin;
  return app === undefined ? null : app.slice(0, MAX_APP_CHARS);
}

/**
 * Milliseconds to the first token of a stream; null for what had no first token. The latency of a whole response is that
 * of the response, and that of a failed call the time until it failed.
 */
function firstTokenMsOf({
  streamed,
  tokens_completion: tokens,
  latency,
}: Pick<Generation, 'streamed' | 'tokens_completion' | 'latency'>): number | null {
  return streamed === true && (tokens ?? 0) > 0 ? latency : null;
}

/** What came in less time came at once: tokens over next to no time would be a speed that nobody has seen. */
const LEAST_TIMED_MS = 50;

/**
 * Tokens a second: of a stream from the first to the last, of a whole response over its time; null where it was too short
 * to tell.
 */
function tokensPerSecondOf(
  generation: Pick<Generation, 'streamed' | 'tokens_completion' | 'generation_time' | 'latency'>,
): number | null {
  const { tokens_completion: tokens, generation_time: ms } = generation;
  const takenMs = (ms ?? 0) - (firstTokenMsOf(generation) ?? 0);
  return tokens === null || tokens < 2 || takenMs < LEAST_TIMED_MS ? null : (tokens / takenMs) * 1000;
}
