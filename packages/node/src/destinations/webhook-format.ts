import type { DestinationFormat } from '@model-gateway/core';

import { mergeHeaders } from './header-fields.ts';
import { NO_SPANS, toOtlpJson } from './to-otlp-json.ts';

/** Any receiver of HTTP: OTLP in JSON to the address that is configured (wire.md 18.2). */
export const webhookFormat: DestinationFormat<'webhook'> = {
  type: 'webhook',
  async toRequests(traces, { url, method, headers }) {
    const own = { 'content-type': 'application/json' };
    return [{ method, url, headers: mergeHeaders(own, headers), body: await toOtlpJson(traces) }];
  },
  async toTestRequest({ url, method, headers }) {
    const own = { 'content-type': 'application/json', 'x-test-connection': 'true' };
    return { method, url, headers: mergeHeaders(own, headers), body: NO_SPANS };
  },
  // A receiver that wants spans refuses what has none, and is there all the same.
  testStatuses: [400],
};
