import type { BroadcastTrace } from '@model-gateway/core';
import type * as semanticConventions from '@opentelemetry/semantic-conventions/incubating';

import { toInputMessages, toOutputMessages } from './gen-ai-messages.ts';

type Names = typeof semanticConventions;
export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/**
 * A generation as attributes of its span: OpenTelemetry's generative-AI conventions, also under former names that tools
 * still read, and `trace.metadata.…` for the rest (wire.md 18.2). Leaves out unknown values.
 */
export function toSpanAttributes(trace: BroadcastTrace, names: Names): SpanAttributes {
  const { tokens, identity, requestContext, content } = trace;
  const provider = trace.providerName?.toLowerCase();
  const total = tokens.prompt === null ? null : tokens.prompt + (tokens.completion ?? 0);
  return withoutNulls({
    ...Object.fromEntries(Object.entries(trace.metadata).map(([key, value]) => [`trace.metadata.${key}`, value])),
    [names.ATTR_GEN_AI_OPERATION_NAME]: trace.operation === 'video' ? 'generate_content' : trace.operation,
    [names.ATTR_GEN_AI_PROVIDER_NAME]: provider,
    [names.ATTR_GEN_AI_SYSTEM]: provider,
    [names.ATTR_GEN_AI_REQUEST_MODEL]: trace.requestedModel,
    [names.ATTR_GEN_AI_REQUEST_STREAM]: trace.isStreamed,
    [names.ATTR_GEN_AI_RESPONSE_MODEL]: trace.model,
    [names.ATTR_GEN_AI_RESPONSE_ID]: trace.generationId,
    [names.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: trace.finishReason && [trace.finishReason],
    'gen_ai.response.finish_reason': trace.finishReason,
    [names.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]: trace.firstTokenMs === null ? null : trace.firstTokenMs / 1000,
    [names.ATTR_GEN_AI_CONVERSATION_ID]: trace.sessionId,
    [names.ATTR_SESSION_ID]: trace.sessionId,
    [names.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: tokens.prompt,
    [names.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: tokens.completion,
    [names.ATTR_GEN_AI_USAGE_PROMPT_TOKENS]: tokens.prompt,
    [names.ATTR_GEN_AI_USAGE_COMPLETION_TOKENS]: tokens.completion,
    'gen_ai.usage.total_tokens': total,
    [names.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: tokens.cached,
    'gen_ai.usage.input_tokens.cached': tokens.cached,
    [names.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: tokens.reasoning,
    'gen_ai.usage.output_tokens.reasoning': tokens.reasoning,
    'gen_ai.usage.total_cost': trace.costUsd,
    [names.ATTR_ERROR_TYPE]: trace.isFailed ? (trace.nativeFinishReason ?? 'error') : null,
    [names.ATTR_USER_ID]: identity?.user,
    'trace.metadata.openrouter.api_key_name': identity?.apiKeyName,
    'trace.metadata.openrouter.user_id': identity?.memberId,
    'trace.metadata.openrouter.provider_name': trace.providerName,
    'trace.metadata.openrouter.first_token_ms': trace.firstTokenMs,
    'trace.metadata.openrouter.finish_reason': trace.nativeFinishReason,
    'http.request.header.referer': requestContext?.referer && [requestContext.referer],
    [names.ATTR_USER_AGENT_ORIGINAL]: requestContext?.userAgent,
    ...(content !== null && toContentAttributes(trace, content, names)),
  });
}

function toContentAttributes(
  { finishReason }: BroadcastTrace,
  content: NonNullable<BroadcastTrace['content']>,
  names: Names,
): Record<string, string | null> {
  return {
    [names.ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(toInputMessages(content)),
    [names.ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(toOutputMessages(content, finishReason)),
    [names.ATTR_GEN_AI_PROMPT]: JSON.stringify(content.input),
    [names.ATTR_GEN_AI_COMPLETION]: content.output.completion,
  };
}

function withoutNulls(attributes: Readonly<Record<string, SpanAttributes[string] | null | undefined>>): SpanAttributes {
  const present: SpanAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) present[name] = value;
  }
  return present;
}
