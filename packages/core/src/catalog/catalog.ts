import type { Preset } from '../providers/provider-preset.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type {
  EndpointDefinition,
  EndpointPricing,
  ModelDefinition,
  PrefillForm,
  PriceUnit,
} from '../wire/model-definition.ts';
import type { ProviderPreferences } from '../wire/routing.ts';
import { createDiscovery } from './discovered-models.ts';
import { findDocumentReaders } from './document-readers.ts';
import { parsePrices, type Prices, pricesFor } from './prices.ts';

/** One of several keys of a provider. */
export type ProviderKey = NonNullable<Endpoint['provider']['keys']>[number];

/**
 * One model at one provider. `keyName`: the provider's key that serves it, where one has been chosen. `ownKeyId`: the
 * stored key of the caller that it is called with; `feeMillionths`: the share of the provider's bill that such a call
 * costs the account, absent for none.
 */
export interface Endpoint {
  readonly modelId: string;
  readonly provider: Provider;
  readonly keyName?: string | undefined;
  readonly ownKeyId?: string | undefined;
  readonly feeMillionths?: number | undefined;
  readonly providerModel: string;
  /** The provider's slug, with its tier or variant where it has one: `deepinfra/turbo`. */
  readonly tag: string;
  readonly pricing: EndpointPricing | undefined;
  readonly prices: Prices;
  readonly contextLength: number | null;
  readonly maxCompletionTokens: number | null;
  readonly maxPromptTokens: number | null;
  /** The least `max_tokens` it accepts. */
  readonly minOutputTokens: number | null;
  /** Null when not known. */
  readonly supportedParameters: ReadonlySet<string> | null;
  readonly quantization: string | null;
  readonly region: string | null;
  readonly supportsImplicitCaching: boolean;
  /** How it is asked to continue a completion; null where it cannot, or that is not known. */
  readonly prefill: PrefillForm | null;
}

export interface CatalogModel {
  readonly id: string;
  readonly definition: ModelDefinition;
  readonly endpoints: readonly Endpoint[];
}

/** The models on offer, and the names of those who offer them. */
export interface Catalog {
  readonly providerNames: ProviderNames;
  /** Finds by id, canonical slug or alias, exactly as written. */
  find(slug: string): CatalogModel | undefined;
  /** Plugins that providers which are gateways run. */
  readonly gatewayPlugins: ReadonlySet<string>;
  /** What reads documents: configured models, else the usual one of each provider that does. */
  readonly documentReaders: readonly CatalogModel[];
  /** In configuration order; discovered models follow. */
  list(): readonly CatalogModel[];
  /** Whether the models that a provider lists are served: all of them, or by a wildcard. */
  reads(provider: Provider): boolean;
  /** Replaces what a provider's own list named before. Configured and built-in models are never replaced. */
  setDiscovered(provider: Provider, models: readonly DiscoveredModel[]): void;
}

/**
 * Builds the catalog. `presets` are well-known providers, configured or not. Throws `RangeError` when a model names a
 * provider that is not there.
 */
export function createCatalog(
  providers: readonly Provider[],
  definitions: readonly ModelDefinition[],
  presets: Readonly<Record<string, PresetNames>> = {},
): Catalog {
  const bySlug = new Map(providers.map((provider) => [provider.slug, provider]));
  const discovery = createDiscovery(definitions);
  const configured = discovery.definitions.map((definition) => toCatalogModel(definition, bySlug));
  for (const wildcard of discovery.wildcards) {
    for (const endpoint of wildcard.endpoints) findProvider(wildcard, endpoint, bySlug);
  }
  const discovered = new Map<string, readonly CatalogModel[]>();
  let models: readonly CatalogModel[] = [];
  let index = new Map<string, CatalogModel>();

  const rebuild = (): void => {
    models = [...configured, ...joinEndpoints([...discovered.values()].flat())];
    index = new Map();
    // Later entries must not hide earlier ones, and a canonical slug must not hide an id.
    for (const model of models) if (!index.has(model.id)) index.set(model.id, model);
    for (const model of models) {
      const canonical = model.definition.canonical_slug;
      if (canonical !== undefined && !index.has(canonical)) index.set(canonical, model);
    }
    for (const model of models) {
      for (const alias of model.definition.aliases ?? []) if (!index.has(alias)) index.set(alias, model);
    }
    models = models.filter((model) => index.get(model.id) === model);
  };
  rebuild();

  return {
    // Models that a provider lists itself bring no tags of their own.
    providerNames: createProviderNames(providers, tagsOf(configured), presets),
    find: (slug) => index.get(slug),
    reads: discovery.reads,
    list: () => models,
    documentReaders: findDocumentReaders(providers, configured, (definition) => toCatalogModel(definition, bySlug)),
    gatewayPlugins: new Set(providers.flatMap(({ gateway }) => [...(gateway?.plugins ?? [])])),
    setDiscovered(provider, found) {
      const own = discovery.toDefinitions(provider, found);
      discovered.set(
        provider.slug,
        own.map((definition) => toCatalogModel(definition, bySlug)),
      );
      rebuild();
    },
  };
}

/** Joins the models of several lists that a wildcard gives the same id. A list may name a model twice. */
function joinEndpoints(models: readonly CatalogModel[]): readonly CatalogModel[] {
  const byId = new Map<string, CatalogModel>();
  for (const model of models) {
    const first = byId.get(model.id);
    const known = new Set(first?.endpoints.map(toPlace));
    const further = model.endpoints.filter((endpoint) => !known.has(toPlace(endpoint)));
    byId.set(model.id, first === undefined ? model : { ...first, endpoints: [...first.endpoints, ...further] });
  }
  return [...byId.values()];
}

const toPlace = ({ provider, tag, providerModel }: Endpoint): string => `${provider.slug}\n${tag}\n${providerModel}`;

/** The tags of endpoints, other than slugs. */
function tagsOf(models: readonly CatalogModel[]): readonly string[] {
  const endpoints = models.flatMap((model) => model.endpoints);
  return [...new Set(endpoints.flatMap(({ tag, provider }) => (tag === provider.slug ? [] : [tag])))];
}

function toCatalogModel(definition: ModelDefinition, providers: ReadonlyMap<string, Provider>): CatalogModel {
  return {
    id: definition.id,
    definition,
    endpoints: definition.endpoints.map((endpoint) => toEndpoint(definition, endpoint, providers)),
  };
}

/** Throws `RangeError` for a provider that is not there. */
function findProvider(
  { id }: ModelDefinition,
  { provider: slug }: EndpointDefinition,
  providers: ReadonlyMap<string, Provider>,
): Provider {
  const provider = providers.get(slug);
  if (provider !== undefined) return provider;
  const known = [...providers.keys()].join(', ') || 'none';
  throw new RangeError(`model ${id} names the provider "${slug}"; configured providers: ${known}`);
}

function toEndpoint(
  model: ModelDefinition,
  definition: EndpointDefinition,
  providers: ReadonlyMap<string, Provider>,
): Endpoint {
  const provider = findProvider(model, definition, providers);
  return {
    modelId: model.id,
    provider,
    providerModel: definition.providerModel,
    tag: definition.tag === undefined ? provider.slug : `${provider.slug}/${definition.tag}`,
    pricing: definition.pricing,
    prices: parsePrices(definition.pricing),
    contextLength: definition.context_length ?? model.context_length ?? null,
    maxCompletionTokens: definition.max_completion_tokens ?? null,
    maxPromptTokens: definition.max_prompt_tokens ?? null,
    minOutputTokens: definition.minOutputTokens ?? null,
    supportedParameters: definition.supported_parameters ? new Set(definition.supported_parameters) : null,
    quantization: definition.quantization ?? null,
    region: definition.region ?? provider.region ?? null,
    supportsImplicitCaching: definition.supports_implicit_caching ?? false,
    prefill: (definition.prefill ?? provider.prefillOf?.(definition.providerModel)) || null,
  };
}

/** A class of service that costs more or waits longer, and is used only on request. */
export type ServiceTier = 'flex' | 'priority';

/** The service tier an endpoint is, by the last part of its tag (`openai/flex`); null for ordinary ones. */
export function tierOf({ tag }: Endpoint): ServiceTier | null {
  if (tag.endsWith('/flex')) return 'flex';
  return tag.endsWith('/priority') ? 'priority' : null;
}

/**
 * Whether a slug or tag means this endpoint: a slug all endpoints of its provider, a tag exactly it. Names that callers
 * and administrators write are made slugs and tags before, by `ProviderNames`.
 */
export const isNamed = (slug: string, { tag, provider }: Endpoint): boolean => slug === tag || slug === provider.slug;

export const isListed = (slugs: readonly string[], endpoint: Endpoint): boolean =>
  slugs.some((slug) => isNamed(slug, endpoint));

/** What models that count tokens count for an image of common size: a price an image is compared by that. */
const TOKENS_AN_IMAGE = 1300;

const blends = new WeakMap<Endpoint, number>();

/**
 * One number to compare endpoints by, USD a token: most calls read about three times what they write. Infinite where a
 * price is not known, so that such an endpoint comes after every other.
 */
export function priceOf(endpoint: Endpoint): number {
  let blend = blends.get(endpoint);
  if (blend === undefined) {
    const { pricing } = endpoint;
    const image = pricing?.generated_image ?? pricing?.generated_megapixel;
    const written =
      image === undefined ? (pricing?.completion ?? pricing?.image_output) : Number(image) / TOKENS_AN_IMAGE;
    const read = pricing?.prompt ?? (image === undefined ? undefined : 0);
    blend = (3 * Number(read) + Number(written)) / 4;
    // Where searches are charged, tokens without a price are free; a search reads some thousand tokens.
    if (pricing?.search_unit !== undefined) blend = (blend || 0) + Number(pricing.search_unit) / 1000;
    // Endpoints of one model mostly charge by the same unit.
    if (Number.isNaN(blend)) blend = Number(pricing?.character ?? pricing?.audio_second ?? Number.POSITIVE_INFINITY);
    blends.set(endpoint, blend);
  }
  return blend;
}

/** Whether tokens read from a cache cost less than others, so that a return to the same endpoint lowers the cost. */
export function hasCheaperCachedReads({ prices }: Endpoint): boolean {
  return (
    prices.prompt !== undefined && prices.input_cache_read !== undefined && prices.input_cache_read < prices.prompt
  );
}

type MaxPrice = NonNullable<ProviderPreferences['max_price']>;

/** What is known of a call before it is made, on which its prices depend. */
interface PricedCall {
  /** The least length of the prompt in tokens. */
  readonly promptTokens: number;
  /** Unix milliseconds. */
  readonly at: number;
}

const ATTO_PER_USD = 1e18;

/**
 * Whether an endpoint costs more than the bounds, by its prices or by those that apply to the call in their place, such
 * as for a long prompt. Bounds on tokens are USD a million, others USD a unit. Unknown token prices exceed every bound
 * on them.
 */
export function exceedsMaxPrice(
  { pricing, prices }: Pick<Endpoint, 'pricing' | 'prices'>,
  bounds: MaxPrice,
  { promptTokens, at }: PricedCall,
): boolean {
  if (exceedsBounds((unit) => pricing?.[unit], bounds)) return true;
  if (prices.overrides === undefined) return false;
  const held = pricesFor(prices, promptTokens, at);
  return exceedsBounds((unit) => held[unit] && Number(held[unit]) / ATTO_PER_USD, bounds);
}

function exceedsBounds(priceOf: (unit: PriceUnit) => string | number | bigint | undefined, bounds: MaxPrice): boolean {
  const perMillion = (['prompt', 'completion'] as const).some(
    (unit) => bounds[unit] !== undefined && !(Number(priceOf(unit)) * 1e6 <= Number(bounds[unit])),
  );
  // A unit without a price is not charged for, unlike tokens.
  const perUnit = (['request', 'image', 'audio'] as const).some(
    (unit) => bounds[unit] !== undefined && Number(priceOf(unit) ?? 0) > Number(bounds[unit]),
  );
  // Bounds have no word of their own for a search, which is what a request is for the models that charge by it.
  const perSearch = bounds.request !== undefined && Number(priceOf('search_unit') ?? 0) > Number(bounds.request);
  const perImage = bounds.image !== undefined && Number(priceOf('generated_image') ?? 0) > Number(bounds.image);
  return perMillion || perUnit || perSearch || perImage;
}

/** What a preset is called. */
export type PresetNames = Pick<Preset, 'name' | 'slug'>;

/**
 * The names of providers that lists of them may use: slugs, display names and presets, in any case, each with the tag of
 * an endpoint behind it or not (docs/routing.md, "Names of providers").
 */
export interface ProviderNames {
  /**
   * Replaces each name by the slugs and tags that it stands for, as endpoints have them. A name that stands for nothing
   * stays, so that a list of such names never becomes an empty one, which would mean no rule.
   */
  toTags(names: readonly string[]): readonly string[];
  /** Whether a name is that of a configured provider or of a preset, or of one of its endpoints. */
  isKnown(name: string): boolean;
  /** Whether no configured provider has a name, with the tag of an endpoint behind it or not: a gateway upstream may. */
  isForeign(name: string): boolean;
  /** Whether a configured provider is a gateway, which gets foreign names. */
  readonly hasGateway: boolean;
  /** Every name as it is to be written, slugs before others. */
  list(): readonly string[];
}

interface NamedProvider extends Pick<Provider, 'slug' | 'name' | 'preset'> {
  readonly gateway?: unknown;
}

/** Creates the names of these providers, of their endpoints' tags (`deepinfra/turbo`), and of the presets. */
export function createProviderNames(
  providers: readonly NamedProvider[],
  tags: readonly string[],
  presets: Readonly<Record<string, PresetNames>>,
): ProviderNames {
  const exact = new Set([...providers.map(({ slug }) => slug), ...tags]);
  const meant = indexNames(providers, tags, presets);
  const ofPresets = Object.entries(presets).flatMap(([preset, facts]) => namesOfPreset(preset, facts));
  const known = new Set(ofPresets.map(fold));
  const tagsOf = (name: string): readonly string[] => (exact.has(name) ? [name] : (meant.get(fold(name)) ?? []));
  const isHere = (name: string): boolean => exact.has(name) || meant.has(fold(name));
  return {
    toTags: (names) => [...new Set(names.flatMap((name) => (tagsOf(name).length > 0 ? tagsOf(name) : [name])))],
    isKnown(name) {
      if (tagsOf(name).length > 0 || known.has(fold(name))) return true;
      // The endpoints of a provider that is not configured are not known, so any tag may be one of them.
      const base = fold(name.split('/')[0] ?? '');
      return known.has(base) && !meant.has(base) && name.includes('/');
    },
    isForeign: (name) => !isHere(name) && !isHere(name.split('/', 1)[0] ?? name),
    hasGateway: providers.some(({ gateway }) => gateway !== undefined),
    list: () => [...new Set([...exact, ...providers.map(({ name }) => name), ...ofPresets])],
  };
}

/** The slugs and tags that each name in small letters stands for. */
function indexNames(
  providers: readonly NamedProvider[],
  tags: readonly string[],
  presets: Readonly<Record<string, PresetNames>>,
): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  const add = (name: string, tag: string): void => {
    const known = index.get(fold(name));
    if (known === undefined) index.set(fold(name), [tag]);
    else if (!known.includes(tag)) known.push(tag);
  };
  for (const { slug, name, preset } of providers) {
    const facts = preset != null && Object.hasOwn(presets, preset) ? presets[preset] : undefined;
    const names = [slug, name, ...(preset == null || facts === undefined ? [] : namesOfPreset(preset, facts))];
    const suffixes = tags.flatMap((tag) => (tag.startsWith(`${slug}/`) ? [tag.slice(slug.length)] : []));
    for (const known of names) {
      add(known, slug);
      for (const suffix of suffixes) add(known + suffix, slug + suffix);
    }
  }
  return index;
}

const namesOfPreset = (preset: string, { slug, name }: PresetNames): string[] => [slug ?? preset, preset, name];

const fold = (name: string): string => name.trim().toLowerCase();
