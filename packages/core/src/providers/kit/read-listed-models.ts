import { isObject, objectsOf, type Unchecked } from '../../foundation/parse.ts';
import { type EndpointPricing, endpointDefinitionSchema } from '../../wire/model-definition.ts';
import type { DiscoveredModel, ListedPrices } from '../provider.ts';
import { readModalities } from './read-modalities.ts';

/** Facts about a model beside its name. Facts that the list does not state are absent. */
export type ListedFacts = Omit<DiscoveredModel, 'id' | 'created'>;

/** Names that servers have for the same number: OpenRouter, Groq, Mistral, vLLM, Anthropic, Google. */
const CONTEXT_FIELDS = [
  'context_length',
  'context_window',
  'max_context_length',
  'max_model_len',
  'max_input_tokens',
  'inputTokenLimit',
];
const OUTPUT_FIELDS = ['max_completion_tokens', 'max_output_length', 'max_tokens', 'outputTokenLimit'];
/** Names for the ability to call tools, among a model's `capabilities`: Mistral, LM Studio, Ollama. */
const TOOL_WORDS = ['function_calling', 'tool_use', 'tools', 'tool_calls'];
/** Names for the ability to read images: Mistral and Ollama, Anthropic, llama.cpp. */
const IMAGE_WORDS = ['vision', 'image_input', 'multimodal'];

/**
 * Reads the body of a list of models in any of the forms that servers have: OpenAI's `data`, Google's and Cohere's
 * `models`, Together's bare list. Undefined when it is none of them.
 */
export function readListedModels(body: unknown): readonly DiscoveredModel[] | undefined {
  const list = isObject(body) && !Array.isArray(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(list)) return undefined;
  return objectsOf(list).flatMap((entry) => {
    const id = entry['id'] ?? entry['name'];
    if (typeof id !== 'string') return [];
    const created = readCount(entry['created']);
    return [{ id, ...(created !== undefined && { created }), ...readListedFacts(entry) }];
  });
}

/** Reads what an entry of a list says of its model. */
export function readListedFacts(entry: Unchecked): ListedFacts {
  const top = isObject(entry['top_provider']) ? entry['top_provider'] : {};
  const parameters = entry['supported_parameters'];
  return withoutUnknown({
    contextLength: findCount(entry, CONTEXT_FIELDS),
    maxCompletionTokens: findCount(top, OUTPUT_FIELDS) ?? findCount(entry, OUTPUT_FIELDS),
    ...readModalities(entry),
    supportedParameters: isListOfTexts(parameters) ? parameters : undefined,
    callsTools: findAbility(entry['capabilities'], TOOL_WORDS),
    readsImages: findAbility(entry['capabilities'], IMAGE_WORDS),
    listedPrices: readPrices(entry['pricing']),
  });
}

/** The facts without those that are not known. */
export function withoutUnknown(facts: ListedFacts): ListedFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function findCount(entry: Unchecked, names: readonly string[]): number | undefined {
  return names.map((name) => readCount(entry[name])).find((value) => value !== undefined);
}

const readCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/**
 * Whether one of these abilities is there. A list of words says nothing of abilities that it does not name, because
 * servers have words of their own; a flag says both.
 */
function findAbility(abilities: unknown, words: readonly string[]): boolean | undefined {
  if (Array.isArray(abilities)) return words.some((word) => abilities.includes(word)) || undefined;
  if (!isObject(abilities)) return undefined;
  const flags = words.map((word) => abilities[word]).map((flag) => (isObject(flag) ? flag['supported'] : flag));
  return flags.includes(true) ? true : flags.includes(false) ? false : undefined;
}

/**
 * Only decimal text above 0 is a price, in USD per token or unit: a number may have another unit (a million tokens, or
 * cents), and 0 or less may be a trial or a missing price. Doubtful unless the prices of both prompt and completion are
 * such text.
 */
function readPrices(value: unknown): ListedPrices | undefined {
  if (!isObject(value)) return undefined;
  const pricing = parsePricing(value);
  return pricing === undefined ? { doubtful: JSON.stringify(value).slice(0, 200) } : { pricing };
}

function parsePricing(value: Unchecked): EndpointPricing | undefined {
  const taken = Object.entries(value).filter(([unit, price]) =>
    unit === 'overrides'
      ? Array.isArray(price) && price.length > 0
      : typeof price === 'string' && /^\d+(\.\d+)?$/.test(price) && Number(price) > 0,
  );
  const { data } = endpointDefinitionSchema.shape.pricing.safeParse(Object.fromEntries(taken));
  return data?.prompt !== undefined && data.completion !== undefined ? data : undefined;
}
