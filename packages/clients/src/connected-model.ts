import type { ConnectedModel } from './client.ts';

/** What this reads of a model, as `GET /models` lists it. */
export interface ListedModel {
  readonly id: string;
  readonly context_length?: number | null | undefined;
  readonly top_provider: { readonly max_completion_tokens?: number | null | undefined };
  readonly architecture: {
    readonly input_modalities: readonly string[];
    readonly output_modalities: readonly string[];
  };
  readonly supported_parameters: readonly string[];
  readonly pricing: { readonly prompt: string; readonly completion: string };
}

/** What most models can take; tools that compress long conversations do so too early rather than too late. */
const GUESSED_CONTEXT = 32_000;
const GUESSED_OUTPUT = 8000;

/** What tools are told of a model. One that this gateway does not list gets careful guesses. */
export function toConnectedModel(id: string, model: Omit<ListedModel, 'pricing'> | undefined): ConnectedModel {
  const contextTokens = orGuess(model?.context_length, GUESSED_CONTEXT);
  return {
    id,
    contextTokens,
    outputTokens: Math.min(orGuess(model?.top_provider.max_completion_tokens, GUESSED_OUTPUT), contextTokens),
    readsImages: model?.architecture.input_modalities.includes('image') ?? false,
    // Nothing may be known of a model of one's own, and agents are of no use without tools.
    callsTools: model === undefined || canCallTools(model),
  };
}

const orGuess = (known: number | null | undefined, guess: number): number =>
  known === null || known === undefined || known <= 0 ? guess : known;

const canCallTools = ({ supported_parameters: names }: Pick<ListedModel, 'supported_parameters'>): boolean =>
  names.length === 0 || names.includes('tools');

/** Whether what tokens cost is known, which limits on spending need. */
export const hasTokenPrices = ({ pricing }: Pick<ListedModel, 'pricing'>): boolean =>
  Number(pricing.prompt) >= 0 && Number(pricing.completion) >= 0;

/** Models that make text, which is what tools ask for. */
export const findTextModels = <M extends Pick<ListedModel, 'architecture'>>(models: readonly M[]): readonly M[] =>
  models.filter(({ architecture }) => architecture.output_modalities.includes('text'));

/**
 * The model that a tool begins with: the one that worked last, else the default of the account, else one that can call
 * tools and has a price. Undefined when there is none at all.
 */
export function chooseModel(
  models: readonly ListedModel[],
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
