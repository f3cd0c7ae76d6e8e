import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import anthropic from './built-in/anthropic.json' with { type: 'json' };
import deepseek from './built-in/deepseek.json' with { type: 'json' };
import google from './built-in/google.json' with { type: 'json' };
import metaLlama from './built-in/meta-llama.json' with { type: 'json' };
import minimax from './built-in/minimax.json' with { type: 'json' };
import mistralai from './built-in/mistralai.json' with { type: 'json' };
import moonshotai from './built-in/moonshotai.json' with { type: 'json' };
import openai from './built-in/openai.json' with { type: 'json' };
import perplexity from './built-in/perplexity.json' with { type: 'json' };
import qwen from './built-in/qwen.json' with { type: 'json' };
import xAi from './built-in/x-ai.json' with { type: 'json' };
import zAi from './built-in/z-ai.json' with { type: 'json' };

/** One data file, rewritten by `npm run catalog:refresh`: models of an author, and the sources of their facts. */
export interface DatedModels {
  readonly sources: readonly Source[];
  /** Lists of `supported_parameters` that several endpoints share. */
  readonly parameterSets?: Readonly<Record<string, string[]>>;
  readonly models: readonly DatedModel[];
}

interface Source {
  readonly url: string;
  /** YYYY-MM-DD: when the facts were last compared with it. */
  readonly date: string;
}

export type DatedModel = Omit<ModelDefinition, 'endpoints'> & { endpoints: DatedEndpoint[] };

/** An endpoint that lists its parameters, or names a set of them. It names a preset as its provider. */
export type DatedEndpoint =
  | EndpointDefinition
  | (Omit<EndpointDefinition, 'supported_parameters'> & { supported_parameters: string });

const DATA: readonly DatedModels[] = [
  // Words in JSON are of any text; a test checks the data.
  openai as DatedModels,
  anthropic,
  google,
  xAi,
  metaLlama,
  mistralai,
  deepseek,
  qwen,
  moonshotai,
  zAi,
  minimax,
  perplexity,
];

/** The built-in catalog, one entry an author. */
export const BUILT_IN_CATALOG = DATA.map(({ sources, parameterSets, models }) => ({
  sources,
  models: models.map((model) => expandParameterSets(model, parameterSets)),
}));

/**
 * Well-known models with their known facts. Unknown facts are absent; so are unknown prices, and no price is zero in
 * their place. To be narrowed to the configured providers with `pickServedModels`.
 */
export const BUILT_IN_MODELS: readonly ModelDefinition[] = BUILT_IN_CATALOG.flatMap(({ models }) => models);

/** Gives every endpoint that names a set of parameters the list itself. */
export function expandParameterSets(model: DatedModel, parameterSets: DatedModels['parameterSets']): ModelDefinition {
  const expand = (endpoint: DatedEndpoint): EndpointDefinition =>
    isListed(endpoint)
      ? endpoint
      : { ...endpoint, supported_parameters: parameterSets?.[endpoint.supported_parameters] };
  return { ...model, endpoints: model.endpoints.map(expand) };
}

function isListed(endpoint: DatedEndpoint): endpoint is EndpointDefinition {
  return typeof endpoint.supported_parameters !== 'string';
}
