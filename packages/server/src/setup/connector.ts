import type { Provider } from '@model-gateway/core';
import type { ProviderConfig } from '@model-gateway/node';

/** Makes the providers of a composition, over its transports, and knows what each was made of. */
export interface Connector {
  connect(config: ProviderConfig): Promise<Provider>;
  /** What a provider was made of; undefined for one that others have made. */
  configOf(provider: Provider): ProviderConfig | undefined;
}

/** Creates the connector of a function that makes providers. */
export function createConnector(create: (config: ProviderConfig) => Promise<Provider>): Connector {
  const configs = new WeakMap<Provider, ProviderConfig>();
  return {
    async connect(config) {
      const provider = await create(config);
      configs.set(provider, config);
      return provider;
    },
    configOf: (provider) => configs.get(provider),
  };
}
