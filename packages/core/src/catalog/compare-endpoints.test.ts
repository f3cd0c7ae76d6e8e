import { expect, test } from 'vitest';

import type { DiscoveredModel } from '../providers/provider.ts';
import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';
import { changeEndpoint, compareEndpoints } from './compare-endpoints.ts';

const ENDPOINT: EndpointDefinition = {
  provider: 'acme',
  providerModel: 'chat-1',
  pricing: { prompt: '0.000001', completion: '0.000002' },
  supported_parameters: ['temperature', 'tools', 'tool_choice'],
};
const MODEL: ModelDefinition = {
  id: 'acme/chat-1',
  context_length: 1000,
  architecture: { input_modalities: ['text', 'image'] },
  endpoints: [ENDPOINT],
};

const changesOf = (entry: Omit<DiscoveredModel, 'id'>, model = MODEL) =>
  compareEndpoints([model], [{ id: 'chat-1', ...entry }], 'acme').changes.map(({ field, from, to }) => [
    field,
    from,
    to,
  ]);

test.each<[string, Omit<DiscoveredModel, 'id'>, unknown[]]>([
  ['the context of its model', { contextLength: 2000 }, ['context_length', 1000, 2000]],
  ['an unknown output limit', { maxCompletionTokens: 50 }, ['max_completion_tokens', undefined, 50]],
  [
    'a price',
    { listedPrices: { pricing: { prompt: '0.0000010', completion: '0.000003' } } },
    ['pricing.completion', '0.000002', '0.000003'],
  ],
  [
    'all parameters',
    { supportedParameters: ['temperature'], callsTools: true },
    ['supported_parameters', ENDPOINT.supported_parameters, ['temperature']],
  ],
  [
    'that it calls no tools',
    { callsTools: false },
    ['supported_parameters', ENDPOINT.supported_parameters, ['temperature']],
  ],
  ['that it reads no images', { readsImages: false }, ['input_modalities', ['text', 'image'], ['text']]],
  [
    'more inputs',
    { inputModalities: ['image', 'text', 'audio'] },
    ['input_modalities', ['text', 'image'], ['image', 'text', 'audio']],
  ],
])('finds %s in a list', (_, entry, change) => {
  expect(changesOf(entry)).toEqual([change]);
});

test('finds nothing in what a list says the same, in another order or with more zeros, or does not say', () => {
  expect(
    changesOf({
      contextLength: 1000,
      listedPrices: { pricing: { prompt: '0.00000100', completion: '0.000002' } },
      supportedParameters: ['tool_choice', 'tools', 'temperature'],
      inputModalities: ['image', 'text'],
    }),
  ).toEqual([]);
  expect(changesOf({})).toEqual([]);
  expect(changesOf({ callsTools: true, readsImages: true })).toEqual([]);
});

test('says nothing of the parameters of an endpoint that takes all of them', () => {
  const { supported_parameters: _, ...open } = ENDPOINT;
  expect(changesOf({ callsTools: false }, { ...MODEL, endpoints: [open] })).toEqual([]);
});

test('compares the endpoints of the named provider alone, and no price of a tier', () => {
  const entry = { id: 'chat-1', listedPrices: { pricing: { prompt: '0.5', completion: '0.5' } } };
  const endpoints = [
    { ...ENDPOINT, provider: 'other' },
    { ...ENDPOINT, tag: 'flex' },
  ];
  expect(compareEndpoints([{ ...MODEL, endpoints }], [entry], 'acme').changes).toEqual([]);
});

test('notes what is not listed, and prices that are doubtful or lack those for long prompts', () => {
  const long = { ...ENDPOINT.pricing, overrides: [{ min_prompt_tokens: 500, prompt: '0.1' }] };
  const models = ['gone', 'doubtful', 'long'].map((name) => ({
    ...MODEL,
    id: `acme/${name}`,
    endpoints: [{ ...ENDPOINT, providerModel: name, pricing: long }],
  }));
  const listed = [
    { id: 'doubtful', listedPrices: { doubtful: '{"prompt":"0"}' } },
    { id: 'models/long', listedPrices: { pricing: { prompt: '0.000001', completion: '0.5' } } },
  ];
  const { notes, compared } = compareEndpoints(models, listed, 'acme');
  expect(notes.map(({ model, kind }) => [model, kind])).toEqual([
    ['acme/gone', 'unlisted'],
    ['acme/doubtful', 'doubtful_prices'],
    ['acme/long', 'old_overrides'],
  ]);
  expect([...compared]).toEqual(['doubtful', 'models/long']);
});

test('changes one price and leaves the others of the endpoint', () => {
  expect(changeEndpoint(ENDPOINT, { field: 'pricing.prompt', to: '0.5' })).toEqual({
    ...ENDPOINT,
    pricing: { prompt: '0.5', completion: '0.000002' },
  });
  expect(changeEndpoint(ENDPOINT, { field: 'context_length', to: 7 })).toEqual({ ...ENDPOINT, context_length: 7 });
});
