import type { DestinationFormat } from '@model-gateway/core';

import { mergeHeaders } from './header-fields.ts';
import { NO_SPANS, toOtlpJson } from './to-otlp-json.ts';

/** A collector of OpenTelemetry: OTLP over HTTP in JSON. An address without a path gets the protocol's default path. */
export const otelCollectorFormat: DestinationFormat<'otel-collector'> = {
  type: 'otel-collector',
  async toRequests(traces, { endpoint, headers }) {
    const own = { 'content-type': 'application/json' };
    const url = toTracesUrl(endpoint);
    return [{ method: 'POST', url, headers: mergeHeaders(own, headers), body: await toOtlpJson(traces) }];
  },
  async toTestRequest({ endpoint, headers }) {
    const own = { 'content-type': 'application/json', 'x-test-connection': 'true' };
    return { method: 'POST', url: toTracesUrl(endpoint), headers: mergeHeaders(own, headers), body: NO_SPANS };
  },
  testStatuses: [400],
  readResponse: readPartialSuccess,
};

function toTracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

/** A response of 200 may name refused spans, which must not be sent again. */
function readPartialSuccess(body: string): ReturnType<NonNullable<DestinationFormat['readResponse']>> {
  const rejected = Number(/"rejectedSpans"\s*:\s*"?(\d+)/.exec(body)?.[1] ?? 0);
  return rejected === 0 ? undefined : { result: `HTTP 200, ${rejected} spans rejected`, isFinal: true };
}
