import type { ProviderSetup, TestDraftRequest, UpdateProviderRequest } from '@model-gateway/core/wire';

import { type ProviderDraft, toSettings } from './provider-draft.ts';
import type { ProviderPreset } from './setup-queries.ts';

/** A stored provider as it is edited; its key is never there. */
export function toStoredDraft({ slug, settings }: ProviderSetup, preset: ProviderPreset | null): ProviderDraft {
  return {
    preset,
    wire: settings?.wire ?? 'openai',
    address: settings?.baseUrl ?? '',
    key: '',
    name: settings?.name ?? '',
    slug,
    region: settings?.region ?? '',
  };
}

/** What differs. An empty text removes a value, but for the key, which stays. */
export function toUpdate(draft: ProviderDraft, before: ProviderDraft): UpdateProviderRequest {
  const changed = (field: 'address' | 'name' | 'region'): boolean => draft[field].trim() !== before[field];
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  return {
    ...(draft.key.trim() !== '' && { apiKey: draft.key.trim() }),
    ...(changed('address') && { baseUrl: orNull(draft.address) }),
    ...(changed('name') && { name: orNull(draft.name) }),
    ...(changed('region') && { region: orNull(draft.region) }),
  };
}

/** The test of what is typed, with what the provider has beside it. */
export function toTestOfStored(draft: ProviderDraft, { settings }: ProviderSetup, model?: string): TestDraftRequest {
  const { query = {}, byok = false } = settings ?? {};
  return { provider: { ...toSettings(draft), query, byok }, ...(model !== undefined && { model }) };
}
