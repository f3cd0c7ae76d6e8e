import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import type { EndpointDefinition, EndpointPricing, ModelDefinition } from '../wire/models/model-definition.ts';
import { parsePrices, type Prices } from './prices.ts';

/** One model at one provider. */
export interface Endpoint {
  readonly modelId: string;
  readonly provider: Provider;
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
}

export interface CatalogModel {
  readonly id: string;
  readonly definition: ModelDefinition;
  readonly endpoints: readonly Endpoint[];
}

/** The models on offer. */
export interface Catalog {
  /** Finds by id or canonical slug, exactly as written. */
  find(slug: string): CatalogModel | undefined;
  /** In configuration order; discovered models follow. */
  list(): readonly CatalogModel[];
  /** Replaces what a provider's own list named before. Configured and built-in models are never replaced. */
  setDiscovered(provider: Provider, models: readonly DiscoveredModel[]): void;
}

/** Builds the catalog. Throws `RangeError` when a model names a provider that is not there. */
export function createCatalog(providers: readonly Provider[], definitions: readonly ModelDefinition[]): Catalog {
  const bySlug = new Map(providers.map((provider) => [provider.slug, provider]));
  const configured = definitions.map((definition) => toCatalogModel(definition, bySlug));
  const known = new Map<string, EndpointDefinition>();
  for (const { endpoints } of definitions) {
    for (const endpoint of endpoints) known.set(`${endpoint.provider} ${endpoint.providerModel}`, endpoint);
  }
  const discovered = new Map<string, readonly CatalogModel[]>();
  let models: readonly CatalogModel[] = [];
  let index = new Map<string, CatalogModel>();

  const rebuild = (): void => {
    models = [...configured, ...[...discovered.values()].flat()];
    index = new Map();
    // Later entries must not hide earlier ones, and a canonical slug must not hide an id.
    for (const model of models) if (!index.has(model.id)) index.set(model.id, model);
    for (const model of models) {
      const canonical = model.definition.canonical_slug;
      if (canonical !== undefined && !index.has(canonical)) index.set(canonical, model);
    }
    models = models.filter((model) => index.get(model.id) === model);
  };
  rebuild();

  return {
    find: (slug) => index.get(slug),
    list: () => models,
    setDiscovered(provider, found) {
      discovered.set(
        provider.slug,
        found.map((model) => {
          const endpoint = known.get(`${provider.slug} ${model.id}`);
          return toCatalogModel(toDefinition(provider, model, endpoint), bySlug);
        }),
      );
      rebuild();
    },
  };
}

/** `known` is the configuration of the same model at the same provider, above all its prices. */
function toDefinition(
  provider: Provider,
  model: DiscoveredModel,
  known: EndpointDefinition | undefined,
): ModelDefinition {
  return {
    id: `${provider.slug}/${model.id}`,
    name: model.id,
    ...(model.created !== undefined && { created: model.created }),
    ...(model.contextLength !== undefined && { context_length: model.contextLength }),
    endpoints: [known ?? { provider: provider.slug, providerModel: model.id }],
  };
}

function toCatalogModel(definition: ModelDefinition, providers: ReadonlyMap<string, Provider>): CatalogModel {
  return {
    id: definition.id,
    definition,
    endpoints: definition.endpoints.map((endpoint) => toEndpoint(definition, endpoint, providers)),
  };
}

function toEndpoint(
  model: ModelDefinition,
  definition: EndpointDefinition,
  providers: ReadonlyMap<string, Provider>,
): Endpoint {
  const provider = providers.get(definition.provider);
  if (provider === undefined) {
    const known = [...providers.keys()].join(', ') || 'none';
    throw new RangeError(`model ${model.id} names the provider "${definition.provider}"; configured are: ${known}`);
  }
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
  };
}
