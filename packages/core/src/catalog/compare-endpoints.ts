import type { DiscoveredModel } from '../providers/provider.ts';
import type { EndpointDefinition, EndpointPricing, ModelDefinition } from '../wire/model-definition.ts';

/** One fact of the catalog that is different in a list. */
export interface CatalogChange {
  readonly model: string;
  readonly provider: string;
  /** The tag of the endpoint, where it has one. */
  readonly tag: string | undefined;
  /** `context_length`, `max_completion_tokens`, `supported_parameters`, `input_modalities`, or `pricing.` with a unit. */
  readonly field: string;
  /** Undefined when not known. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Something about a compared model for a person to check. */
export interface CatalogNote {
  readonly model: string;
  readonly kind: 'unlisted' | 'doubtful_prices' | 'old_overrides';
  readonly text: string;
}

export interface CatalogComparison {
  readonly changes: readonly CatalogChange[];
  /** Ids of the list that an endpoint was compared with. */
  readonly compared: ReadonlySet<string>;
  readonly notes: readonly CatalogNote[];
}

/**
 * Compares what a list says of one provider's endpoints: context, output limit, prices and abilities. What the list does
 * not state, and what it names beyond these models, is no change.
 */
export function compareEndpoints(
  models: readonly ModelDefinition[],
  listed: readonly DiscoveredModel[],
  provider: string,
): CatalogComparison {
  // Google's names have their kind before them.
  const byId = new Map(listed.map((entry) => [entry.id.replace(/^models\//, ''), entry]));
  const changes: CatalogChange[] = [];
  const compared = new Set<string>();
  const notes: CatalogNote[] = [];
  for (const model of models) {
    const inputs = new Set<DiscoveredModel>();
    for (const endpoint of model.endpoints) {
      if (endpoint.provider !== provider) continue;
      const entry = byId.get(endpoint.providerModel) ?? byId.get(model.id);
      if (entry === undefined) {
        const text = `${endpoint.providerModel} is not listed any more, or under another name`;
        notes.push({ model: model.id, kind: 'unlisted', text });
        continue;
      }
      compared.add(entry.id);
      changes.push(...compareEndpoint(model, endpoint, entry));
      // Inputs belong to the model as a whole: they are compared once for all endpoints at the provider.
      if (inputs.size === 0) changes.push(...compareInputs(model, endpoint, entry));
      inputs.add(entry);
      notes.push(...findDoubts(model, endpoint, entry));
    }
  }
  return { changes, compared, notes };
}

/** Tiers cost another price than the one that is listed for the model. */
const isTier = ({ tag = '' }: EndpointDefinition): boolean => /(^|\/)(flex|priority)$/.test(tag);

function pricingOf(endpoint: EndpointDefinition, { listedPrices }: DiscoveredModel): EndpointPricing | undefined {
  return listedPrices === undefined || 'doubtful' in listedPrices || isTier(endpoint)
    ? undefined
    : listedPrices.pricing;
}

function compareEndpoint(
  model: ModelDefinition,
  endpoint: EndpointDefinition,
  entry: DiscoveredModel,
): readonly CatalogChange[] {
  const { provider, tag, pricing } = endpoint;
  const found: readonly (readonly [string, unknown, unknown])[] = [
    ['context_length', endpoint.context_length ?? model.context_length ?? undefined, entry.contextLength],
    ['max_completion_tokens', endpoint.max_completion_tokens, entry.maxCompletionTokens],
    ['supported_parameters', endpoint.supported_parameters, toParameters(endpoint, entry)],
    ...Object.entries(pricingOf(endpoint, entry) ?? {}).map(
      ([unit, price]) => [`pricing.${unit}`, pricing?.[unit as keyof EndpointPricing], price] as const,
    ),
  ];
  return found.flatMap(([field, from, to]) =>
    to === undefined || isSame(from, to) ? [] : [{ model: model.id, provider, tag, field, from, to }],
  );
}

/** The parameters after what the list says of abilities, where it does not state all of them. Undefined: as they are. */
function toParameters(
  { supported_parameters: known }: EndpointDefinition,
  { supportedParameters, ...listed }: DiscoveredModel,
): readonly string[] | undefined {
  if (supportedParameters !== undefined || known === undefined) return supportedParameters;
  return ABILITIES.reduce<readonly string[]>((names, { ability, parameters: [first, ...more] }) => {
    const hasIt = listed[ability];
    if (hasIt === undefined || hasIt === names.includes(first)) return names;
    return hasIt
      ? [...new Set([...names, first, ...more])]
      : names.filter((name) => name !== first && !more.includes(name));
  }, known);
}

/** What a list may say of a model, by the parameters that say it here; the first one is always among them. */
const ABILITIES: readonly {
  readonly ability: 'callsTools' | 'reasons' | 'keepsSchemas';
  readonly parameters: readonly [string, ...string[]];
}[] = [
  { ability: 'callsTools', parameters: ['tools', 'tool_choice'] },
  { ability: 'reasons', parameters: ['reasoning', 'include_reasoning'] },
  { ability: 'keepsSchemas', parameters: ['structured_outputs'] },
];

function compareInputs(
  { id, architecture }: ModelDefinition,
  { provider, tag }: EndpointDefinition,
  { inputModalities, readsImages }: DiscoveredModel,
): readonly CatalogChange[] {
  const from = architecture?.input_modalities;
  const known = from ?? ['text'];
  const withImages = readsImages === true ? [...new Set([...known, 'image'])] : known;
  const to = inputModalities ?? (readsImages === false ? known.filter((input) => input !== 'image') : withImages);
  if (isSame(known, to)) return [];
  return [{ model: id, provider, tag, field: 'input_modalities', from, to }];
}

function findDoubts(model: ModelDefinition, endpoint: EndpointDefinition, entry: DiscoveredModel): CatalogNote[] {
  const { listedPrices } = entry;
  if (listedPrices !== undefined && 'doubtful' in listedPrices) {
    const text = `its prices are not taken over: ${listedPrices.doubtful}`;
    return [{ model: model.id, kind: 'doubtful_prices', text }];
  }
  const pricing = pricingOf(endpoint, entry);
  const known = endpoint.pricing;
  if (known?.overrides === undefined || pricing === undefined || pricing.overrides !== undefined) return [];
  if (Object.entries(pricing).every(([unit, price]) => isSame(known[unit as keyof EndpointPricing], price))) return [];
  const text = 'its prices changed, but the list has none for long prompts or times; check pricing.overrides';
  return [{ model: model.id, kind: 'old_overrides', text }];
}

/** Prices are the same when their values are equal, however many zeros are written; lists of words in any order. */
function isSame(from: unknown, to: unknown): boolean {
  if (typeof from === 'string' && typeof to === 'string') return Number(from) === Number(to);
  if (isListOfWords(from) && isListOfWords(to)) return from.toSorted().join('\n') === to.toSorted().join('\n');
  return JSON.stringify(from) === JSON.stringify(to);
}

const isListOfWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** An endpoint, or the part of one that a catalog or an override states. */
interface AnyEndpoint {
  readonly pricing?: EndpointPricing | undefined;
}

/** The endpoint with a change of its own; one of the model as a whole leaves it as it is. */
export function changeEndpoint<Endpoint extends AnyEndpoint>(
  endpoint: Endpoint,
  { field, to }: Pick<CatalogChange, 'field' | 'to'>,
): Endpoint {
  if (field === 'input_modalities') return endpoint;
  if (!field.startsWith('pricing.')) return { ...endpoint, [field]: to };
  return { ...endpoint, pricing: { ...endpoint.pricing, [field.slice('pricing.'.length)]: to } };
}
