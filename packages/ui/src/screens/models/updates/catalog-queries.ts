import type { AppliedChanges, CatalogComparison, CatalogState, ConfiguredModel } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { deleteModel, replaceModel } from '../../../features/models/model-setup-queries.ts';
import { formatCount } from '../../../format/quantity.ts';
import { toPricePerMillion } from '../setup/price-units.ts';

const PATH = '/admin/v1/setup/catalog';

export type CatalogChange = CatalogComparison['changes'][number];

/** What the comparison on the schedule has found. */
export const catalogStateQuery = queryOptions({
  queryKey: ['catalog-state'],
  queryFn: async ({ signal }) => (await callApi<{ data: CatalogState }>(PATH, { signal })).data,
  refetchInterval: refreshEvery(10 * 60_000),
});

/** Compares with the list of one provider, or of all of them, now. */
export const catalogComparisonQuery = (provider?: string) =>
  queryOptions({
    queryKey: ['catalog-comparison', provider],
    queryFn: async ({ signal }) => {
      const body = provider === undefined ? {} : { provider };
      return (await callApi<{ data: CatalogComparison }>(`${PATH}/comparisons`, { method: 'POST', body, signal })).data;
    },
    // Lists of providers are read for it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

export async function applyChanges(chosen: readonly CatalogChange[]): Promise<AppliedChanges> {
  const changes = chosen.map(({ blocked: _, ...change }) => change);
  return (await callApi<{ data: AppliedChanges }>(`${PATH}/changes`, { method: 'POST', body: { changes } })).data;
}

/** Stores of each model what was stored before. */
export async function takeBack({ models }: AppliedChanges): Promise<void> {
  for (const { id, before } of models) {
    await (before === null ? deleteModel(id) : replaceModel(before as unknown as ConfiguredModel));
  }
}

/** Identifies a change within a comparison. */
export const keyOf = ({ model, provider, tag, field }: CatalogChange): string =>
  [model, provider, tag ?? '', field].join('\n');

/** Identifies a change with what it states: another value is another one. */
export const statementOf = (change: CatalogChange): string =>
  `${keyOf(change)}\n${JSON.stringify([change.from, change.to])}`;

/** A fact as it is shown: prices of tokens by the million, what is not known as a dash. */
export function formatFact(field: string, value: CatalogChange['from']): string {
  if (value === null) return '—';
  if (typeof value === 'number') return formatCount(value);
  if (typeof value !== 'string') return value.every((item) => typeof item === 'string') ? value.join(', ') : '…';
  const perMillion = field.startsWith('pricing.') && Number(value) < 0.001 ? toPricePerMillion(value) : null;
  return perMillion === null ? `$${value}` : `$${perMillion}/M`;
}
