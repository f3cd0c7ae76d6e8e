import type { BoundModels } from '../../catalog/bound-models.ts';
import { operation } from '../../http/operation.ts';
import { countStandings, createCounts, type StandingCounts } from '../../routing/health/health-board.ts';
import { providerStateListSchema } from '../../wire/providers.ts';
import type { ProviderParts } from './provider-parts.ts';

/** `GET /admin/v1/providers`: the address of each provider, its number of models, and the health of its endpoints. */
export const listProviderStates = operation<ProviderParts>()({
  response: providerStateListSchema,
  run({ parts }) {
    const { hostProviders, providerChecks, catalog, health, discovered } = parts;
    const standings = countStandings(catalog, health);
    const data = hostProviders.map((provider) => {
      const known = providerChecks?.describe(provider);
      const counts = standings.get(provider.slug) ?? createCounts();
      const { 'half-open': halfOpen, ...others } = counts;
      return {
        slug: provider.slug,
        name: provider.name,
        host: known?.host ?? null,
        has_key: known?.hasKey ?? null,
        byok: provider.byok ?? false,
        discovers_models: provider.discoverModels ?? false,
        models: Object.values(counts).reduce((sum, count) => sum + count, 0),
        models_left_out: toLeftOut(discovered.get(provider.slug)),
        health: { status: toStatus(counts), endpoints: { ...others, half_open: halfOpen } },
        can_test: known !== undefined,
      };
    });
    return { data };
  },
});

function toLeftOut(list: BoundModels | undefined) {
  if (list === undefined || list.leftOut === null) return null;
  const { surplus, longNames, unfitNames } = list.leftOut;
  return { surplus, long_names: longNames, unfit_names: unfitNames };
}

function toStatus({ unused: _, ...used }: StandingCounts): 'unknown' | 'ok' | 'degraded' | 'down' {
  const total = Object.values(used).reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'unknown';
  if (used.steady === total) return 'ok';
  return used.open + used['half-open'] + used.failing === total ? 'down' : 'degraded';
}
