import type { Catalog } from '../../catalog/catalog.ts';
import type { CircuitState } from './circuit.ts';
import type { HealthBoard } from './health-board.ts';

/** Number of a provider's endpoints in each state; those without any call are `unused`. */
export type CircuitStateCounts = Record<CircuitState | 'unused', number>;

/** Counts the endpoints of the catalog by provider slug and circuit state. */
export function countCircuitStates(
  catalog: Pick<Catalog, 'list'>,
  health: Pick<HealthBoard, 'find'>,
): ReadonlyMap<string, CircuitStateCounts> {
  const bySlug = new Map<string, CircuitStateCounts>();
  for (const { endpoints } of catalog.list()) {
    for (const endpoint of endpoints) {
      const { slug } = endpoint.provider;
      let counts = bySlug.get(slug);
      if (counts === undefined) bySlug.set(slug, (counts = createCounts()));
      counts[health.find(endpoint)?.circuitState() ?? 'unused'] += 1;
    }
  }
  return bySlug;
}

export const createCounts = (): CircuitStateCounts => ({
  steady: 0,
  unstable: 0,
  resting: 0,
  'half-open': 0,
  open: 0,
  unused: 0,
});
