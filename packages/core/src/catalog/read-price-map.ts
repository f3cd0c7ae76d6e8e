import { isObject, type Unchecked } from '../foundation/parse.ts';
import { withoutUnknown } from '../providers/kit/read-listed-models.ts';
import type { DiscoveredModel, ListedPrices, Provider } from '../providers/provider.ts';
import { type EndpointPricing, endpointDefinitionSchema, type PriceUnit } from '../wire/model-definition.ts';

/*
 * The form of LiteLLM's `model_prices_and_context_window.json`: an object with an entry for each model of each provider,
 * `{ "bedrock/acme.chat-v1:0": { "litellm_provider": "bedrock", "input_cost_per_token": 3e-06, … } }`.
 */

/** Presets that the form has by another name. */
const NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['bedrock', ['bedrock', 'bedrock_converse']],
  ['vertex', ['vertex_ai']],
  ['vertex-anthropic', ['vertex_ai']],
  ['google', ['gemini']],
]);

/** What follows the provider where a key tells how Bedrock is called. */
const CALLED_BY = /^(converse|invoke)\//;

/** The prices that are taken, each of one unit: what is called `per_token` is USD a token. */
const PRICES: ReadonlyMap<string, PriceUnit> = new Map([
  ['input_cost_per_token', 'prompt'],
  ['output_cost_per_token', 'completion'],
  ['cache_read_input_token_cost', 'input_cache_read'],
  ['cache_creation_input_token_cost', 'input_cache_write'],
  ['cache_creation_input_token_cost_above_1hr', 'input_cache_write_1h'],
  ['input_cost_per_audio_token', 'audio'],
  ['output_cost_per_audio_token', 'audio_output'],
  ['output_cost_per_reasoning_token', 'internal_reasoning'],
]);

/** Matches the prices of long prompts: `input_cost_per_token_above_200k_tokens`. */
const LONG_PROMPT = /^(.+)_above_(\d+)k_tokens$/;

/**
 * Reads what such an object says of one provider's models, by the provider's own names of them: those of regions are
 * models of their own (`us.acme.chat-v1:0`), and have no price of another region. Undefined where it has another form.
 */
export function readPriceMap(
  body: unknown,
  provider: Pick<Provider, 'slug' | 'preset'>,
): readonly DiscoveredModel[] | undefined {
  if (!isObject(body) || Array.isArray(body)) return undefined;
  const entries = Object.entries(body).filter((entry): entry is [string, Unchecked] => isPriceEntry(entry[1]));
  if (entries.length === 0) return undefined;
  const { slug, preset } = provider;
  const names = NAMES.get(preset ?? slug) ?? [...(preset == null ? [] : [preset]), slug];
  const models = new Map<string, DiscoveredModel>();
  for (const [key, entry] of entries) {
    const prefix = names.find((name) => key.startsWith(`${name}/`));
    if (!isOf(entry['litellm_provider'], names, prefix)) continue;
    const id = prefix === undefined ? key : key.slice(prefix.length + 1).replace(CALLED_BY, '');
    if (!models.has(id)) models.set(id, { id, ...readFacts(entry) });
  }
  return [...models.values()];
}

const isPriceEntry = (entry: unknown): boolean =>
  isObject(entry) && ('litellm_provider' in entry || 'input_cost_per_token' in entry);

/** Providers have kinds of models behind their names: `vertex_ai-language-models`. */
const isOf = (stated: unknown, names: readonly string[], prefix: string | undefined): boolean =>
  typeof stated === 'string'
    ? names.some((name) => stated === name || stated.startsWith(`${name}-`))
    : prefix !== undefined;

function readFacts(entry: Unchecked): Omit<DiscoveredModel, 'id'> {
  const inputs = entry['supported_modalities'];
  return withoutUnknown({
    contextLength: toCount(entry['max_input_tokens']),
    maxCompletionTokens: toCount(entry['max_output_tokens'] ?? entry['max_tokens']),
    inputModalities: isListOfTexts(inputs) ? inputs : undefined,
    callsTools: toFlag(entry['supports_function_calling']),
    readsImages: toFlag(entry['supports_vision']),
    reasons: toFlag(entry['supports_reasoning']),
    keepsSchemas: toFlag(entry['supports_response_schema']),
    listedPrices: readPrices(entry),
  });
}

const toCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;

const toFlag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/** Doubtful unless prompt and completion have prices above 0: what is free may be a trial, or not known. */
function readPrices(entry: Unchecked): ListedPrices | undefined {
  const stated = Object.entries(entry).filter(([field]) => PRICES.has(field) || LONG_PROMPT.test(field));
  if (stated.length === 0) return undefined;
  const pricing: Partial<Record<PriceUnit, string>> = {};
  const long = new Map<number, Partial<Record<PriceUnit, string>>>();
  for (const [field, value] of stated) {
    const [, base = field, thousands] = LONG_PROMPT.exec(field) ?? [];
    const unit = PRICES.get(base);
    const price = toPriceText(value);
    if (unit === undefined || price === undefined) continue;
    if (thousands === undefined) pricing[unit] = price;
    else {
      const above = Number(thousands) * 1000;
      long.set(above, { ...long.get(above), [unit]: price });
    }
  }
  const overrides = [...long]
    .toSorted(([one], [other]) => one - other)
    .map(([above, prices]) => ({ min_prompt_tokens: above, ...prices }));
  const { data } = endpointDefinitionSchema.shape.pricing.safeParse({
    ...pricing,
    ...(overrides.length > 0 && { overrides }),
  });
  return isPriced(data, entry['mode'])
    ? { pricing: data }
    : { doubtful: JSON.stringify(Object.fromEntries(stated)).slice(0, 200) };
}

/** Vectors have no completion to pay for. */
const isPriced = (pricing: EndpointPricing | undefined, mode: unknown): pricing is EndpointPricing =>
  pricing?.prompt !== undefined && (pricing.completion !== undefined || mode === 'embedding');

/** A price above 0 as decimal text without an exponent: `1.5e-7` is `0.00000015`. */
function toPriceText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  if (!(Number(text) > 0)) return undefined;
  const [, whole = '', part = '', exponent] = /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/i.exec(text) ?? [];
  if (whole === '') return undefined;
  if (exponent === undefined) return text;
  const digits = `${'0'.repeat(Number(exponent))}${whole}`;
  const point = digits.length - Number(exponent);
  return `${digits.slice(0, point).replace(/^0+(?=\d)/, '')}.${digits.slice(point)}${part}`;
}
