import type { ProviderStateList, ProviderTestResult } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import type { Tone } from '../../parts/badge.tsx';

export type ProviderState = ProviderStateList['data'][number];

export type CircuitState = keyof ProviderState['health']['endpoints'];

/** Result of the check of one layer between the gateway and a provider. */
export type ProviderFinding = ProviderTestResult['data']['findings'][number];

export const providerStatesQuery = queryOptions({
  queryKey: ['provider-states'],
  queryFn: async ({ signal }) => (await callApi<ProviderStateList>('/admin/v1/providers', { signal })).data,
});

export const HEALTH_TONES: Readonly<Record<string, Tone>> = { ok: 'good', degraded: 'caution', down: 'bad' };

/** The circuit states of endpoints, in the order in which they are shown. */
export const CIRCUIT_STATES: readonly {
  readonly name: CircuitState;
  readonly label: string;
  readonly meaning: string;
}[] = [
  { name: 'steady', label: 'Steady', meaning: 'answer as they should' },
  { name: 'unstable', label: 'Unstable', meaning: 'fail now and then, and are asked after the others' },
  { name: 'resting', label: 'Resting', meaning: 'asked to be left alone for a while' },
  { name: 'half_open', label: 'On trial', meaning: 'get single calls after a series of failures' },
  { name: 'open', label: 'Shut off', meaning: 'failed again and again; no calls are sent there for now' },
  { name: 'unused', label: 'Not called yet', meaning: 'nothing is known of them' },
];

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
