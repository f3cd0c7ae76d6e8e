import { createHash } from 'node:crypto';

import type { BroadcastTrace, DestinationConfig, DestinationFormat, DestinationRequest } from '@model-gateway/core';

import { OF_TEST, toHeaders } from './otlp.ts';

type Json = Readonly<Record<string, unknown>>;

/** Datadog's intake for spans of models (LLM Observability): a span for each call. It takes OTLP in preview alone. */
export const datadogFormat: DestinationFormat<'datadog'> = {
  type: 'datadog',
  async toRequests(traces, config) {
    return [toSpansRequest(traces.map(toDatadogSpan), config)];
  },
  async toTestRequest(config) {
    return toSpansRequest([], config, OF_TEST);
  },
  testStatuses: [400],
};

function toSpansRequest(
  spans: readonly Json[],
  { apiKey, mlApp, url, headers }: DestinationConfig<'datadog'>,
  further: Readonly<Record<string, string>> = {},
): DestinationRequest {
  return {
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/api/intake/llm-obs/v1/trace/spans`,
    headers: toHeaders(headers, { 'dd-api-key': apiKey, ...further }),
    body: JSON.stringify({ data: { type: 'span', attributes: { ml_app: mlApp, spans } } }),
  };
}

function toDatadogSpan(trace: BroadcastTrace): Json {
  const { content, tokens, identity } = trace;
  const message = content?.error?.message;
  return {
    name: trace.spanName,
    span_id: BigInt(`0x${trace.spanId}`).toString(),
    trace_id: trace.traceId,
    // The word for none, by the documentation.
    parent_id: trace.parentSpanId === null ? 'undefined' : BigInt(`0x${trace.parentSpanId}`).toString(),
    start_ns: trace.startedAt * 1_000_000,
    duration: (trace.endedAt - trace.startedAt) * 1_000_000,
    status: trace.isFailed ? 'error' : 'ok',
    ...(trace.sessionId !== null && { session_id: trace.sessionId }),
    meta: {
      kind: trace.operation === 'embeddings' ? 'embedding' : 'llm',
      model_name: trace.model,
      ...(trace.providerName !== null && { model_provider: trace.providerName.toLowerCase() }),
      ...(content !== null && { input: { messages: toMessages(content) }, output: { messages: [toAnswer(content)] } }),
      ...(trace.isFailed && {
        error: { type: trace.nativeFinishReason ?? 'error', ...(message != null && { message }) },
      }),
      metadata: { ...trace.metadata, generation_id: trace.generationId, finish_reason: trace.finishReason },
    },
    metrics: withoutNulls({
      input_tokens: tokens.prompt,
      output_tokens: tokens.completion,
      total_tokens: tokens.prompt === null ? null : tokens.prompt + (tokens.completion ?? 0),
      cache_read_input_tokens: tokens.cached,
      time_to_first_token: trace.firstTokenMs === null ? null : trace.firstTokenMs / 1000,
      total_cost: trace.costUsd,
    }),
    tags: [
      `requested_model:${trace.requestedModel}`,
      ...(identity?.apiKeyName == null ? [] : [`api_key_name:${identity.apiKeyName}`]),
      ...(identity?.user == null ? [] : [`user_id:${identity.user}`]),
    ],
  };
}

/** PostHog's events of generations, in one request; the same call has the same id, which PostHog counts once. */
export const posthogFormat: DestinationFormat<'posthog'> = {
  type: 'posthog',
  async toRequests(traces, config) {
    return [toBatch(traces.map(toGenerationEvent), config)];
  },
  async toTestRequest(config) {
    return toBatch([], config, OF_TEST);
  },
  testStatuses: [400],
};

function toBatch(
  batch: readonly Json[],
  { apiKey, endpoint, headers }: DestinationConfig<'posthog'>,
  further: Readonly<Record<string, string>> = {},
): DestinationRequest {
  return {
    method: 'POST',
    url: `${endpoint.replace(/\/+$/, '')}/batch/`,
    headers: toHeaders(headers, further),
    body: JSON.stringify({ api_key: apiKey, batch }),
  };
}

function toGenerationEvent(trace: BroadcastTrace): Json {
  const { content, identity, tokens } = trace;
  const user = identity?.user ?? identity?.memberId ?? null;
  const error = content?.error?.message;
  return {
    event: trace.operation === 'embeddings' ? '$ai_embedding' : '$ai_generation',
    uuid: toUuid(trace.generationId),
    timestamp: new Date(trace.startedAt).toISOString(),
    distinct_id: user ?? trace.sessionId ?? trace.givenTraceId,
    properties: withoutNulls({
      ...trace.metadata,
      $ai_trace_id: trace.givenTraceId,
      $ai_span_id: trace.spanId,
      $ai_parent_id: trace.givenParentSpanId,
      $ai_span_name: trace.spanName,
      $ai_session_id: trace.sessionId,
      $ai_model: trace.model,
      $ai_provider: trace.providerName?.toLowerCase() ?? null,
      $ai_input: content === null ? null : toMessages(content),
      $ai_output_choices: content === null ? null : [toAnswer(content)],
      $ai_input_tokens: tokens.prompt,
      $ai_output_tokens: tokens.completion,
      $ai_cache_read_input_tokens: tokens.cached,
      $ai_reasoning_tokens: tokens.reasoning,
      $ai_total_cost_usd: trace.costUsd,
      $ai_latency: (trace.endedAt - trace.startedAt) / 1000,
      $ai_time_to_first_token: trace.firstTokenMs === null ? null : trace.firstTokenMs / 1000,
      $ai_stream: trace.isStreamed,
      $ai_is_error: trace.isFailed,
      $ai_error: error ?? null,
      // Without a user there is no person to make.
      $process_person_profile: user === null ? false : null,
      api_key_name: identity?.apiKeyName ?? null,
      finish_reason: trace.finishReason,
      generation_id: trace.generationId,
    }),
  };
}

/** A UUID that is always the same for the same call. */
function toUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

type Content = NonNullable<BroadcastTrace['content']>;

const toMessages = ({ input }: Content): readonly unknown[] =>
  'messages' in input ? input.messages : [{ role: 'user', content: input.prompt }];

function toAnswer({ output }: Content): Json {
  const { completion, tool_calls: calls } = output;
  return { role: 'assistant', content: completion ?? '', ...(calls !== undefined && { tool_calls: calls }) };
}

const withoutNulls = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
