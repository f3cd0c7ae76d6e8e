import {
  type AttemptSource,
  DATA_REGIONS,
  type DataRegion,
  type FactSource,
  type Generation,
  toDataRegion,
  UNKNOWN_GENERATION,
} from '@model-gateway/core';

/** Usual values of generations: left out of the text, and added again when it is read. */
const USUAL = {
  ...UNKNOWN_GENERATION,
  api_type: 'completions',
  num_media_prompt: 0,
  num_input_audio_prompt: 0,
} as const;

type ProviderResponse = NonNullable<Generation['provider_responses']>[number];

/** Members of the text that replace several values of a generation. */
interface SaidOnly {
  readonly endpoint_id?: string | undefined;
}

/** Values in the line of a generation before its text. */
export interface GenerationHead {
  readonly id: string;
  readonly workspaceId?: string | undefined;
}

/**
 * A generation as JSON text, without usual values, repeated values and those in its head: half as long, and the time to
 * record it depends on its length. Throws for what JSON cannot hold (docs/decisions/0017).
 */
export function toGenerationText(generation: Generation): string {
  // Not a loop over the members, which would cost as much as it saves.
  const endpointId = onlyEndpointId(generation);
  const said: Record<keyof Generation | keyof SaidOnly, unknown> = {
    id: undefined,
    request_id: unless(generation.request_id, generation.id),
    upstream_id: unless(generation.upstream_id, USUAL.upstream_id),
    session_id: unless(generation.session_id, USUAL.session_id),
    created_at: generation.created_at,
    model: generation.model,
    router: unless(generation.router, USUAL.router),
    provider_name: unless(generation.provider_name, USUAL.provider_name),
    api_type: unless(generation.api_type, USUAL.api_type),
    origin: unless(generation.origin, USUAL.origin),
    http_referer: unless(generation.http_referer, USUAL.http_referer),
    app_id: unless(generation.app_id, USUAL.app_id),
    user_agent: unless(generation.user_agent, USUAL.user_agent),
    external_user: unless(generation.external_user, USUAL.external_user),
    preset_id: unless(generation.preset_id, USUAL.preset_id),
    workspace_id: undefined,
    data_region: unless(generation.data_region, USUAL.data_region),
    is_byok: unless(generation.is_byok, USUAL.is_byok),
    streamed: unless(generation.streamed, USUAL.streamed),
    cancelled: unless(generation.cancelled, USUAL.cancelled),
    finish_reason: unless(generation.finish_reason, USUAL.finish_reason),
    native_finish_reason: unless(generation.native_finish_reason, generation.finish_reason),
    service_tier: unless(generation.service_tier, USUAL.service_tier),
    tokens_prompt: unless(generation.tokens_prompt, USUAL.tokens_prompt),
    tokens_completion: unless(generation.tokens_completion, USUAL.tokens_completion),
    native_tokens_prompt: unless(generation.native_tokens_prompt, generation.tokens_prompt),
    native_tokens_completion: unless(generation.native_tokens_completion, generation.tokens_completion),
    native_tokens_reasoning: unless(generation.native_tokens_reasoning, USUAL.native_tokens_reasoning),
    native_tokens_cached: unless(generation.native_tokens_cached, USUAL.native_tokens_cached),
    native_tokens_completion_images: unless(
      generation.native_tokens_completion_images,
      USUAL.native_tokens_completion_images,
    ),
    num_media_prompt: unless(generation.num_media_prompt, USUAL.num_media_prompt),
    num_media_completion: unless(generation.num_media_completion, USUAL.num_media_completion),
    num_input_audio_prompt: unless(generation.num_input_audio_prompt, USUAL.num_input_audio_prompt),
    num_search_results: unless(generation.num_search_results, USUAL.num_search_results),
    num_fetches: unless(generation.num_fetches, USUAL.num_fetches),
    web_search_engine: unless(generation.web_search_engine, USUAL.web_search_engine),
    total_cost: unless(generation.total_cost, USUAL.total_cost),
    usage: unless(generation.usage, generation.total_cost),
    upstream_inference_cost: unless(generation.upstream_inference_cost, USUAL.upstream_inference_cost),
    cache_discount: unless(generation.cache_discount, USUAL.cache_discount),
    latency: unless(generation.latency, USUAL.latency),
    moderation_latency: unless(generation.moderation_latency, USUAL.moderation_latency),
    generation_time: unless(generation.generation_time, generation.latency),
    response_cache_source_id: unless(generation.response_cache_source_id, USUAL.response_cache_source_id),
    provider_responses:
      endpointId === undefined ? unless(generation.provider_responses, USUAL.provider_responses) : undefined,
    endpoint_id: endpointId,
    cost_known: unless(generation.cost_known, USUAL.cost_known),
    pipeline: generation.pipeline,
    narrowed_by: generation.narrowed_by,
    routing_rule: generation.routing_rule,
    requested_model: generation.requested_model,
    trace: generation.trace,
    called_region: generation.called_region,
    upstream_provider_name: generation.upstream_provider_name,
    upstream_is_byok: generation.upstream_is_byok,
    server_tool_use_details: generation.server_tool_use_details,
    feedback: generation.feedback,
    interrupted: generation.interrupted,
    cancelled_by: generation.cancelled_by,
    usage_estimated: unless(generation.usage_estimated, USUAL.usage_estimated),
  };
  return JSON.stringify(said);
}

/** Reads a generation from its text, also from a complete one as former versions wrote it. */
export function parseGenerationText(text: string, { id, workspaceId }: GenerationHead): Generation {
  const said = JSON.parse(text) as Partial<Generation> & Pick<Generation, 'created_at' | 'model'> & SaidOnly;
  const { created_at, model, endpoint_id, ...more } = said;
  const { finish_reason = null, tokens_prompt = null, tokens_completion = null, total_cost = 0, latency = null } = said;
  const generation: Generation = {
    id,
    request_id: id,
    created_at,
    model,
    ...USUAL,
    workspace_id: workspaceId ?? null,
    native_finish_reason: finish_reason,
    native_tokens_prompt: tokens_prompt,
    native_tokens_completion: tokens_completion,
    usage: total_cost,
    generation_time: latency,
    ...more,
  };
  generation.data_region = readDataRegion(generation);
  if (endpoint_id !== undefined) generation.provider_responses = [toOnlyResponse(generation, endpoint_id)];
  return generation;
}

/** Reads no more than the facts of a generation are made of: charts read those of all generations. */
export function parseFactSource(text: string): FactSource {
  const said = JSON.parse(text) as Partial<Generation> & Pick<Generation, 'created_at' | 'model'> & SaidOnly;
  const { latency = USUAL.latency, interrupted, endpoint_id: endpointId, provider_responses: responses } = said;
  return {
    created_at: said.created_at,
    model: said.model,
    provider_name: orUsual(said.provider_name, USUAL.provider_name),
    session_id: orUsual(said.session_id, USUAL.session_id),
    origin: orUsual(said.origin, USUAL.origin),
    user_agent: orUsual(said.user_agent, USUAL.user_agent),
    external_user: orUsual(said.external_user, USUAL.external_user),
    streamed: orUsual(said.streamed, USUAL.streamed),
    cancelled: orUsual(said.cancelled, USUAL.cancelled),
    finish_reason: orUsual(said.finish_reason, USUAL.finish_reason),
    tokens_prompt: orUsual(said.tokens_prompt, USUAL.tokens_prompt),
    tokens_completion: orUsual(said.tokens_completion, USUAL.tokens_completion),
    cost_known: orUsual(said.cost_known, USUAL.cost_known),
    provider_responses:
      endpointId === undefined ? orUsual(responses, USUAL.provider_responses) : [toOnlyAttempt(said, endpointId)],
    latency,
    generation_time: orUsual(said.generation_time, latency),
    ...(interrupted !== undefined && { interrupted }),
  };
}

/** What `toOnlyResponse` would say of it. */
function toOnlyAttempt(
  { provider_name: name, model, latency }: Partial<Generation>,
  endpointId: string,
): AttemptSource {
  const said = { endpoint_id: endpointId, model_permaslug: model, status: 200 } as const;
  return { ...said, provider_name: name ?? '', latency: latency ?? 0 };
}

/** Null is a value like others. */
const orUsual = <Value, Usual>(value: Value | undefined, usual: Usual): Value | Usual =>
  value === undefined ? usual : value;

/** Former versions wrote the name of the region, and for calls to an ordinary host that of the endpoint. */
function readDataRegion({ data_region: written, called_region: name }: Generation): DataRegion {
  if (name === undefined) return 'global';
  return DATA_REGIONS.includes(written) ? written : toDataRegion(name);
}

/** The only endpoint that was asked, when its response has no value that the generation does not have. */
function onlyEndpointId(generation: Generation): string | undefined {
  const response = generation.provider_responses?.length === 1 ? generation.provider_responses[0] : undefined;
  const isUsual =
    response !== undefined &&
    response.id === undefined &&
    typeof response.endpoint_id === 'string' &&
    response.is_byok === generation.is_byok &&
    response.latency === generation.latency &&
    response.model_permaslug === generation.model &&
    response.provider_name === generation.provider_name &&
    response.status === 200 &&
    response.error === undefined;
  return isUsual ? response.endpoint_id : undefined;
}

/** Its members are in the order in which calls write them. */
function toOnlyResponse(generation: Generation, endpointId: string): ProviderResponse {
  return {
    endpoint_id: endpointId,
    is_byok: generation.is_byok,
    latency: generation.latency ?? 0,
    model_permaslug: generation.model,
    provider_name: generation.provider_name ?? '',
    status: 200,
  };
}

/** JSON leaves out members that are undefined. */
function unless<Value>(value: Value, usual: unknown): Value | undefined {
  return value === usual ? undefined : value;
}
