import { isLike } from '../../foundation/is-like.ts';
import type { GenerationField } from '../../wire/generation-list.ts';
import { type Generation, statusOfGeneration } from '../../wire/generation.ts';
import type { GenerationCondition, GenerationFacts } from '../generation-queries.ts';
import type { GenerationRecord } from '../store.ts';
import { appOf, tokensPerSecondOf } from './generation-facts.ts';

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
export function meetsConditions(
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

const NANO_PER_USD = 1e9;

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
