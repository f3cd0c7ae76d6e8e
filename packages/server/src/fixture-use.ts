import type { FixtureLibrary, Gateway, ModelDefinition, Provider, Transport } from '@model-gateway/core';
import type { ProviderConfig } from '@model-gateway/node';

/** Directory for recordings of upstreams' or the gateway's responses. */
export interface RecordOptions {
  readonly dir: string;
  readonly mode: 'record-all' | 'record-missing';
  readonly at: 'upstream' | 'edge';
}

/** How a gateway uses fixtures: for responses, for recording, or not at all. */
export interface FixtureUse {
  readonly library: FixtureLibrary;
  /** Providers that replace the configured ones. Undefined when the configured ones are called. */
  readonly replay?: { readonly providers: readonly Provider[]; readonly models: readonly ModelDefinition[] };
  /** Wraps the transport of a provider with a recorder. */
  readonly recordUpstream?: ((provider: ProviderConfig, upstream: Transport) => Transport) | undefined;
  readonly wrap: (gateway: Gateway) => Gateway;
}
