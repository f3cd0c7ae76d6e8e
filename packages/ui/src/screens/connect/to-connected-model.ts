import type { Model } from '@model-gateway/core/wire';

import type { ConnectedModel } from '../../clients/index.ts';
import { hasTokenPrices } from '../models/price-facts.ts';

/** What most models can take; tools that compress long conversations do so too early rather than too late. */
const GUESSED_CONTEXT = 32_000;
const GUESSED_OUTPUT = 8000;

type Facts = Pick<Model, 'id' | 'context_length' | 'top_provider' | 'architecture' | 'supported_parameters'>;

/** What tools are told of a model. One that this gateway does not list gets careful guesses. */
export function toConnectedModel(id: string, model: Facts | undefined): ConnectedModel {
  const contextTokens = orGuess(model?.context_length, GUESSED_CONTEXT);
  return {
    id,
    contextTokens,
    outputTokens: Math.min(orGuess(model?.top_provider.max_completion_tokens, GUESSED_OUTPUT), contextTokens),
    readsImages: model?.architecture.input_modalities.includes('image') ?? false,
    // Of a model of one's own nothing may be known, and agents are of no use without tools.
    callsTools: model === undefined || canCallTools(model),
  };
}

const orGuess = (known: number | null | undefined, guess: number): number =>
  known === null || known === undefined || known <= 0 ? guess : known;

const canCallTools = ({ supported_parameters: names }: Pick<Model, 'supported_parameters'>): boolean =>
  names.length === 0 || names.includes('tools');

/** Models that make text, which is what tools ask for. */
export const findTextModels = (models: readonly Model[]): readonly Model[] =>
  models.filter(({ architecture }) => architecture.output_modalities.includes('text'));

/**
 * The model that a tool begins with: the one that worked last, else the default of the account, else one that can call
 * tools and has a price. Undefined when there is none at all.
 */
export function chooseModel(
  models: readonly Model[],
  {
    lastUsed,
    accountDefault,
  }: { readonly lastUsed?: string | undefined; readonly accountDefault?: string | undefined },
): string | undefined {
  const texts = findTextModels(models);
  const named = [lastUsed, accountDefault].find((id) => texts.some((model) => model.id === id));
  if (named !== undefined) return named;
  const priced = texts.filter(hasTokenPrices);
  return (priced.find(canCallTools) ?? priced[0] ?? texts[0])?.id;
}

/** The name of the tool, with a number where keys have it already. */
export function toKeyName(tool: string, taken: readonly string[]): string {
  if (!taken.includes(tool)) return tool;
  let number = 2;
  while (taken.includes(`${tool} ${number}`)) number += 1;
  return `${tool} ${number}`;
}
