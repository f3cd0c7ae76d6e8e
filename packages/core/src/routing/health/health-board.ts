import type { Endpoint } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createEndpointHealth, type EndpointHealth } from './endpoint-health.ts';

/** The health of every endpoint that has been called. */
export interface HealthBoard {
  of(endpoint: Endpoint): EndpointHealth;
  /** Undefined for an endpoint that has not been called. */
  find(endpoint: Endpoint): EndpointHealth | undefined;
}

/** Identifies an endpoint across reloads of the catalog. */
export const endpointIdOf = ({ modelId, tag, providerModel }: Endpoint): string =>
  `${modelId}\n${tag}\n${providerModel}`;

/** Creates an empty board. It grows with the catalog, never with requests. */
export function createHealthBoard(platform: Pick<Platform, 'monotonicNow'>): HealthBoard {
  const byId = new Map<string, EndpointHealth>();
  // Spares every request the making of an id.
  const byEndpoint = new WeakMap<Endpoint, EndpointHealth>();
  return {
    of(endpoint) {
      let health = byEndpoint.get(endpoint);
      if (health === undefined) {
        const id = endpointIdOf(endpoint);
        health = byId.get(id) ?? createEndpointHealth(() => platform.monotonicNow());
        byId.set(id, health);
        byEndpoint.set(endpoint, health);
      }
      return health;
    },
    find: (endpoint) => byEndpoint.get(endpoint) ?? byId.get(endpointIdOf(endpoint)),
  };
}
