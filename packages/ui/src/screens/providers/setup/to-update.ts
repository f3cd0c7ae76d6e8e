import type { ProviderSetup, UpdateProviderRequest } from '@model-gateway/core/wire';

import {
  isOfPackage,
  type PairDraft,
  type ProviderDraft,
  toKeys,
  toPairs,
  toPercent,
  toShare,
} from '../../../features/providers/setup/provider-draft.ts';
import type { ProviderPreset } from '../../../features/providers/setup/setup-queries.ts';

/** A stored provider as it is edited; its key is never there. */
export function toStoredDraft(
  { slug, settings, header_names: headerNames }: ProviderSetup,
  preset: ProviderPreset | null,
): ProviderDraft {
  const ofPackage = settings?.package !== undefined;
  const pairs = Object.entries((ofPackage ? settings.options : settings?.query) ?? {});
  return {
    preset,
    wire: ofPackage ? 'package' : (settings?.wire ?? 'openai'),
    packageName: settings?.package ?? '',
    address: settings?.baseUrl ?? '',
    key: '',
    keys: (settings?.apiKeys ?? []).map(({ name, key: shown, disabled = false, ...numbers }, id) => ({
      id,
      // As the gateway names a key without a name of its own.
      name: name ?? `key-${id + 1}`,
      key: '',
      shown,
      isOff: disabled,
      numbers,
    })),
    name: settings?.name ?? '',
    slug,
    region: settings?.region ?? '',
    headers: headerNames.map((name, key) => ({ key, name, value: '', isSaved: true })),
    query: pairs.map(([name, value], key) => ({ key, name, value: String(value) })),
    byok: settings?.byok ?? false,
    dataPolicy: settings?.dataPolicy ?? null,
    responses: settings?.responses ?? null,
    batches: settings?.batches ?? null,
    batchPrice: toPercent(settings?.batchPriceShare),
    removesKey: false,
  };
}

/** What differs. An empty text removes a value, but for the key, which stays. */
export function toUpdate(draft: ProviderDraft, before: ProviderDraft): UpdateProviderRequest {
  const changed = (field: 'address' | 'name' | 'region' | 'packageName'): boolean =>
    draft[field].trim() !== before[field];
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const [query, headers] = [toPairs(draft.query), toHeaderChanges(draft.headers, before.headers)];
  return {
    ...(draft.key.trim() !== '' ? { apiKey: draft.key.trim() } : draft.removesKey && { apiKey: null }),
    ...(!areSame(toKeys(draft.keys), toKeys(before.keys)) && { apiKeys: toKeys(draft.keys) }),
    ...(changed('address') && { baseUrl: orNull(draft.address) }),
    ...(changed('name') && { name: orNull(draft.name) }),
    ...(changed('region') && { region: orNull(draft.region) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(changed('packageName') && { package: orNull(draft.packageName) }),
    ...(!areSame(query, toPairs(before.query)) && (isOfPackage(draft) ? { options: query } : { query })),
    ...(draft.byok !== before.byok && { byok: draft.byok }),
    ...(draft.responses !== before.responses && { responses: draft.responses }),
    ...(draft.batches !== before.batches && { batches: draft.batches }),
    ...(draft.batchPrice.trim() !== before.batchPrice && { batchPriceShare: toShare(draft.batchPrice) }),
    ...(!areSame(draft.dataPolicy, before.dataPolicy) && { dataPolicy: draft.dataPolicy }),
  };
}

const areSame = (one: object | null, other: object | null): boolean => JSON.stringify(one) === JSON.stringify(other);

/** New values by name; null for a saved header that is there no more. */
function toHeaderChanges(
  draft: readonly PairDraft[],
  before: readonly PairDraft[],
): Readonly<Record<string, string | null>> {
  const left = new Set(draft.map(({ name }) => name.trim()));
  const gone = before.filter(({ name }) => !left.has(name)).map(({ name }) => [name, null] as const);
  return { ...Object.fromEntries(gone), ...toPairs(draft) };
}

/** What a test of the connection looks at: a change of it is tested before it is saved. */
const CONNECTION = [
  'apiKey',
  'apiKeys',
  'package',
  'options',
  'baseUrl',
  'headers',
  'query',
] as const satisfies readonly (keyof UpdateProviderRequest)[];

export const changesConnection = (update: UpdateProviderRequest): boolean =>
  CONNECTION.some((field) => field in update) && update.apiKey !== null;
