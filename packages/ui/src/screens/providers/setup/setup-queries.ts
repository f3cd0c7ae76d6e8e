import type {
  CreateProviderRequest,
  LocalServerList,
  ProviderPresetList,
  ProviderSetup,
  ProviderSetupList,
  TestDraftRequest,
  TestDraftResult,
  UpdateProviderRequest,
} from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';

export type ProviderPreset = ProviderPresetList['data'][number];
export type LocalServer = LocalServerList['data'][number];
export type ListedModel = NonNullable<TestDraftResult['models']>[number];

const SETUP = '/admin/v1/setup';

export const presetsQuery = queryOptions({
  queryKey: ['provider-presets'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => (await callApi<ProviderPresetList>(`${SETUP}/presets`, { signal })).data,
});

export const localServersQuery = queryOptions({
  queryKey: ['local-servers'],
  staleTime: 0,
  queryFn: async ({ signal }) => (await callApi<LocalServerList>(`${SETUP}/local-servers`, { signal })).data,
});

/** What is configured and what was set up, and whether anything can be set up here. */
export const providerSetupsQuery = queryOptions({
  queryKey: ['provider-setups'],
  queryFn: ({ signal }) => callApi<ProviderSetupList>(`${SETUP}/providers`, { signal }),
});

const toPath = (slug: string): string => `${SETUP}/providers/${encodeURIComponent(slug)}`;

/** That the provider does not respond is no error of the call. Throws `ApiError`. */
export const testDraft = async (body: TestDraftRequest): Promise<TestDraftResult> =>
  (await callApi<{ data: TestDraftResult }>(`${SETUP}/provider-tests`, { method: 'POST', body })).data;

export const createProvider = async (body: CreateProviderRequest): Promise<ProviderSetup> =>
  (await callApi<{ data: ProviderSetup }>(`${SETUP}/providers`, { method: 'POST', body })).data;

export const updateProvider = async (slug: string, body: UpdateProviderRequest): Promise<ProviderSetup> =>
  (await callApi<{ data: ProviderSetup }>(toPath(slug), { method: 'PATCH', body })).data;

export const deleteProvider = (slug: string): Promise<unknown> => callApi(toPath(slug), { method: 'DELETE' });

/** Serves a model of a provider under `<slug>/<its own name>`, and returns the id. */
export async function createModelOf(slug: string, providerModel: string): Promise<string> {
  const id = `${slug}/${providerModel}`;
  await callApi(`${SETUP}/models`, { method: 'POST', body: { id, endpoints: [{ provider: slug, providerModel }] } });
  return id;
}

export const deleteModel = (id: string): Promise<unknown> =>
  callApi(`${SETUP}/models/${id.split('/').map(encodeURIComponent).join('/')}`, { method: 'DELETE' });
