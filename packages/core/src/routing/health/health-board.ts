import type { Catalog, Endpoint } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createEndpointHealth, type EndpointHealth, type Standing } from './endpoint-health.ts';

/** The health of every endpoint that has been called. */
export interface HealthBoard {
  of(endpoint: Endpoint): EndpointHealth;
  /** Undefined for an endpoint that has not been called. */
  find(endpoint: Endpoint): EndpointHealth | undefined;
  /** The health of an endpoint that another process names; undefined when there are too many. */
  named(id: string): EndpointHealth | undefined;
  entries(): Iterable<readonly [id: string, health: EndpointHealth]>;
  /** Begins anew with the endpoints of a provider in the next catalog: what became of earlier calls says nothing of them. */
  forget(provider: string): void;
}

/** Identifies an endpoint across reloads of the catalog. */
export const endpointIdOf = ({ modelId, tag, providerModel }: Endpoint): string =>
  `${modelId}\n${tag}\n${providerModel}`;

/** Hears of the circuits that open and close by calls of this process. */
export interface BoardListener {
  onOpened(id: string, forMs: number): void;
  onClosed(id: string): void;
}

/** Endpoints that other processes may add: far more than there are, as each takes memory. */
const MAX_NAMED = 5000;

/** Creates an empty board. It grows with the catalog, never with requests. */
export function createHealthBoard(platform: Pick<Platform, 'monotonicNow'>, listener?: BoardListener): HealthBoard {
  const byId = new Map<string, EndpointHealth>();
  // Spares every request the making of an id.
  const byEndpoint = new WeakMap<Endpoint, EndpointHealth>();
  const create = (id: string): EndpointHealth => {
    const health = createEndpointHealth(
      () => platform.monotonicNow(),
      listener && {
        onOpened: (forMs) => listener.onOpened(id, forMs),
        onClosed: () => listener.onClosed(id),
      },
    );
    byId.set(id, health);
    return health;
  };
  return {
    of(endpoint) {
      let health = byEndpoint.get(endpoint);
      if (health === undefined) {
        const id = endpointIdOf(endpoint);
        health = byId.get(id) ?? create(id);
        byEndpoint.set(endpoint, health);
      }
      return health;
    },
    forget(provider) {
      for (const id of byId.keys()) {
        const [, tag = ''] = id.split('\n');
        if (tag === provider || tag.startsWith(`${provider}/`)) byId.delete(id);
      }
    },
    find: (endpoint) => byEndpoint.get(endpoint) ?? byId.get(endpointIdOf(endpoint)),
    named: (id) => byId.get(id) ?? (byId.size < MAX_NAMED ? create(id) : undefined),
    entries: () => byId,
  };
}

/** Number of a provider's endpoints by standing; those without any call are `unused`. */
export type StandingCounts = Record<Standing | 'unused', number>;

/** Counts the endpoints of the catalog by provider slug and standing. */
export function countStandings(
  catalog: Pick<Catalog, 'list'>,
  health: Pick<HealthBoard, 'find'>,
): ReadonlyMap<string, StandingCounts> {
  const bySlug = new Map<string, StandingCounts>();
  for (const { endpoints } of catalog.list()) {
    for (const endpoint of endpoints) {
      const { slug } = endpoint.provider;
      let counts = bySlug.get(slug);
      if (counts === undefined) bySlug.set(slug, (counts = createCounts()));
      const known = health.find(endpoint);
      counts[known?.hasResults() === true ? known.standing() : 'unused'] += 1;
    }
  }
  return bySlug;
}

export const createCounts = (): StandingCounts => ({
  steady: 0,
  unstable: 0,
  resting: 0,
  failing: 0,
  'half-open': 0,
  open: 0,
  unused: 0,
});
