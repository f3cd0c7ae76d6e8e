import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Attempt, Outcome } from '../calls/attempt.ts';
import { CALL_KINDS } from '../calls/call-kind.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { feeOf } from '../catalog/own-keys.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { toUsd } from '../foundation/money.ts';
import type { Principal } from '../http/request.ts';
import type { GenerationRecord, StoredContent } from '../stores/store.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { ChatMessage } from '../wire/chat-request.ts';
import type { Generation, GenerationContent, ProviderResponse } from '../wire/generation.ts';
import type { CompletionAccumulator, TimelineRecorder } from './completion-accumulator.ts';
import type { CompletionFacts, EndedCall, ToolStep } from './ended-call.ts';
import { type LongTexts, withLongTexts } from './long-output.ts';
import { countParts, toPublicUsage } from './spending.ts';

/**
 * The members of a record in a call of which nothing is known. Journals leave these values out of their lines, so they
 * must not change.
 */
export const UNKNOWN_GENERATION = {
  upstream_id: null,
  session_id: null,
  router: null,
  provider_name: null,
  http_referer: null,
  app_id: null,
  user_agent: null,
  external_user: null,
  preset_id: null,
  finish_reason: null,
  service_tier: null,
  tokens_prompt: null,
  tokens_completion: null,
  native_tokens_reasoning: null,
  native_tokens_cached: null,
  native_tokens_completion_images: null,
  num_media_completion: null,
  num_search_results: null,
  num_fetches: null,
  web_search_engine: null,
  upstream_inference_cost: null,
  cache_discount: null,
  latency: null,
  moderation_latency: null,
  response_cache_source_id: null,
  provider_responses: null,
  origin: '',
  data_region: 'global',
  is_byok: false,
  streamed: false,
  cancelled: false,
  total_cost: 0,
  cost_known: true,
  usage_estimated: false,
} as const satisfies Partial<Generation>;

/**
 * Converts a call to its record, in the form of `GET /generation` (wire.md 13.1). Without `isContentStored`, it has no
 * text from upstream.
 */
function toGeneration(ended: EndedCall, feeNanoUsd: number, isContentStored: boolean): Generation {
  const { call, completion, attempts, outcome, usage, cost, pipeline, conversation, steps, searches } = ended;
  const { kind, labels } = call;
  const endpoint = ended.endpoint ?? attempts.at(-1)?.endpoint;
  const isOwn = endpoint?.ownKeyId !== undefined;
  const isUnused = usage === undefined;
  const generation: Generation = {
    id: call.id,
    request_id: call.id,
    upstream_id: completion.upstreamId ?? null,
    session_id: call.session,
    created_at: toIsoTime(ended.startedAt),
    model: endpoint?.modelId ?? kind.modelsOf(call.request).model ?? '',
    router: conversation?.router ?? null,
    provider_name: endpoint?.provider.name ?? null,
    api_type: CALL_KINDS[kind.name].apiType,
    origin: labels.referer ?? '',
    http_referer: labels.referer,
    app_id: null,
    user_agent: labels.userAgent,
    external_user: labels.externalUser,
    preset_id: call.preset?.id ?? null,
    workspace_id: call.principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
    data_region: call.region?.dataRegion ?? 'global',
    is_byok: endpoint?.provider.byok ?? false,
    streamed: ended.isStreamed,
    cancelled: outcome.status === 'cancelled',
    finish_reason: finishReasonOf(outcome, completion),
    native_finish_reason: nativeReasonOf(outcome, completion),
    service_tier: completion.serviceTier ?? null,
    tokens_prompt: usage?.prompt_tokens ?? null,
    tokens_completion: usage?.completion_tokens ?? null,
    native_tokens_prompt: usage?.prompt_tokens ?? null,
    native_tokens_completion: usage?.completion_tokens ?? null,
    native_tokens_reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? null,
    native_tokens_cached: usage?.prompt_tokens_details?.cached_tokens ?? null,
    native_tokens_completion_images: usage?.completion_tokens_details?.image_tokens ?? null,
    num_media_prompt: conversation === null ? (completion.images ?? 0) : countParts(conversation.messages, 'image_url'),
    num_media_completion: completion.made?.images ?? null,
    num_input_audio_prompt: conversation === null ? 0 : countParts(conversation.messages, 'input_audio'),
    num_search_results: searches?.reduce((sum, { results }) => sum + results, 0) ?? null,
    num_fetches: steps.length === 0 ? null : steps.filter(({ tool }) => tool === 'web_fetch').length,
    web_search_engine: searches?.[0]?.engine ?? null,
    // With a stored key of the caller the provider's bill is the caller's, and the account pays the fee, if any.
    total_cost: isOwn ? toUsd(feeNanoUsd) : (cost?.usd ?? 0),
    usage: isOwn ? toUsd(feeNanoUsd) : (cost?.usd ?? 0),
    upstream_inference_cost:
      completion.upstreamCosts?.totalUsd ?? completion.upstreamCostUsd ?? (isOwn ? (cost?.usd ?? null) : null),
    cache_discount: cost?.cacheDiscountUsd ?? null,
    latency: latencyOf(attempts),
    moderation_latency: null,
    generation_time: Math.round(ended.durationMs),
    response_cache_source_id: ended.replayOf,
    provider_responses: toProviderResponses(ended, isContentStored),
    cost_known: isUnused || cost !== null,
    usage_estimated: usage?.estimated ?? false,
  };
  if (feeNanoUsd > 0) generation.byok_fee = toUsd(feeNanoUsd);
  if (outcome.status === 'cancelled' && outcome.error.code === 'call_cancelled') generation.cancelled_by = 'operator';
  if (pipeline.stages.length > 0) generation.pipeline = [...pipeline.stages];
  if (pipeline.narrowedBy !== null) generation.narrowed_by = [...pipeline.narrowedBy];
  if (call.prompt !== undefined) {
    generation.prompt_id = call.prompt.id;
    generation.prompt_version = call.prompt.version;
  }
  if (call.preset !== undefined) {
    generation.preset_slug = call.preset.slug;
    generation.preset_version = call.preset.version;
  }
  if (call.ruled !== undefined) {
    generation.routing_rule = call.ruled.rule;
    if (call.ruled.requested !== null) generation.requested_model = call.ruled.requested;
  }
  const servedWith = attempts.findLast(({ error }) => error === null)?.key;
  if (servedWith !== undefined) generation.provider_key = servedWith;
  if (labels.trace !== null) generation.trace = toStoredTrace(labels.trace);
  if (call.region !== null) generation.called_region = call.region.name;
  const servedBy = completion.upstream?.provider;
  if (servedBy !== undefined) generation.upstream_provider_name = servedBy;
  const toolUse = usage?.server_tool_use_details;
  if (toolUse !== undefined) generation.server_tool_use_details = toolUse;
  if (usage?.is_byok !== undefined) generation.upstream_is_byok = usage.is_byok;
  return generation;
}

let lastMs = Number.NaN;
let lastIsoTime = '';

/** Under load, many calls begin in the same millisecond, and to write a time out takes as long as to hash a key. */
function toIsoTime(ms: number): string {
  if (ms !== lastMs) {
    lastIsoTime = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIsoTime;
}

function finishReasonOf(outcome: Outcome, { finish }: CompletionFacts): string | null {
  switch (outcome.status) {
    case 'completed':
      return finish?.reason ?? null;
    case 'failed':
      return 'error';
    case 'cancelled':
      return null;
  }
}

/** Upstream's own word for the end of a call, where upstream ended it. */
function nativeReasonOf({ status }: Outcome, { finish }: CompletionFacts): string | null {
  return status === 'completed' || finish?.reason === 'error' ? (finish?.native ?? null) : null;
}

/** Time to the first chunk as the caller felt it: failed attempts before it count, further turns do not. */
function latencyOf(attempts: readonly Attempt[]): number | null {
  if (attempts.length === 0) return null;
  const begun = attempts.findIndex(({ error }) => error === null);
  const upToFirst = begun === -1 ? attempts : attempts.slice(0, begun + 1);
  return Math.round(upToFirst.reduce((sum, { latencyMs }) => sum + latencyMs, 0));
}

function toProviderResponses({ attempts, outcome }: EndedCall, isContentStored: boolean): ProviderResponse[] {
  const responses = attempts.map((attempt) => toProviderResponse(attempt, isContentStored));
  const last = attempts.at(-1);
  if (outcome.status !== 'failed' || last === undefined || last.error !== null) return responses;
  const { error } = outcome;
  // The gateway itself may have ended it, too: a guardrail, or a limit.
  if (error.metadata?.['provider_name'] !== last.endpoint.provider.name) return responses;
  const broken = { ...toProviderResponse(last, isContentStored), error: toAttemptError(error, isContentStored) };
  return [...responses.slice(0, -1), broken];
}

/** An endpoint's id in records. */
export const recordedEndpointId = ({ tag, providerModel }: Endpoint): string => `${tag}:${providerModel}`;

/** Converts one attempt to its place in a record. */
export function toProviderResponse(
  { endpoint, latencyMs, error, brokeOff, again, key }: Omit<Attempt, 'startedAt'>,
  isContentStored: boolean,
): ProviderResponse {
  const response: ProviderResponse = {
    endpoint_id: recordedEndpointId(endpoint),
    is_byok: endpoint.provider.byok ?? false,
    latency: Math.round(latencyMs),
    model_permaslug: endpoint.modelId,
    provider_name: endpoint.provider.name,
    status: error === null ? 200 : error.upstreamStatus,
  };
  const ended = error ?? brokeOff?.error;
  if (ended !== undefined) response.error = toAttemptError(ended, isContentStored);
  if (brokeOff !== undefined) response.broke_off_after = brokeOff.afterCharacters;
  if (again !== undefined) response.again = again;
  if (key !== undefined) response.key = key;
  return response;
}

function toAttemptError(error: GatewayError, isContentStored: boolean): NonNullable<ProviderResponse['error']> {
  const { status: code, errorType: error_type, message } = error;
  return isContentStored ? { code, error_type, message } : { code, error_type };
}

/** Whether a record has a text from upstream: the message of an attempt's error. */
export const hasAttemptTexts = ({ provider_responses: responses }: Generation): boolean =>
  responses?.some(({ error }) => error?.message !== undefined) === true;

/** The generation without the texts from upstream, which may repeat what was said: for one whose content is not kept. */
export function withoutAttemptTexts(generation: Generation): Generation {
  if (!hasAttemptTexts(generation)) return generation;
  const provider_responses = (generation.provider_responses ?? []).map((response) => {
    if (response.error === undefined) return response;
    const { message: _text, ...error } = response.error;
    return { ...response, error };
  });
  return { ...generation, provider_responses };
}

/** Converts the messages and the completion of a chat to the form of `GET /generation/content`. */
export function toGenerationContent(
  ended: EndedCall,
  messages: ChatMessage[],
  completion: CompletionAccumulator,
  longTexts: LongTexts,
): GenerationContent {
  const { steps } = ended;
  const output = {
    completion: completion.text === '' ? null : completion.text,
    reasoning: completion.reasoning === '' ? null : completion.reasoning,
    ...(completion.toolCalls.length > 0 && { tool_calls: [...completion.toolCalls] }),
    ...(completion.annotations.length > 0 && { annotations: [...completion.annotations] }),
    ...(completion.upstream?.citations && { citations: [...completion.upstream.citations] }),
    ...(completion.upstream?.warnings && { warnings: [...completion.upstream.warnings] }),
    ...(completion.upstream?.metadata && { provider_metadata: { ...completion.upstream.metadata } }),
    ...(steps.length > 0 && { server_tool_calls: steps.map(toToolCallRecord) }),
  };
  return { input: { messages }, output: withLongTexts(output, longTexts), error: toContentError(ended) };
}

/** The error that ended a call, with those of the attempts before it; null for a call that was completed. */
export function toContentError({
  attempts,
  outcome,
}: Pick<EndedCall, 'attempts' | 'outcome'>): GenerationContent['error'] {
  if (outcome.status === 'completed') return null;
  const { error } = outcome;
  const broken = findBroken(attempts);
  // A call without a completion failed with a copy of its last attempt's error, which is not listed twice.
  const before = outcome.status === 'failed' && broken === undefined ? attempts.slice(0, -1) : attempts;
  return {
    message: error.message,
    status: error.status,
    provider_name: (broken ?? attempts.at(-1))?.endpoint.provider.name ?? null,
    raw: rawOf(error),
    previous_errors: before.flatMap(({ endpoint, error: earlier }) =>
      earlier === null || earlier === error ? [] : [toPreviousError(earlier, endpoint.provider.name)],
    ),
  };
}

/** The attempt whose completion broke off and was continued by none: its error is that of the call. */
function findBroken(attempts: readonly Attempt[]): Attempt | undefined {
  const begun = attempts.findLast(({ error }) => error === null);
  return begun?.brokeOff === undefined ? undefined : begun;
}

type PreviousError = NonNullable<GenerationContent['error']>['previous_errors'][number];

function toPreviousError(error: GatewayError, provider_name: string): PreviousError {
  const raw = rawOf(error);
  return { code: error.status, message: error.message, provider_name, ...(raw !== null && { raw }) };
}

/** Upstream's own error, as far as it may be shown. */
function rawOf({ metadata }: GatewayError): string | null {
  const raw = metadata?.['raw'];
  return typeof raw === 'string' ? raw : null;
}

/** A step as `GET /generation/content` shows it. */
function toToolCallRecord(step: ToolStep): NonNullable<GenerationContent['output']['server_tool_calls']>[number] {
  const { id, tool: name, arguments: text, result, status } = step;
  return { id, name, arguments: text, result, status };
}

const MAX_KEYS = 64;
const MAX_KEY_LENGTH = 128;
const MAX_TEXT_LENGTH = 1024;

/**
 * Converts the `trace` of a request to the form that is stored with every generation: at most 64 keys, texts cut at
 * 1,024 characters, lists and objects as their JSON. Undefined when nothing is left.
 */
export function toStoredTrace(trace: Readonly<Record<string, unknown>>): StoredTrace | undefined {
  const stored: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(trace).slice(0, MAX_KEYS)) {
    if (value === null || value === undefined || key.length > MAX_KEY_LENGTH) continue;
    stored[key] = toScalar(value);
  }
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function toScalar(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT_LENGTH);
}

/** The `trace` of a request in its stored form: flat, and of limited size. */
export type StoredTrace = Readonly<Record<string, string | number | boolean>>;

/** A call that has ended, ready to be recorded. */
export interface SettledGeneration {
  /** The usage as it is sent to the caller; undefined when nothing was used. */
  readonly usage: Usage | undefined;
  readonly record: GenerationRecord;
  readonly principal: Principal;
  /** Null when contents are not to be stored. */
  readonly content: StoredContent | null;
  /** About how long the content is in characters. */
  contentLength: number;
}

export function toSettled(
  ended: EndedCall,
  { content, contentLength }: Pick<SettledGeneration, 'content' | 'contentLength'>,
): SettledGeneration {
  const { call, usage, cost } = ended;
  const { principal } = call;
  const { id: principalId, userId } = principal;
  const billNanoUsd = cost?.nanoUsd ?? 0;
  const feeNanoUsd = feeOf(billNanoUsd, ended.endpoint);
  return {
    usage: usage && toPublicUsage(usage, ended),
    record: {
      generation: toGeneration(ended, feeNanoUsd, content !== null),
      principalId,
      ...(userId !== undefined && { userId }),
      costNanoUsd: billNanoUsd + feeNanoUsd,
    },
    principal,
    content,
    contentLength,
  };
}

/** A content with its request and its times, as it is stored. */
export function toStoredContent(
  { input, output, error }: GenerationContent,
  { request, callTimeline }: Required<Pick<StoredContent, 'request' | 'callTimeline'>>,
  stream: TimelineRecorder | null,
): StoredContent {
  // Not by spreading: this runs for every call.
  if (stream === null) return { input, output, error, request, callTimeline };
  return { input, output, error, request, callTimeline, timeline: stream.toTimeline() };
}

/** A stored content as the API and destinations show it. */
export function toPublicContent({
  timeline: _stream,
  callTimeline: _call,
  course: _former,
  request: _request,
  response: _response,
  ...content
}: StoredContent): GenerationContent {
  return content;
}
