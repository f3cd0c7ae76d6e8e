import { kindOfRecord } from '../calls/call-kind.ts';
import type { Platform } from '../foundation/platform.ts';
import type { ExaminedCache } from '../generations/cache-doctor/report-caches.ts';
import type { StoredTrace } from '../generations/to-generation.ts';
import { callTimelineOf, type StoredContent } from '../stores/generations.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import type { GenerationContent } from '../wire/generation.ts';
import type { BroadcastAttempt, BroadcastTrace } from './destination-format.ts';

/** The keys of `trace` with a meaning (wire.md 18.2); all others are metadata. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'trace_id',
  'trace_name',
  'span_name',
  'generation_name',
  'parent_span_id',
]);

export interface TraceSource {
  readonly record: GenerationRecord;
  readonly content: GenerationContent | undefined;
  readonly apiKeyName: string | null;
  /** Null or absent where it was not examined. */
  readonly cache?: ExaminedCache | null | undefined;
}

/** Collects all facts about a generation. `forDestination` removes those that a destination must not receive. */
export async function toBroadcastTrace(
  { record, content, apiKeyName, cache = null }: TraceSource,
  platform: Pick<Platform, 'sha256'>,
): Promise<BroadcastTrace> {
  const { generation } = record;
  const trace = generation.trace ?? {};
  const given = textOf(trace, 'trace_id');
  const parent = textOf(trace, 'parent_span_id');
  const traceId = await toId(given ?? generation.id, 32, platform);
  const startedAt = Date.parse(generation.created_at);
  return {
    traceId,
    givenTraceId: given ?? traceId,
    spanId: (await platform.sha256(generation.id)).slice(0, 16),
    parentSpanId: parent === undefined ? null : await toId(parent, 16, platform),
    givenParentSpanId: parent ?? null,
    traceName: textOf(trace, 'trace_name') ?? generation.model,
    spanName: textOf(trace, 'generation_name') ?? textOf(trace, 'span_name') ?? generation.model,
    metadata: Object.fromEntries(Object.entries(trace).filter(([key]) => !KNOWN_KEYS.has(key))),
    generationId: generation.id,
    operation: kindOfRecord(generation),
    requestedModel: generation.router ?? generation.model,
    model: generation.model,
    providerName: generation.provider_name,
    startedAt,
    endedAt: startedAt + (generation.generation_time ?? 0),
    firstTokenMs: generation.latency,
    finishReason: generation.finish_reason,
    nativeFinishReason: generation.native_finish_reason,
    isFailed: generation.finish_reason === 'error',
    isCancelled: generation.cancelled === true,
    isStreamed: generation.streamed === true,
    sessionId: generation.session_id,
    tokens: {
      prompt: generation.tokens_prompt,
      completion: generation.tokens_completion,
      cached: generation.native_tokens_cached,
      reasoning: generation.native_tokens_reasoning,
    },
    attempts: await toAttempts(record, content, platform),
    cache,
    costUsd: generation.cost_known ? generation.total_cost : null,
    identity: { apiKeyName, user: generation.external_user, memberId: record.userId ?? null },
    requestContext: { referer: generation.http_referer, userAgent: generation.user_agent },
    content: content === undefined ? null : withoutMedia(content),
  };
}

/** The attempts of a call that took more than one. */
async function toAttempts(
  { generation }: GenerationRecord,
  content: StoredContent | undefined,
  platform: Pick<Platform, 'sha256'>,
): Promise<readonly BroadcastAttempt[]> {
  const responses = generation.provider_responses ?? [];
  if (responses.length < 2) return [];
  const begins = callTimelineOf(content)?.attempts_ms;
  const startedAt = Date.parse(generation.created_at);
  let waited = 0;
  const attempts: BroadcastAttempt[] = [];
  for (const [index, response] of responses.entries()) {
    // Without their times, as one after the other.
    const from = startedAt + (begins?.[index] ?? waited);
    const latency = response.latency ?? 0;
    waited += latency;
    const isLast = index === responses.length - 1 && response.error === undefined;
    attempts.push({
      spanId: (await platform.sha256(`${generation.id} attempt ${index}`)).slice(0, 16),
      providerName: response.provider_name ?? null,
      model: response.model_permaslug ?? generation.model,
      startedAt: from,
      endedAt: isLast ? Math.max(from, startedAt + (generation.generation_time ?? 0)) : from + latency,
      status: response.status,
      errorType: response.error?.error_type ?? null,
    });
  }
  return attempts;
}

/** Removes what a destination must not receive. Its filter rules apply to the whole trace beforehand. */
export function forDestination(trace: BroadcastTrace, destination: Destination): BroadcastTrace {
  return {
    ...trace,
    costUsd: destination.broadcast_generation_cost ? trace.costUsd : null,
    cache: trace.cache && { ...trace.cache, ...(!destination.broadcast_generation_cost && { missedUsd: null }) },
    identity: destination.broadcast_generation_identity ? trace.identity : null,
    requestContext: destination.broadcast_generation_request_context ? trace.requestContext : null,
    content: destination.privacy_mode ? null : trace.content,
  };
}

function textOf(trace: StoredTrace, key: string): string | undefined {
  const value = trace[key];
  return value === undefined || value === '' ? undefined : String(value);
}

/** An id in the right form is used unchanged, so that spans made elsewhere find their trace. */
async function toId(text: string, length: 16 | 32, platform: Pick<Platform, 'sha256'>): Promise<string> {
  const plain = text.replaceAll('-', '').toLowerCase();
  if (plain.length === length && /^[0-9a-f]+$/.test(plain) && !/^0+$/.test(plain)) return plain;
  return (await platform.sha256(text)).slice(0, length);
}

/** Replaces images, sound and files by their kind, because they are too large for a trace. */
function withoutMedia(content: GenerationContent): GenerationContent {
  if (!('messages' in content.input)) return { ...content, input: { prompt: content.input.prompt } };
  return { ...content, input: { messages: content.input.messages.map(withTextOnly) } };
}

function withTextOnly(message: unknown): unknown {
  if (!hasParts(message)) return message;
  return { ...message, content: message.content.map((part) => (isText(part) ? part : { type: typeOf(part) })) };
}

function hasParts(message: unknown): message is { readonly content: readonly unknown[] } {
  return typeof message === 'object' && message !== null && 'content' in message && Array.isArray(message.content);
}

function typeOf(part: unknown): unknown {
  return typeof part === 'object' && part !== null && 'type' in part ? part.type : 'unknown';
}

function isText(part: unknown): boolean {
  return typeOf(part) === 'text';
}
