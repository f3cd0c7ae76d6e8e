import { secretsOfQuery } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

/** Every secret of a configuration, for the log to leave out. */
export function listSecrets({ auth, metrics, providers, webhooks, webSearch, store, shared }: GatewayConfig): string[] {
  return [
    ...auth.bootstrapKeys.map(({ key }) => key),
    ...providers.flatMap(({ apiKey, headers, query }) => [
      apiKey ?? '',
      ...Object.values(headers),
      ...secretsOfQuery(query),
    ]),
    webhooks.signingSecret ?? '',
    webhooks.previousSigningSecret ?? '',
    webSearch?.apiKey ?? '',
    metrics.token ?? '',
    ...(store.type === 'postgres' ? secretsOfAddress(store.url) : []),
    ...(shared.type === 'redis' ? secretsOfAddress(shared.url) : []),
  ];
}

/** The address of an engine, and its password as it stands there and as it is meant. */
function secretsOfAddress(url: string): string[] {
  const written = /^\w+:\/\/[^/?#]*:([^/]*)@/.exec(url)?.[1] ?? '';
  return [url, written, decode(written)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
