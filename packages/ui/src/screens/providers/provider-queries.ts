import type { ProviderStateList, ProviderTestResult } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';

export type ProviderState = ProviderStateList['data'][number];

/** Result of the check of one layer between the gateway and a provider. */
export type ProviderFinding = ProviderTestResult['data']['findings'][number];

export const providerStatesQuery = queryOptions({
  queryKey: ['provider-states'],
  queryFn: async ({ signal }) => (await callApi<ProviderStateList>('/admin/v1/providers', { signal })).data,
});

export function filterProviders(
  providers: readonly ProviderState[],
  { q, status }: { readonly q?: string; readonly status?: string },
): readonly ProviderState[] {
  const wanted = q?.toLowerCase();
  return providers.filter(
    ({ slug, name, host, health }) =>
      (status === undefined || health.status === status) &&
      (wanted === undefined || [slug, name, host ?? ''].some((text) => text.toLowerCase().includes(wanted))),
  );
}
