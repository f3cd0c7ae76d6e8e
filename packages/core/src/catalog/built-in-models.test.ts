import { expect, test } from 'vitest';

import { PRESETS } from '../providers/provider-presets.ts';
import { kindOfOutput } from '../wire/call-kinds.ts';
import { type EndpointDefinition, type EndpointPricing, modelDefinitionSchema } from '../wire/model-definition.ts';
import { BUILT_IN_CATALOG, BUILT_IN_MODELS } from './built-in-models.ts';
import { pickServedModels } from './override-models.ts';
import { costOf, parsePrices } from './prices.ts';

const kindOfModel = ({ architecture }: (typeof BUILT_IN_MODELS)[number]) =>
  kindOfOutput(architecture?.output_modalities ?? []);
const endpoints = BUILT_IN_MODELS.flatMap((model) =>
  model.endpoints.map((endpoint) => ({ id: model.id, kind: kindOfModel(model), ...endpoint })),
);
/** The prices of chat models: models of other kinds have not both prices of tokens, and may be free. */
const priced = endpoints.flatMap(({ id, kind, provider, pricing }) =>
  pricing && kind === 'chat' ? [{ id, provider, pricing }] : [],
);

test('holds what a configuration could hold, each model once', () => {
  for (const model of BUILT_IN_MODELS) expect(modelDefinitionSchema.safeParse(model).error, model.id).toBeUndefined();
  const ids = BUILT_IN_MODELS.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(60);
  expect(ids).toEqual([...new Set(ids)]);
});

test('says of every author when the facts were compared, and with which pages', () => {
  for (const { sources, models } of BUILT_IN_CATALOG) {
    expect(sources.length).toBeGreaterThan(0);
    for (const { url, date } of sources) {
      expect(url).toMatch(/^https:\/\//);
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
    expect(new Set(models.map(({ id }) => id.split('/')[0])).size).toBe(1);
  }
});

test('names presets that there are, and each endpoint once', () => {
  for (const { id, provider } of endpoints) expect(Object.hasOwn(PRESETS, provider), `${id} at ${provider}`).toBe(true);
  const names = endpoints.map(({ provider, providerModel, tag }) => `${provider} ${providerModel} ${tag}`);
  expect(names).toEqual([...new Set(names)]);
});

test('has every set of parameters that an endpoint names', () => {
  const listing = endpoints.filter((endpoint) => 'supported_parameters' in endpoint);
  expect(listing.length).toBeGreaterThan(50);
  for (const { id, supported_parameters: names } of listing) expect(names, id).toContain('max_tokens');
});

test('leaves prices out that are not known, and knows both of a token or neither', () => {
  expect(priced.length).toBeGreaterThan(100);
  for (const { id, pricing } of priced) {
    const { overrides = [], ...units } = pricing;
    expect(Object.keys(units), id).toEqual(expect.arrayContaining(['prompt', 'completion']));
    const texts = [units, ...overrides].flatMap((prices) =>
      Object.values(prices).filter((value) => typeof value === 'string'),
    );
    for (const text of texts) expect(Number(text), `${id}: ${text}`).toBeGreaterThan(0);
  }
});

test('knows what models that speak and listen are charged by, with a voice to speak with', () => {
  const audio = BUILT_IN_MODELS.filter((model) => ['speech', 'transcription'].includes(kindOfModel(model) ?? ''));
  expect(audio.length).toBeGreaterThan(4);
  const units = ['character', 'audio_second', 'prompt,audio_output', 'prompt,completion'];
  for (const { id, architecture, supported_voices: voices, endpoints: own } of audio) {
    expect(architecture?.output_modalities?.includes('speech') === true, id).toBe((voices ?? []).length > 0);
    for (const { pricing } of own) expect(units, id).toContain(Object.keys(pricing ?? {}).join());
  }
});

const tokenUnits = ['prompt', 'completion', 'audio', 'input_cache_read', 'input_cache_write', 'image_output'] as const;

test('has no price that is a thousand times too high, as one for a thousand or a million tokens would be', () => {
  for (const { id, pricing } of priced) {
    for (const unit of tokenUnits) expect(Number(pricing[unit] ?? 0), `${id} ${unit}`).toBeLessThan(0.0005);
    const { prompt, completion, input_cache_read: read, input_cache_write: write } = pricing;
    expect(Number(completion), id).toBeGreaterThanOrEqual(Number(prompt));
    expect(Number(read ?? 0), id).toBeLessThan(Number(prompt));
    expect(Number(write ?? prompt), id).toBeGreaterThanOrEqual(Number(prompt));
  }
});

test('charges longer prompts more, step by step', () => {
  const tiered = priced.filter(({ pricing }) => pricing.overrides?.some((override) => override.min_prompt_tokens));
  expect(tiered.length).toBeGreaterThan(5);
  for (const { id, pricing } of tiered) {
    const steps = (pricing.overrides ?? []).filter(({ min_prompt_tokens: tokens }) => tokens !== undefined);
    const promptPrices = [pricing.prompt, ...steps.map(({ prompt }) => prompt)].map(Number);
    expect(promptPrices, id).toEqual(promptPrices.toSorted((a, b) => a - b));
    const thresholds = steps.map(({ min_prompt_tokens: tokens }) => tokens ?? 0);
    expect(thresholds, id).toEqual(thresholds.toSorted((a, b) => a - b));
  }
});

function pricingOf(id: string, provider: string): EndpointPricing | undefined {
  return endpoints.find(
    (endpoint: EndpointDefinition & { id: string }) => endpoint.id === id && endpoint.provider === provider,
  )?.pricing;
}

test.each([
  // 600 at 3 USD a million, 400 from the cache at 0.30, 100 at 15: 0.0018 + 0.00012 + 0.0015.
  ['anthropic/claude-sonnet-4.5', 'anthropic', 1000, 400, 100, 0.00342],
  // 300,000 at 2.50 USD a million, because there are more than 200,000, and 1,000 at 15.
  ['google/gemini-2.5-pro', 'google', 300_000, 0, 1000, 0.765],
  // 1,000 at 0.15 USD a million and 500 at 0.60.
  ['openai/gpt-4o-mini', 'openai', 1000, 0, 500, 0.00045],
])('knows what a call of %s costs at %s', (id, provider, promptTokens, cachedTokens, completionTokens, usd) => {
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
  expect(costOf(parsePrices(pricingOf(id, provider)), usage, { images: 0, at: 0 })?.usd).toBe(usd);
});

test('serves something at each provider that it names', () => {
  const presets = new Set(endpoints.map(({ provider }) => provider));
  for (const preset of presets) {
    const served = pickServedModels(BUILT_IN_MODELS, [{ slug: 'mine', preset }]);
    expect(served.length, preset).toBeGreaterThan(0);
    expect(served.every((model) => model.endpoints.every(({ provider }) => provider === 'mine'))).toBe(true);
  }
});
