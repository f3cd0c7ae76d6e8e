import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import { ANTHROPIC } from './built-in/anthropic.ts';
import { DEEPSEEK } from './built-in/deepseek.ts';
import { GOOGLE } from './built-in/google.ts';
import { META_LLAMA } from './built-in/meta-llama.ts';
import { MINIMAX } from './built-in/minimax.ts';
import { MISTRALAI } from './built-in/mistralai.ts';
import { MOONSHOTAI } from './built-in/moonshotai.ts';
import { OPENAI } from './built-in/openai.ts';
import { PERPLEXITY } from './built-in/perplexity.ts';
import { QWEN } from './built-in/qwen.ts';
import { X_AI } from './built-in/x-ai.ts';
import { Z_AI } from './built-in/z-ai.ts';
import type { DatedEndpoint, DatedModels } from './dated-models.ts';

/** The built-in catalog, one entry an author. */
export const BUILT_IN_CATALOG: readonly DatedModels[] = [
  OPENAI,
  ANTHROPIC,
  GOOGLE,
  X_AI,
  META_LLAMA,
  MISTRALAI,
  DEEPSEEK,
  QWEN,
  MOONSHOTAI,
  Z_AI,
  MINIMAX,
  PERPLEXITY,
].map(expandParameterSets);

/**
 * Well-known models with their known facts. Unknown facts are absent; so are unknown prices, and no price is zero in
 * their place. To be narrowed to the configured providers with `pickServedModels`.
 */
export const BUILT_IN_MODELS: readonly ModelDefinition[] = BUILT_IN_CATALOG.flatMap(({ models }) => models);

/** Gives every endpoint that names a set of parameters the list itself. */
function expandParameterSets({ sources, parameterSets, models }: DatedModels<string>): DatedModels {
  const expand = (endpoint: DatedEndpoint<string>): EndpointDefinition =>
    isListed(endpoint)
      ? endpoint
      : { ...endpoint, supported_parameters: parameterSets?.[endpoint.supported_parameters] };
  return { sources, models: models.map((model) => ({ ...model, endpoints: model.endpoints.map(expand) })) };
}

function isListed(endpoint: DatedEndpoint<string>): endpoint is EndpointDefinition {
  return typeof endpoint.supported_parameters !== 'string';
}
