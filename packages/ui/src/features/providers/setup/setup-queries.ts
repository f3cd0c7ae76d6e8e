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
import { ifPermitted } from '../../../api/session.ts';
import { createModel } from '../../models/model-setup-queries.ts';

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
  queryFn: ifPermitted(
    'listProviderSetups',
    ({ signal }) => callApi<ProviderSetupList>(`${SETUP}/providers`, { signal }),
    { data: [], editable: false },
  ),
});

const toPath = (slug: string): string => `${SETUP}/providers/${encodeURIComponent(slug)}`;

/** Tests a provider as it is typed. */
export const DRAFT_TESTS = `${SETUP}/provider-tests`;

/** A provider that does not respond is no error of the call. Throws `ApiError`. */
const testDraft = async (body: TestDraftRequest): Promise<TestDraftResult> =>
  (await callApi<{ data: TestDraftResult }>(DRAFT_TESTS, { method: 'POST', body })).data;

export const createProvider = async (body: CreateProviderRequest): Promise<ProviderSetup> =>
  (await callApi<{ data: ProviderSetup }>(`${SETUP}/providers`, { method: 'POST', body })).data;

export const updateProvider = async (slug: string, body: UpdateProviderRequest): Promise<ProviderSetup> =>
  (await callApi<{ data: ProviderSetup }>(toPath(slug), { method: 'PATCH', body })).data;

export const deleteProvider = (slug: string): Promise<unknown> => callApi(toPath(slug), { method: 'DELETE' });

/** The names that a provider has for its models, as it lists them; none where it does not. */
export const providerModelsQuery = (provider: ProviderSetup | undefined) =>
  queryOptions({
    queryKey: ['provider-models', provider?.slug, provider?.updated_at],
    staleTime: 60_000,
    async queryFn(): Promise<readonly string[]> {
      const settings = provider?.settings;
      if (provider === undefined || settings === null || settings === undefined) return [];
      const { models } = await testDraft({ provider: { ...settings, slug: provider.slug } });
      return (models ?? []).map(({ id }) => id);
    },
  });

/** Serves a model of a provider under `<slug>/<its own name>`, as what the list says it is, and returns the id. */
export async function createModelOf(slug: string, providerModel: string, listed?: ListedModel): Promise<string> {
  const id = `${slug}/${providerModel}`;
  const { input_modalities: inputs, output_modalities: outputs } = listed ?? {};
  await createModel({
    id,
    ...(outputs && { architecture: { output_modalities: outputs, ...(inputs && { input_modalities: inputs }) } }),
    endpoints: [{ provider: slug, providerModel }],
  });
  return id;
}
