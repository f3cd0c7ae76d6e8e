import type { BroadcastTrace } from '@model-gateway/core';
import type { SpanStatusCode } from '@opentelemetry/api';
import type { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type * as semanticConventions from '@opentelemetry/semantic-conventions/incubating';

import { loadPeer } from '../load-peer.ts';

type OtlpSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];
interface OtlpWriter {
  toJson(traces: readonly BroadcastTrace[]): string;
  toBinary(traces: readonly BroadcastTrace[], resourceAttributes: Readonly<Record<string, string>>): Uint8Array;
}

const decoder = new TextDecoder();
/**
 * The protocol writes 64-bit numbers as strings in JSON, as receivers expect; the library (0.301) does not. The pattern
 * matches nothing inside strings, where quotes are escaped.
 */
const WHOLE_NUMBER = /\{"intValue":(-?\d+)\}/g;

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/otlp-transformer',
  '@opentelemetry/resources',
  '@opentelemetry/semantic-conventions',
];

let loading: Promise<OtlpWriter> | undefined;

/**
 * Traces as the body of an OTLP/HTTP request in JSON, one span each. The libraries are loaded at the first call: that
 * takes about as long as a whole start of the gateway.
 */
export async function toOtlpJson(traces: readonly BroadcastTrace[]): Promise<string> {
  const { toJson } = await (loading ??= loadWriter());
  return toJson(traces);
}

/** The same in the protocol's binary form, which some receivers take alone, with further attributes of the resource. */
export async function toOtlpBinary(
  traces: readonly BroadcastTrace[],
  resourceAttributes: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const { toBinary } = await (loading ??= loadWriter());
  return toBinary(traces, resourceAttributes);
}

/** The body of a request without spans. */
export const NO_SPANS = '{"resourceSpans":[]}';

async function loadWriter(): Promise<OtlpWriter> {
  const [api, otlp, { resourceFromAttributes }, names] = await loadPeer('Writing spans', PACKAGES, () =>
    Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/otlp-transformer'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/semantic-conventions/incubating'),
    ]),
  );
  const toResource = (more: Readonly<Record<string, string>>) =>
    resourceFromAttributes({ [names.ATTR_SERVICE_NAME]: 'model-gateway', ...more });
  const own = toResource({});
  const toSpan = (trace: BroadcastTrace, resource = own): OtlpSpan => {
    const toContext = (spanId: string): ReturnType<OtlpSpan['spanContext']> => ({
      traceId: trace.traceId,
      spanId,
      traceFlags: api.TraceFlags.SAMPLED,
    });
    return {
      name: trace.spanName,
      kind: api.SpanKind.CLIENT,
      spanContext: () => toContext(trace.spanId),
      ...(trace.parentSpanId !== null && { parentSpanContext: toContext(trace.parentSpanId) }),
      startTime: toTime(trace.startedAt),
      endTime: toTime(trace.endedAt),
      duration: toTime(trace.endedAt - trace.startedAt),
      status: toStatus(trace, api.SpanStatusCode),
      attributes: toSpanAttributes(trace, names),
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope: { name: 'model-gateway' },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  };
  /** Those of a call with several attempts come after it, as its children. */
  const toSpans = (trace: BroadcastTrace, resource = own): readonly OtlpSpan[] => {
    const span = toSpan(trace, resource);
    return [span, ...trace.attempts.map((attempt, index) => toAttemptSpan({ trace, span, attempt, index }))];
  };
  const toAttemptSpan = ({ trace, span, attempt, index }: AttemptPlace): OtlpSpan => {
    const { spanId, startedAt, endedAt, errorType } = attempt;
    const context = span.spanContext();
    return {
      ...span,
      name: `${operationOf(trace)} ${attempt.model}`,
      spanContext: () => ({ ...context, spanId }),
      parentSpanContext: context,
      startTime: toTime(startedAt),
      endTime: toTime(endedAt),
      duration: toTime(endedAt - startedAt),
      status: { code: errorType === null ? api.SpanStatusCode.UNSET : api.SpanStatusCode.ERROR },
      // Without tokens and cost: those are the call's, and receivers add up all spans.
      attributes: withoutNulls({
        [names.ATTR_GEN_AI_OPERATION_NAME]: operationOf(trace),
        [names.ATTR_GEN_AI_PROVIDER_NAME]: attempt.providerName?.toLowerCase(),
        [names.ATTR_GEN_AI_REQUEST_MODEL]: attempt.model,
        [names.ATTR_HTTP_RESPONSE_STATUS_CODE]: attempt.status,
        [names.ATTR_ERROR_TYPE]: errorType,
        'gateway.attempt': index + 1,
      }),
    };
  };
  const ensure = (bytes: Uint8Array | undefined): Uint8Array => {
    if (bytes === undefined) throw new TypeError('The spans could not be serialised');
    return bytes;
  };
  return {
    toJson(traces) {
      const bytes = ensure(otlp.JsonTraceSerializer.serializeRequest(traces.flatMap((trace) => toSpans(trace))));
      return decoder.decode(bytes).replaceAll(WHOLE_NUMBER, '{"intValue":"$1"}');
    },
    toBinary(traces, resourceAttributes) {
      const resource = toResource(resourceAttributes);
      return ensure(otlp.ProtobufTraceSerializer.serializeRequest(traces.flatMap((trace) => toSpans(trace, resource))));
    },
  };
}

interface AttemptPlace {
  readonly trace: BroadcastTrace;
  readonly span: OtlpSpan;
  readonly attempt: BroadcastTrace['attempts'][number];
  readonly index: number;
}

const operationOf = ({ operation }: BroadcastTrace): string => (operation === 'video' ? 'generate_content' : operation);

/** Seconds, and the remaining nanoseconds. */
function toTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function toStatus({ isFailed, content }: BroadcastTrace, { ERROR, UNSET }: typeof SpanStatusCode): OtlpSpan['status'] {
  if (!isFailed) return { code: UNSET };
  const message = content?.error?.message;
  return { code: ERROR, ...(message != null && { message }) };
}

type AttributeNames = typeof semanticConventions;
type SpanAttributes = Record<string, string | number | boolean | string[]>;

/**
 * A generation as attributes of its span: OpenTelemetry's generative-AI conventions, also under former names that tools
 * still read, and `trace.metadata.…` for the rest (wire.md 18.2). Leaves out unknown values.
 */
function toSpanAttributes(trace: BroadcastTrace, names: AttributeNames): SpanAttributes {
  const { tokens, identity, requestContext, content } = trace;
  const provider = trace.providerName?.toLowerCase();
  const total = tokens.prompt === null ? null : tokens.prompt + (tokens.completion ?? 0);
  return withoutNulls({
    ...Object.fromEntries(Object.entries(trace.metadata).map(([key, value]) => [`trace.metadata.${key}`, value])),
    [names.ATTR_GEN_AI_OPERATION_NAME]: operationOf(trace),
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
    'gateway.cache.cause': trace.cache?.cause,
    'gateway.cache.missed_tokens': trace.cache?.missedTokens,
    'gateway.cache.missed_cost': trace.cache?.missedUsd,
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
  names: AttributeNames,
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

type MessagePart =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: unknown; readonly name: unknown; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: unknown; readonly response: unknown }
  /** A part that is no text, reduced to its type. */
  | { readonly type: string };

interface GenAiMessage {
  readonly role: unknown;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

type MessageContent = NonNullable<BroadcastTrace['content']>;

/** Messages of the request in the form of OpenTelemetry's generative-AI conventions (`gen_ai.input.messages`, 1.45). */
function toInputMessages({ input }: MessageContent): readonly GenAiMessage[] {
  if ('prompt' in input) return [{ role: 'user', parts: [{ type: 'text', content: input.prompt }] }];
  return input.messages.filter(isObject).map((message) => {
    const { role, content, tool_calls: calls, tool_call_id: callId } = message;
    if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id: callId, response: content }] };
    return { role, parts: [...toTextParts(content), ...toCallParts(calls)] };
  });
}

/** Messages of the completion in the same form (`gen_ai.output.messages`). */
function toOutputMessages({ output }: MessageContent, finishReason: string | null): readonly GenAiMessage[] {
  const parts: MessagePart[] = [];
  if (output.reasoning !== null) parts.push({ type: 'reasoning', content: output.reasoning });
  if (output.completion !== null) parts.push({ type: 'text', content: output.completion });
  parts.push(...toCallParts(output.tool_calls));
  return [{ role: 'assistant', parts, finish_reason: finishReason ?? 'unknown' }];
}

function toTextParts(content: unknown): readonly MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  if (!Array.isArray(content)) return [];
  return content
    .filter(isObject)
    .map((part) =>
      typeof part['text'] === 'string'
        ? { type: 'text' as const, content: part['text'] }
        : { type: String(part['type']) },
    );
}

function toCallParts(calls: unknown): readonly MessagePart[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map(({ id, function: called }) => ({
    type: 'tool_call' as const,
    id,
    name: isObject(called) ? called['name'] : undefined,
    arguments: isObject(called) ? called['arguments'] : undefined,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Headers of the connection, which a configuration must not set. */
const NOT_TO_BE_SET: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** Headers of a request that tests the connection. */
export const OF_TEST = { 'x-test-connection': 'true' };

/** The headers of a request with JSON, overridden by those of the configuration; names in lower case. */
export function toHeaders(
  configured: Readonly<Record<string, string>> | undefined,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const merged: Record<string, string> = { 'content-type': 'application/json', ...own };
  for (const [name, value] of Object.entries(configured ?? {})) {
    const lowerCase = name.toLowerCase();
    if (!NOT_TO_BE_SET.has(lowerCase)) merged[lowerCase] = value;
  }
  return merged;
}
