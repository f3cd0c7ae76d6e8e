import type { DiscoveredModel, Provider } from '../providers/provider.ts';
import { MODEL_PARAMETERS } from '../wire/chat-parameters.ts';
import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';

/** Which models of the lists of providers are served, and what is known of them. */
export interface Discovery {
  /** The models that are served whatever lists say. */
  readonly definitions: readonly ModelDefinition[];
  /** Models that stand for all that their providers list. */
  readonly wildcards: readonly ModelDefinition[];
  /** Whether the list of a provider is read: it asks for that, or a wildcard names it. */
  reads(provider: Provider): boolean;
  /** The models of a provider's list. */
  toDefinitions(provider: Provider, listed: readonly DiscoveredModel[]): readonly ModelDefinition[];
}

const WILDCARD = '/*';

/** Whether a model stands for all that its providers list: `openai/*`. */
export const isWildcard = ({ id }: Pick<ModelDefinition, 'id'>): boolean => id.endsWith(WILDCARD);

export function createDiscovery(all: readonly ModelDefinition[]): Discovery {
  const definitions = all.filter((model) => !isWildcard(model));
  const wildcards = all.filter(isWildcard);
  const known = new Map<string, Known>();
  for (const model of definitions) {
    for (const endpoint of model.endpoints) known.set(keyOf(endpoint), { model, endpoint });
  }
  const findTemplates = (slug: string): readonly Template[] =>
    wildcards.flatMap((wildcard) =>
      wildcard.endpoints.filter(({ provider }) => provider === slug).map((endpoint) => ({ wildcard, endpoint })),
    );
  return {
    definitions,
    wildcards,
    reads: ({ slug, discoverModels }) => discoverModels === true || findTemplates(slug).length > 0,
    toDefinitions({ slug, discoverModels }, listed) {
      const templates = findTemplates(slug);
      return listed.flatMap((model) => {
        const place = { provider: slug, providerModel: model.id };
        const found = known.get(keyOf(place));
        const filled = templates.map((template) => fillIn(template, toDefinition('', model, place, found)));
        const id = `${slug}/${model.id}`;
        // A wildcard that gives this very id says more of it.
        const isOwn = discoverModels === true && !filled.some((one) => one.id === id);
        const isPlain = isOwn || templates.length === 0;
        return isPlain ? [toDefinition(id, model, place, found), ...filled] : filled;
      });
    },
  };
}

interface Known {
  readonly model: ModelDefinition;
  readonly endpoint: EndpointDefinition;
}

interface Template {
  readonly wildcard: ModelDefinition;
  readonly endpoint: EndpointDefinition;
}

type Place = Pick<EndpointDefinition, 'provider' | 'providerModel'>;

const keyOf = ({ provider, providerModel }: Place): string => `${provider} ${providerModel}`;

/** What is known of the same model at the same provider, above all its prices, comes before what the list says. */
function toDefinition(id: string, listed: DiscoveredModel, place: Place, known: Known | undefined): ModelDefinition {
  const { created, contextLength, maxCompletionTokens } = listed;
  const parameters = toParameters(listed);
  return {
    ...(known && toFacts(known.model)),
    id,
    name: listed.id,
    ...(created !== undefined && { created }),
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...toArchitecture(listed),
    endpoints: [
      {
        ...place,
        ...(maxCompletionTokens !== undefined && { max_completion_tokens: maxCompletionTokens }),
        ...(parameters !== undefined && { supported_parameters: [...parameters] }),
        ...known?.endpoint,
      },
    ],
  };
}

/** Without its names, which are its own, and its other endpoints. */
function toFacts({ aliases: _, canonical_slug: __, endpoints: ___, ...facts }: ModelDefinition) {
  return facts;
}

/** A model of the list under the author of a wildcard, with what the wildcard says of all of them. */
function fillIn({ wildcard, endpoint }: Template, listed: ModelDefinition): ModelDefinition {
  const { id, name: _, endpoints: __, ...facts } = wildcard;
  const author = id.slice(0, -WILDCARD.length);
  const [place] = listed.endpoints;
  const providerModel = place?.providerModel ?? '';
  return {
    ...listed,
    ...facts,
    // A gateway lists models with their authors.
    id: providerModel.startsWith(`${author}/`) ? providerModel : `${author}/${providerModel}`,
    endpoints: [{ ...place, ...endpoint, providerModel }],
  };
}

function toArchitecture({ inputModalities, outputModalities, readsImages }: DiscoveredModel) {
  const inputs = inputModalities ?? (readsImages === true ? ['text', 'image'] : undefined);
  if (outputModalities === undefined && inputs === undefined) return {};
  return {
    architecture: {
      output_modalities: [...(outputModalities ?? ['text'])],
      ...(inputs && { input_modalities: [...inputs] }),
    },
  };
}

/** Where a list tells of tools alone, all other parameters are taken. */
function toParameters({ supportedParameters, callsTools }: DiscoveredModel): readonly string[] | undefined {
  if (supportedParameters !== undefined || callsTools === undefined) return supportedParameters;
  return callsTools ? MODEL_PARAMETERS : MODEL_PARAMETERS.filter((name) => !/tool/.test(name));
}
