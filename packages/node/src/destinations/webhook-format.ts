import type { DestinationFormat } from '@model-gateway/core';

import { mergeHeaders } from './header-fields.ts';
import { NO_SPANS, toOtlpJson } from './to-otlp-json.ts';

/** Any HTTP receiver: OTLP in JSON to the configured address (wire.md 18.2). */
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
  // A receiver may refuse a body without spans with 400; the address is right all the same.
  testStatuses: [400],
};
