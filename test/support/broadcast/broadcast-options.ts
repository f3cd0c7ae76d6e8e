import type { BroadcastOptions } from '@model-gateway/core';
import { langfuseFormat, otelCollectorFormat, s3Format, webhookFormat } from '@model-gateway/node/destinations';
import { createGuardedTransport, findUrlProblem } from '@model-gateway/node/guarded';

/** Broadcasting as the server composes it, loopback included. */
export function createBroadcastOptions(allowPrivateNetwork = true): BroadcastOptions {
  return {
    formats: [webhookFormat, otelCollectorFormat, langfuseFormat, s3Format],
    transport: createGuardedTransport({ allowPrivateNetwork }),
    findUrlProblem: (url) => findUrlProblem(url, { schemes: ['https', 'http'], allowPrivateNetwork }),
  };
}
