import type { ModelDefinition, Provider, Transport } from '@model-gateway/core';
import { createProvider } from '@model-gateway/core/providers/create-provider';
import type { GatewayConfig } from '@model-gateway/node';

import type { FixtureUse } from './fixture-use.ts';
import { createLazyTransport } from './lazy-transport.ts';
import { createOutsideTransport } from './outside-addresses.ts';
import { type Connector, createConnector } from './setup/connector.ts';

/** Anything with open connections or files, which `close` releases. */
export interface Closable {
  close(): Promise<void>;
}

export type LoadTransport = () => Promise<Transport & Closable>;

/** Whom a gateway calls. */
export interface Sources {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
  readonly connector: Connector;
  /** Loads what the first call needs but listening does not. */
  readonly preload: () => void;
  readonly closeAfterwards: readonly Closable[];
}

/** Creates the providers of a configuration. The caller closes what is to be closed. */
export async function connectProviders(
  config: GatewayConfig,
  {
    recordUpstream,
    loadTransport,
  }: Pick<FixtureUse, 'recordUpstream'> & { readonly loadTransport?: LoadTransport | undefined } = {},
): Promise<Sources> {
  const { providers, models, timeouts } = config;
  const loadUndici: LoadTransport = async () => {
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    return createUndiciTransport({ connectTimeoutMs: timeouts.connectMs });
  };
  const transport = createLazyTransport(loadTransport ?? loadUndici);
  const outside = createOutsideTransport(config);
  const connector = createConnector((provider) => {
    if (recordUpstream === undefined) return createProvider({ ...provider, transport, downloads: outside });
    return createProvider({
      ...provider,
      transport: recordUpstream(provider, transport),
      downloads: recordUpstream(provider, outside),
    });
  });
  const created = await Promise.all(providers.map(connector.connect));
  return { providers: created, models, connector, preload: () => transport.preload(), closeAfterwards: [transport] };
}
