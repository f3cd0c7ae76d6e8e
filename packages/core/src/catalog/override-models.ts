import type { ConfiguredModel, EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import { isWildcard } from './discovered-models.ts';

/** The names of a configured provider. Built-in models name presets; models of a configuration name slugs. */
export interface ServingProvider {
  readonly slug: string;
  /** Null without a preset. Nothing is built in for such a provider, because its models and prices are unknown. */
  readonly preset: string | null;
}

/**
 * The built-in models that configured providers can serve, each with the endpoints at those providers alone. A provider
 * serves what is built in for its preset.
 */
export function pickServedModels(
  builtIn: readonly ModelDefinition[],
  providers: readonly ServingProvider[],
): readonly ModelDefinition[] {
  const slugsOf = new Map<string, string[]>();
  for (const { slug, preset } of providers) {
    if (preset !== null) slugsOf.set(preset, [...(slugsOf.get(preset) ?? []), slug]);
  }
  return builtIn.flatMap((model) => {
    const endpoints = model.endpoints.flatMap((endpoint) =>
      (slugsOf.get(endpoint.provider) ?? []).map((provider) => ({ ...endpoint, provider })),
    );
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
}

/**
 * Merges configured models into served ones. A configured model replaces a served one field by field, also within
 * `architecture`; its endpoint replaces that of the same provider and tag field by field, or is added after the others.
 * `pricing` is replaced as a whole, because a mixture of two price lists would be wrong. Configured models come first,
 * in their order; other served ones follow. Throws `RangeError` for what `findIncompleteParts` finds.
 */
export function overrideModels(
  served: readonly ModelDefinition[],
  configured: readonly ConfiguredModel[],
): readonly ModelDefinition[] {
  const servedById = new Map(served.map((model) => [model.id, model]));
  const own = configured.map((model) => overrideModel(servedById.get(model.id), model));
  const ownIds = new Set(configured.map(({ id }) => id));
  return [...own, ...served.filter(({ id }) => !ownIds.has(id))];
}

/** A part of a configured model that is missing, and that no built-in model supplies. */
export interface IncompletePart {
  readonly field: 'endpoints' | 'providerModel';
  /** Index of the endpoint; null for the model as a whole. */
  readonly endpoint: number | null;
}

/** Finds what a configured model still lacks after the merge with the served one of the same id, if any. */
export function findIncompleteParts(served: ModelDefinition | undefined, model: ConfiguredModel): IncompletePart[] {
  if (model.endpoints === undefined) return served === undefined ? [{ field: 'endpoints', endpoint: null }] : [];
  const { endpoints } = model;
  // It stands for every model of the providers' lists.
  if (isWildcard(model)) return [];
  return endpoints.flatMap((endpoint, index) => {
    // Only the first of its provider and tag is merged into the served one; others are separate endpoints.
    const isLaidOver = findSame(endpoints, endpoint) === endpoint && findSame(served?.endpoints ?? [], endpoint);
    return endpoint.providerModel !== undefined || isLaidOver
      ? []
      : [{ field: 'providerModel' as const, endpoint: index }];
  });
}

function overrideModel(served: ModelDefinition | undefined, model: ConfiguredModel): ModelDefinition {
  const [missing] = findIncompleteParts(served, model);
  if (missing !== undefined) throw new RangeError(`model ${model.id} lacks ${missing.field}`);
  const { endpoints = [], architecture, ...fields } = model;
  const merged = architecture ?? served?.architecture;
  return {
    ...served,
    ...fields,
    ...(merged !== undefined && { architecture: { ...served?.architecture, ...merged } }),
    endpoints: overrideEndpoints(served?.endpoints ?? [], endpoints),
  };
}

type ConfiguredEndpoint = NonNullable<ConfiguredModel['endpoints']>[number];

function overrideEndpoints(
  served: readonly EndpointDefinition[],
  configured: readonly ConfiguredEndpoint[],
): EndpointDefinition[] {
  const taken = new Set<ConfiguredEndpoint>();
  const overridden = served.map((endpoint) => {
    const own = findSame(configured, endpoint);
    if (own === undefined) return endpoint;
    taken.add(own);
    return { ...endpoint, ...own } as EndpointDefinition;
  });
  return [...overridden, ...(configured.filter((endpoint) => !taken.has(endpoint)) as EndpointDefinition[])];
}

function findSame<T extends ConfiguredEndpoint>(endpoints: readonly T[], { provider, tag }: ConfiguredEndpoint) {
  return endpoints.find((endpoint) => endpoint.provider === provider && endpoint.tag === tag);
}
