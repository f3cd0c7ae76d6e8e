import type { DestinationFormat } from '@model-gateway/core';

import { toOtlpLogs } from './otlp-logs.ts';
import { toOtlpMetrics } from './otlp-metrics.ts';
import { NO_SPANS, OF_TEST, toHeaders, toOtlpJson } from './otlp.ts';

/** A collector of OpenTelemetry: OTLP over HTTP in JSON. An address without a path gets the protocol's default path. */
export const otelCollectorFormat: DestinationFormat<'otel-collector'> = {
  type: 'otel-collector',
  async toRequests(traces, { endpoint, headers }) {
    const url = toSignalUrl(endpoint, 'traces');
    return [{ method: 'POST', url, headers: toHeaders(headers), body: await toOtlpJson(traces) }];
  },
  async toAuditRequests(records, { endpoint, headers }) {
    const url = toSignalUrl(endpoint, 'logs');
    return [{ method: 'POST', url, headers: toHeaders(headers), body: toOtlpLogs(records) }];
  },
  toMetricsRequest(report, { endpoint, headers }) {
    const url = toSignalUrl(endpoint, 'metrics');
    return { method: 'POST', url, headers: toHeaders(headers), body: toOtlpMetrics(report) };
  },
  async toTestRequest({ endpoint, headers }) {
    return {
      method: 'POST',
      url: toSignalUrl(endpoint, 'traces'),
      headers: toHeaders(headers, OF_TEST),
      body: NO_SPANS,
    };
  },
  testStatuses: [400],
  readResponse: readPartialSuccess,
};

/** The address of a kind of telemetry. One with a path of its own gets all kinds, unless that is the protocol's for traces. */
function toSignalUrl(endpoint: string, signal: 'traces' | 'logs' | 'metrics'): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = `/v1/${signal}`;
  else url.pathname = url.pathname.replace(/\/v1\/traces\/?$/, `/v1/${signal}`);
  return url.href;
}

/** A response of 200 may name what was refused, which must not be sent again. */
function readPartialSuccess(body: string): ReturnType<NonNullable<DestinationFormat['readResponse']>> {
  const rejected = Number(/"rejected(?:Spans|LogRecords|DataPoints)"\s*:\s*"?(\d+)/.exec(body)?.[1] ?? 0);
  if (rejected === 0) return undefined;
  const what = body.includes('"rejectedSpans"') ? 'spans' : body.includes('Points"') ? 'data points' : 'records';
  return { result: `HTTP 200, ${rejected} ${what} rejected`, isFinal: true };
}

/** Any HTTP receiver: OTLP in JSON to the configured address (wire.md 18.2). */
export const webhookFormat: DestinationFormat<'webhook'> = {
  type: 'webhook',
  async toRequests(traces, { url, method, headers }) {
    return [{ method, url, headers: toHeaders(headers), body: await toOtlpJson(traces) }];
  },
  async toAuditRequests(records, { url, method, headers }) {
    return [{ method, url, headers: toHeaders(headers), body: toOtlpLogs(records) }];
  },
  toMetricsRequest(report, { url, method, headers }) {
    return { method, url, headers: toHeaders(headers), body: toOtlpMetrics(report) };
  },
  async toTestRequest({ url, method, headers }) {
    return { method, url, headers: toHeaders(headers, OF_TEST), body: NO_SPANS };
  },
  // A receiver may refuse a body without spans with 400; the address is right all the same.
  testStatuses: [400],
};
