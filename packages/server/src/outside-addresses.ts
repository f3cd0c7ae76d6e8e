import type { BroadcastOptions, Transport, WebAccess, WebhookOptions } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';
import { langfuseFormat, otelCollectorFormat, s3Format, webhookFormat } from '@model-gateway/node/destinations';
import { createGuardedTransport, objectToUrl } from '@model-gateway/node/guarded';

/** Reads pages, and searches where that is configured. */
export async function openWebAccess({ webSearch, timeouts }: GatewayConfig): Promise<WebAccess> {
  const { createWebAccess } = await import('@model-gateway/node/web');
  return createWebAccess({ connectTimeoutMs: timeouts.connectMs, search: webSearch ?? undefined });
}

/** Webhooks about videos, at addresses that callers name. */
export function toWebhookOptions(config: GatewayConfig): WebhookOptions {
  const { signingSecret, previousSigningSecret, defaultCallbackUrl, allowPrivateNetwork } = config.webhooks;
  return {
    signingSecrets: [signingSecret, previousSigningSecret].filter((secret) => secret !== null),
    defaultCallbackUrl,
    transport: createOutsideTransport(config),
    objectToUrl: (url) => objectToUrl(url, { schemes: ['https'], allowPrivateNetwork }),
  };
}

/** Destinations of generations, in every format that there is. */
export function toBroadcastOptions(config: GatewayConfig): BroadcastOptions {
  const { allowPrivateNetwork } = config.webhooks;
  return {
    formats: [webhookFormat, otelCollectorFormat, langfuseFormat, s3Format],
    transport: createOutsideTransport(config),
    objectToUrl: (url) => objectToUrl(url, { schemes: ['https', 'http'], allowPrivateNetwork }),
  };
}

/** Transport for every address that callers or upstreams name. */
export function createOutsideTransport({ webhooks: { allowPrivateNetwork }, timeouts }: GatewayConfig): Transport {
  return createGuardedTransport({ allowPrivateNetwork, connectTimeoutMs: timeouts.connectMs });
}
