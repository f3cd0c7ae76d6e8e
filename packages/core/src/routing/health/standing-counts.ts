import type { Catalog } from '../../catalog/catalog.ts';
import type { Standing } from './endpoint-health.ts';
import type { HealthBoard } from './health-board.ts';

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
