import { type EndpointPricing, endpointDefinitionSchema } from '../../packages/core/src/wire/model-definition.ts';

/** Facts about one model from a list of models. Facts that the list does not state are absent. */
export interface ListedModel {
  readonly id: string;
  readonly contextLength?: number;
  readonly maxCompletionTokens?: number;
  readonly pricing?: EndpointPricing;
  /** Listed prices in a form that is not accepted, as text. */
  readonly doubtful?: string;
}

type Unchecked = Readonly<Record<string, unknown>>;

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

/** Reads the response of a `GET /models`. Throws when it is no list of models. */
export function readListedModels(body: unknown): readonly ListedModel[] {
  const list = isObject(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(list)) throw new Error('The response is no list of models: it has neither "data" nor "models".');
  return list.flatMap((entry: unknown) => (isObject(entry) ? readEntry(entry) : []));
}

function readEntry(entry: Unchecked): ListedModel[] {
  const id = entry['id'] ?? entry['name'];
  if (typeof id !== 'string') return [];
  const top = isObject(entry['top_provider']) ? entry['top_provider'] : {};
  const contextLength = findCount(entry, CONTEXT_FIELDS);
  const maxCompletionTokens = findCount(top, OUTPUT_FIELDS) ?? findCount(entry, OUTPUT_FIELDS);
  const pricing = readPricing(entry['pricing']);
  const isDoubtful = pricing === undefined && isObject(entry['pricing']);
  return [
    {
      id: id.replace(/^models\//, ''),
      ...(contextLength !== undefined && { contextLength }),
      ...(maxCompletionTokens !== undefined && { maxCompletionTokens }),
      ...(pricing !== undefined && { pricing }),
      ...(isDoubtful && { doubtful: JSON.stringify(entry['pricing']).slice(0, 200) }),
    },
  ];
}

function findCount(entry: Unchecked, names: readonly string[]): number | undefined {
  const found = names.map((name) => entry[name]).find((value) => Number.isSafeInteger(value) && Number(value) > 0);
  return found as number | undefined;
}

/**
 * Only decimal text above 0 is a price, in USD per token or unit: a number may have another unit (a million tokens, or
 * cents), and 0 or less may be a trial or a missing price. Undefined unless the prices of both prompt and completion
 * are such text.
 */
function readPricing(value: unknown): EndpointPricing | undefined {
  if (!isObject(value)) return undefined;
  const taken = Object.entries(value).filter(([unit, price]) =>
    unit === 'overrides'
      ? Array.isArray(price) && price.length > 0
      : typeof price === 'string' && /^\d+(\.\d+)?$/.test(price) && Number(price) > 0,
  );
  const { data } = endpointDefinitionSchema.shape.pricing.safeParse(Object.fromEntries(taken));
  return data?.prompt !== undefined && data.completion !== undefined ? data : undefined;
}

function isObject(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null;
}
