import type { BroadcastTrace, DestinationConfig, DestinationFormat, DestinationRequest } from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';

import { OF_TEST, toHeaders } from './otlp.ts';

type Json = Readonly<Record<string, unknown>>;

/** Langfuse's ingestion API: a trace and a generation for each call, with the gateway's ids against duplicates. */
export const langfuseFormat: DestinationFormat<'langfuse'> = {
  type: 'langfuse',
  async toRequests(traces, config) {
    return [toRequest({ batch: traces.flatMap(toEvents) }, config, {})];
  },
  async toTestRequest(config) {
    return toRequest({ batch: [] }, config, OF_TEST);
  },
  testStatuses: [400],
  readResponse: readIngestionResponse,
};

function toRequest(
  body: Json,
  { baseUrl, publicKey, secretKey, headers }: DestinationConfig<'langfuse'>,
  further: Readonly<Record<string, string>>,
): DestinationRequest {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
  return {
    method: 'POST',
    url: `${baseUrl.replace(/\/+$/, '')}/api/public/ingestion`,
    headers: toHeaders(headers, { authorization, ...further }),
    body: JSON.stringify(body),
  };
}

function toEvents(trace: BroadcastTrace): readonly Json[] {
  const timestamp = new Date(trace.endedAt).toISOString();
  return [
    { id: `${trace.generationId}-trace`, type: 'trace-create', timestamp, body: toTraceBody(trace) },
    { id: trace.generationId, type: 'generation-create', timestamp, body: toGenerationBody(trace) },
  ];
}

function toTraceBody(trace: BroadcastTrace): Json {
  const { identity, content } = trace;
  return {
    id: trace.givenTraceId,
    timestamp: new Date(trace.startedAt).toISOString(),
    name: trace.traceName,
    ...(identity?.user != null && { userId: identity.user }),
    ...(trace.sessionId !== null && { sessionId: trace.sessionId }),
    metadata: trace.metadata,
    ...(content !== null && { input: toInput(content), output: toOutput(content) }),
  };
}

function toGenerationBody(trace: BroadcastTrace): Json {
  const { tokens, content, identity, requestContext, cache } = trace;
  const startTime = new Date(trace.startedAt).toISOString();
  const errorMessage = content?.error?.message;
  return {
    id: trace.generationId,
    traceId: trace.givenTraceId,
    ...(trace.givenParentSpanId !== null && { parentObservationId: trace.givenParentSpanId }),
    name: trace.spanName,
    startTime,
    endTime: new Date(trace.endedAt).toISOString(),
    ...(trace.firstTokenMs !== null && {
      completionStartTime: new Date(trace.startedAt + trace.firstTokenMs).toISOString(),
    }),
    model: trace.model,
    ...(content !== null && { input: toInput(content), output: toOutput(content) }),
    ...(tokens.prompt !== null && { usageDetails: toUsageDetails(tokens) }),
    ...(trace.costUsd !== null && { costDetails: { total: trace.costUsd } }),
    level: trace.isFailed ? 'ERROR' : 'DEFAULT',
    ...(errorMessage != null && { statusMessage: errorMessage }),
    metadata: {
      ...trace.metadata,
      provider_name: trace.providerName,
      requested_model: trace.requestedModel,
      finish_reason: trace.finishReason,
      native_finish_reason: trace.nativeFinishReason,
      streamed: trace.isStreamed,
      cancelled: trace.isCancelled,
      ...(cache !== null && {
        cache_cause: cache.cause,
        cache_missed_tokens: cache.missedTokens,
        ...(cache.missedUsd !== null && { cache_missed_cost: cache.missedUsd }),
      }),
      ...(identity !== null && { api_key_name: identity.apiKeyName, user_id: identity.memberId }),
      ...(requestContext !== null && { http_referer: requestContext.referer, user_agent: requestContext.userAgent }),
    },
  };
}

/** Langfuse adds up all named values, so each token must be in only one of them. */
function toUsageDetails({ prompt, completion, cached, reasoning }: BroadcastTrace['tokens']): Json {
  return {
    input: (prompt ?? 0) - (cached ?? 0),
    ...(cached !== null && { input_cached_tokens: cached }),
    output: (completion ?? 0) - (reasoning ?? 0),
    ...(reasoning !== null && { output_reasoning_tokens: reasoning }),
    total: (prompt ?? 0) + (completion ?? 0),
  };
}

type Content = NonNullable<BroadcastTrace['content']>;

function toInput({ input }: Content): unknown {
  return 'messages' in input ? input.messages : input.prompt;
}

function toOutput({ output }: Content): Json {
  const { completion, reasoning, tool_calls: toolCalls } = output;
  return {
    role: 'assistant',
    content: completion,
    ...(reasoning !== null && { reasoning }),
    ...(toolCalls !== undefined && { tool_calls: toolCalls }),
  };
}

const responseSchema = z.object({ errors: z.array(z.object({ status: z.int() })) });

/** The response is a 207 with an error for every event that was refused. */
function readIngestionResponse(body: string): ReturnType<NonNullable<DestinationFormat['readResponse']>> {
  const result = responseSchema.safeParse(parseJson(body));
  const errors = result.success ? result.data.errors : [];
  if (errors.length === 0) return undefined;
  const isFinal = errors.every(({ status }) => status < 500 && status !== 429);
  return { result: `HTTP 207, ${errors.length} events refused`, isFinal };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
