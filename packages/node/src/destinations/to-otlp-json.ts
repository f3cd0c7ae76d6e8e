import type { BroadcastTrace } from '@model-gateway/core';
import type { SpanStatusCode } from '@opentelemetry/api';
import type { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';

import { loadPeer } from '../load-peer.ts';
import { toSpanAttributes } from './span-attributes.ts';

type Span = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];
type Writer = (traces: readonly BroadcastTrace[]) => string;

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

let loading: Promise<Writer> | undefined;

/**
 * Traces as the body of an OTLP/HTTP request in JSON, one span each. The libraries are loaded at the first call: that
 * takes about as long as a whole start of the gateway.
 */
export async function toOtlpJson(traces: readonly BroadcastTrace[]): Promise<string> {
  const write = await (loading ??= loadWriter());
  return write(traces);
}

/** The body of a request without spans. */
export const NO_SPANS = '{"resourceSpans":[]}';

async function loadWriter(): Promise<Writer> {
  const [api, otlp, { resourceFromAttributes }, names] = await loadPeer('Writing spans', PACKAGES, () =>
    Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/otlp-transformer'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/semantic-conventions/incubating'),
    ]),
  );
  const resource = resourceFromAttributes({ [names.ATTR_SERVICE_NAME]: 'model-gateway' });
  const toSpan = (trace: BroadcastTrace): Span => {
    const toContext = (spanId: string): ReturnType<Span['spanContext']> => ({
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
  return (traces) => {
    const bytes = otlp.JsonTraceSerializer.serializeRequest(traces.map(toSpan));
    if (bytes === undefined) throw new TypeError('The spans could not be serialised');
    return decoder.decode(bytes).replaceAll(WHOLE_NUMBER, '{"intValue":"$1"}');
  };
}

/** Seconds, and the remaining nanoseconds. */
function toTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

function toStatus({ isFailed, content }: BroadcastTrace, { ERROR, UNSET }: typeof SpanStatusCode): Span['status'] {
  if (!isFailed) return { code: UNSET };
  const message = content?.error?.message;
  return { code: ERROR, ...(message != null && { message }) };
}
