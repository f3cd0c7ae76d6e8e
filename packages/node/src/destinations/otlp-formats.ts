import type { DestinationFormat } from '@model-gateway/core';

import { NO_SPANS, OF_TEST, toHeaders, toOtlpJson } from './otlp.ts';

/** A collector of OpenTelemetry: OTLP over HTTP in JSON. An address without a path gets the protocol's default path. */
export const otelCollectorFormat: DestinationFormat<'otel-collector'> = {
  type: 'otel-collector',
  async toRequests(traces, { endpoint, headers }) {
    const url = toTracesUrl(endpoint);
    return [{ method: 'POST', url, headers: toHeaders(headers), body: await toOtlpJson(traces) }];
  },
  async toTestRequest({ endpoint, headers }) {
    return { method: 'POST', url: toTracesUrl(endpoint), headers: toHeaders(headers, OF_TEST), body: NO_SPANS };
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

/** Any HTTP receiver: OTLP in JSON to the configured address (wire.md 18.2). */
export const webhookFormat: DestinationFormat<'webhook'> = {
  type: 'webhook',
  async toRequests(traces, { url, method, headers }) {
    return [{ method, url, headers: toHeaders(headers), body: await toOtlpJson(traces) }];
  },
  async toTestRequest({ url, method, headers }) {
    return { method, url, headers: toHeaders(headers, OF_TEST), body: NO_SPANS };
  },
  // A receiver may refuse a body without spans with 400; the address is right all the same.
  testStatuses: [400],
};
