import type {
  ProviderHistoryList,
  ProviderSetup,
  ProviderStateList,
  ProviderTestResult,
} from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { ifPermitted } from '../../api/session.ts';

export type ProviderState = ProviderStateList['data'][number];
/** What became of the calls to a provider, before the gateway started too. */
export type ProviderPast = ProviderHistoryList['data'][number];

/** Result of the check of one layer between the gateway and a provider. */
export type ProviderFinding = ProviderTestResult['data']['findings'][number];

export const providerStatesQuery = queryOptions({
  queryKey: ['provider-states'],
  queryFn: ifPermitted(
    'listProviderStates',
    async ({ signal }) => (await callApi<ProviderStateList>('/admin/v1/providers', { signal })).data,
    [],
  ),
});

/** A provider of the list: how it stands where it is called, and how it was set up. One of both is there. */
export interface ProviderRow {
  readonly slug: string;
  readonly name: string;
  readonly host: string | null;
  readonly state?: ProviderState | undefined;
  readonly setup?: ProviderSetup | undefined;
  /** What was set up under the slug of a provider of the configuration, which counts. */
  readonly shadowed?: ProviderSetup;
  /** The figures of the last 24 hours. */
  readonly past?: ProviderPast | undefined;
}

/** Joins both by slug: those that are called in their order, then those that were set up and are left out. */
export function joinProviders(
  states: readonly ProviderState[],
  setups: readonly ProviderSetup[],
  pasts: readonly ProviderPast[] = [],
): readonly ProviderRow[] {
  const find = (slug: string, isShadowed: boolean): ProviderSetup | undefined =>
    setups.find((setup) => setup.slug === slug && (setup.status === 'shadowed') === isShadowed);
  const called = states.map((state): ProviderRow => {
    const { slug, name, host } = state;
    const [setup, shadowed] = [find(slug, false), find(slug, true)];
    const past = pasts.find((one) => one.slug === slug);
    return { slug, name, host, state, ...(setup && { setup }), ...(shadowed && { shadowed }), ...(past && { past }) };
  });
  const slugs = new Set(states.map(({ slug }) => slug));
  const others = setups.filter(({ slug }) => !slugs.has(slug));
  const left = others.map((setup): ProviderRow => {
    const past = pasts.find((one) => one.slug === setup.slug);
    return { slug: setup.slug, name: setup.name, host: toHost(setup), setup, ...(past && { past }) };
  });
  return [...called, ...left];
}

const toHost = ({ address }: ProviderSetup): string | null =>
  address === null || !URL.canParse(address) ? address : new URL(address).host;
