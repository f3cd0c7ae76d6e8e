import type { CreateProviderRequest, UpdateProviderRequest } from '@model-gateway/core/wire';

import type { LocalServer, ProviderPreset } from './setup-queries.ts';

/** A format of its API, or that a package of the AI SDK calls it. */
type Wire = NonNullable<CreateProviderRequest['wire']> | 'package';

/** A name with its value, as both are typed. */
export interface PairDraft {
  /** Tells rows apart while they are edited. */
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** Whether a value of this name is saved, which is not shown: an empty one leaves it as it is. */
  readonly isSaved?: boolean;
}

/** One of several keys as it is typed. */
export interface KeyDraft {
  /** Tells rows apart while they are edited. */
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** The end of the saved key of this name, which stays while the key is empty; empty for a new one. */
  readonly shown: string;
  /** No new calls are sent with it. */
  readonly isOff: boolean;
  readonly numbers: {
    readonly [Name in 'weight' | 'requestsPerMinute' | 'tokensPerMinute' | 'callsUnderWay']?: number | undefined;
  };
}

/** What is said of data beside what is known of the preset. */
export type DataPolicyDraft = NonNullable<CreateProviderRequest['dataPolicy']>;

/** A provider as it is typed: empty is what is not given. */
export interface ProviderDraft {
  /** Null for a server that is no well-known provider. */
  readonly preset: ProviderPreset | null;
  readonly wire: Wire;
  /** The name of the package, where one calls it. */
  readonly packageName: string;
  readonly address: string;
  readonly key: string;
  /** Keys that calls are shared among. */
  readonly keys: readonly KeyDraft[];
  readonly name: string;
  readonly slug: string;
  readonly region: string;
  readonly headers: readonly PairDraft[];
  /** Parameters of the address; of a package, its options. */
  readonly query: readonly PairDraft[];
  readonly byok: boolean;
  /** Null: as is known of the preset. */
  readonly dataPolicy: DataPolicyDraft | null;
  /** Whether it has the Responses API; null: as is known of the preset, and not without one. */
  readonly responses: boolean | null;
  /** Whether lines of batches go to its own batch API; null: where it is known to have one. */
  readonly batches: boolean | null;
  /** What a call costs there, in percent of its price. */
  readonly batchPrice: string;
  /** Whether the saved key goes. */
  readonly removesKey: boolean;
}

const EMPTY = {
  wire: 'openai',
  packageName: '',
  address: '',
  key: '',
  keys: [],
  name: '',
  region: '',
  headers: [],
  query: [],
  byok: false,
  dataPolicy: null,
  responses: null,
  batches: null,
  batchPrice: '',
  removesKey: false,
} as const;

/** A draft with a slug that no provider has yet. */
export function startDraft(
  preset: ProviderPreset | null,
  server: LocalServer | undefined,
  taken: ReadonlySet<string>,
): ProviderDraft {
  const slug = toFreeSlug(preset?.slug ?? 'my-provider', taken);
  return { ...EMPTY, preset, address: server?.base_url ?? '', slug };
}

export function toFreeSlug(wanted: string, taken: ReadonlySet<string>): string {
  let slug = wanted;
  for (let count = 2; taken.has(slug); count += 1) slug = `${wanted}-${count}`;
  return slug;
}

/** Whether a package of the AI SDK calls the provider. */
export const isOfPackage = ({ preset, wire }: Pick<ProviderDraft, 'preset' | 'wire'>): boolean =>
  preset === null && wire === 'package';

/** Whether the address is asked for at once, or only by those who look for it. */
export const asksForAddress = (draft: ProviderDraft): boolean =>
  needsAddress(draft) || draft.preset?.needs_key === false;

export const needsAddress = (draft: ProviderDraft): boolean =>
  draft.preset === null ? !isOfPackage(draft) : draft.preset.base_url === null;

export const listsModels = ({ preset, wire }: ProviderDraft): boolean =>
  preset?.lists_models ?? (wire.startsWith('openai') || wire === 'anthropic' || wire === 'google');

/** Whether the settings of OpenAI's chat completions alone apply. */
export const speaksChatCompletions = ({ preset, wire }: ProviderDraft): boolean => (preset?.wire ?? wire) === 'openai';

/** Whether it may have a batch API of its own, in one of the forms that the gateway knows. */
export const mayHaveBatches = ({ preset, wire }: ProviderDraft): boolean =>
  ['openai', 'openai-responses', 'anthropic', 'google'].includes(preset?.wire ?? wire);

/** A share as it is typed, in percent; empty for none. */
export const toPercent = (share: number | undefined): string =>
  share === undefined ? '' : String(Math.round(share * 1000) / 10);

/** The share of a typed percentage, to a thousandth; null where nothing is typed. */
export const toShare = (percent: string): number | null =>
  percent.trim() === '' ? null : Math.round(Number(percent) * 10) / 1000;

/** The provider as the gateway takes it. An address that is the preset's own need not be said. */
export function toSettings(draft: ProviderDraft): Omit<CreateProviderRequest, 'discoverModels'> {
  const { preset, wire, address, key, name, slug, region, byok, dataPolicy, responses, removesKey, batches } = draft;
  const batchPriceShare = toShare(draft.batchPrice);
  const baseUrl = address.trim();
  const [headers, query] = [toPairs(draft.headers), toPairs(draft.query)];
  const ofPackage = isOfPackage(draft);
  return {
    slug: slug.trim(),
    ...(preset !== null
      ? { preset: preset.id }
      : wire === 'package'
        ? { package: draft.packageName.trim() }
        : { wire }),
    ...(baseUrl !== '' && baseUrl !== preset?.base_url && { baseUrl }),
    ...(key.trim() !== '' ? { apiKey: key.trim() } : removesKey && { apiKey: null }),
    ...(draft.keys.length > 0 && { apiKeys: toKeys(draft.keys) }),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(region.trim() !== '' && { region: region.trim() }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(query).length > 0 && (ofPackage ? { options: query } : { query })),
    ...(byok && { byok }),
    ...(dataPolicy !== null && { dataPolicy }),
    ...(responses !== null && speaksChatCompletions(draft) && { responses }),
    ...(batches !== null && mayHaveBatches(draft) && { batches }),
    ...(batchPriceShare !== null && mayHaveBatches(draft) && { batchPriceShare }),
  };
}

/** The keys as the gateway takes them: with an empty one, the saved key of the name stays. */
export const toKeys = (keys: readonly KeyDraft[]): NonNullable<UpdateProviderRequest['apiKeys']> =>
  keys.map(({ name, key, numbers, isOff }) => ({
    name: name.trim(),
    key: key.trim(),
    ...numbers,
    ...(isOff && { disabled: true }),
  }));

/** The pairs that have a name; of those that are saved, the ones that get another value. */
export const toPairs = (pairs: readonly PairDraft[]): Record<string, string> =>
  Object.fromEntries(
    pairs
      .filter(({ name, value, isSaved }) => name.trim() !== '' && (isSaved !== true || value !== ''))
      .map(({ name, value }) => [name.trim(), value.trim()]),
  );
