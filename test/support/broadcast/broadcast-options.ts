import type { BroadcastOptions } from '@model-gateway/core';
import {
  clickhouseFormat,
  datadogFormat,
  langfuseFormat,
  OTLP_SERVICE_FORMATS,
  otelCollectorFormat,
  posthogFormat,
  s3Format,
  snowflakeFormat,
  webhookFormat,
} from '@model-gateway/node/destinations';
import { createGuardedTransport, findUrlProblem } from '@model-gateway/node/guarded';

/** Broadcasting as the server composes it, loopback included. */
export function createBroadcastOptions(allowPrivateNetwork = true): BroadcastOptions {
  return {
    formats: [
      webhookFormat,
      otelCollectorFormat,
      langfuseFormat,
      s3Format,
      ...OTLP_SERVICE_FORMATS,
      datadogFormat,
      posthogFormat,
      clickhouseFormat,
      snowflakeFormat,
    ],
    transport: createGuardedTransport({ allowPrivateNetwork }),
    findUrlProblem: (url) => findUrlProblem(url, { schemes: ['https', 'http'], allowPrivateNetwork }),
  };
}
