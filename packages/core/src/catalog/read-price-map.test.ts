import { describe, expect, test } from 'vitest';

import { compareEndpoints } from './compare-endpoints.ts';
import { readPriceMap } from './read-price-map.ts';

/** Made up, in the form that many tools read. */
const DOCUMENT = {
  sample_spec: { litellm_provider: 'one of the providers', max_tokens: 'a number', input_cost_per_token: 0 },
  'acme.chat-v1:0': { litellm_provider: 'bedrock_converse', input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 },
  'us.acme.chat-v1:0': {
    litellm_provider: 'bedrock_converse',
    mode: 'chat',
    input_cost_per_token: 2.2e-6,
    output_cost_per_token: 0.0000088,
    cache_read_input_token_cost: 2.2e-7,
    cache_creation_input_token_cost: 2.75e-6,
    input_cost_per_token_above_200k_tokens: 4.4e-6,
    output_cost_per_token_above_200k_tokens: 1.32e-5,
    input_cost_per_token_batches: 1.1e-6,
    max_input_tokens: 150000,
    max_output_tokens: 12000,
    max_tokens: 9,
    supports_function_calling: true,
    supports_vision: true,
    supports_reasoning: false,
    supports_response_schema: true,
  },
  'bedrock/converse/acme.called-v1:0': { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
  'bedrock/eu-west-9/acme.chat-v1:0': {
    litellm_provider: 'bedrock',
    input_cost_per_token: 9e-6,
    output_cost_per_token: 9e-6,
  },
  'acme.vectors-v1': {
    litellm_provider: 'bedrock',
    mode: 'embedding',
    input_cost_per_token: 1e-7,
    output_cost_per_token: 0,
  },
  'acme.trial-v1': { litellm_provider: 'bedrock', input_cost_per_token: 0, output_cost_per_token: 0 },
  'vertex_ai/gemini-acme': {
    litellm_provider: 'vertex_ai-language-models',
    input_cost_per_token: 1.25e-6,
    output_cost_per_token: 1e-5,
    input_cost_per_audio_token: 12e-7,
    supported_modalities: ['text', 'image', 'audio'],
    max_input_tokens: 1000000,
    max_tokens: 60000,
  },
  'vertex_ai/claude-acme@20260101': {
    litellm_provider: 'vertex_ai-anthropic_models',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
  },
  'gemini/gemini-acme': { litellm_provider: 'gemini', input_cost_per_token: 5e-6, output_cost_per_token: 5e-6 },
  'gpt-acme': { litellm_provider: 'openai', input_cost_per_token: 7e-6, output_cost_per_token: 7e-6 },
};

const BEDROCK = { slug: 'our-bedrock', preset: 'bedrock' };

const read = (provider: { readonly slug: string; readonly preset?: string | null }) =>
  new Map(readPriceMap(DOCUMENT, provider)?.map(({ id, ...facts }) => [id, facts]));

describe('a map of prices', () => {
  test.each([
    [
      BEDROCK,
      [
        'acme.called-v1:0',
        'acme.chat-v1:0',
        'acme.trial-v1',
        'acme.vectors-v1',
        'eu-west-9/acme.chat-v1:0',
        'us.acme.chat-v1:0',
      ],
    ],
    [{ slug: 'google-vertex', preset: 'vertex' }, ['claude-acme@20260101', 'gemini-acme']],
    [{ slug: 'google-vertex-anthropic', preset: 'vertex-anthropic' }, ['claude-acme@20260101', 'gemini-acme']],
    [{ slug: 'google-ai-studio', preset: 'google' }, ['gemini-acme']],
    [{ slug: 'openai' }, ['gpt-acme']],
    [{ slug: 'constructor', preset: null }, []],
  ])('has for %j the models of that cloud alone, by the names that the cloud has for them', (provider, ids) => {
    expect([...read(provider).keys()].toSorted()).toEqual(ids);
  });

  test('states prices as exact decimal text, those of long prompts, limits and abilities', () => {
    expect(read(BEDROCK).get('us.acme.chat-v1:0')).toEqual({
      contextLength: 150000,
      maxCompletionTokens: 12000,
      callsTools: true,
      readsImages: true,
      reasons: false,
      keepsSchemas: true,
      listedPrices: {
        pricing: {
          prompt: '0.0000022',
          completion: '0.0000088',
          input_cache_read: '0.00000022',
          input_cache_write: '0.00000275',
          overrides: [{ min_prompt_tokens: 200000, prompt: '0.0000044', completion: '0.0000132' }],
        },
      },
    });
    expect(read({ slug: 'v', preset: 'vertex' }).get('gemini-acme')).toEqual({
      contextLength: 1000000,
      maxCompletionTokens: 60000,
      inputModalities: ['text', 'image', 'audio'],
      listedPrices: { pricing: { prompt: '0.00000125', completion: '0.00001', audio: '0.0000012' } },
    });
  });

  test('states no price where one is 0, except the missing one of vectors', () => {
    expect(read(BEDROCK).get('acme.vectors-v1')?.listedPrices).toEqual({ pricing: { prompt: '0.0000001' } });
    expect(read(BEDROCK).get('acme.trial-v1')?.listedPrices).toEqual({
      doubtful: '{"input_cost_per_token":0,"output_cost_per_token":0}',
    });
  });

  test.each<[unknown, string | undefined]>([
    [1e-7, '0.0000001'],
    [1.234e-10, '0.0000000001234'],
    [0.25, '0.25'],
    [3, '3'],
    [12e-1, '1.2'],
    ['2.5e-06', '0.0000025'],
    ['0.000004', '0.000004'],
    [-1, undefined],
    [1e21, undefined],
    ['free', undefined],
    [null, undefined],
  ])('reads the price %j as %j', (value, text) => {
    const document = { 'acme-1': { litellm_provider: 'acme', input_cost_per_token: value, output_cost_per_token: 1 } };
    const [model] = readPriceMap(document, { slug: 'acme' }) ?? [];
    expect(model?.listedPrices).toMatchObject(
      text === undefined ? { doubtful: expect.any(String) } : { pricing: { prompt: text, completion: '1' } },
    );
  });

  test.each([[[]], [{ data: [] }], [{ hello: { cost: 1 } }], ['text'], [null], [{ a: null }]])('is not %j', (body) => {
    expect(readPriceMap(body, BEDROCK)).toBeUndefined();
  });

  test('changes the endpoints of a region by its own entry, and none by the entry of another region', () => {
    const endpoint = { provider: 'our-bedrock', supported_parameters: ['reasoning', 'include_reasoning', 'top_p'] };
    const models = [
      { id: 'acme/chat', endpoints: [{ ...endpoint, providerModel: 'us.acme.chat-v1:0' }] },
      { id: 'acme/chat-eu', endpoints: [{ ...endpoint, providerModel: 'eu.acme.chat-v1:0' }] },
    ];
    const { changes, notes } = compareEndpoints(models, readPriceMap(DOCUMENT, BEDROCK) ?? [], 'our-bedrock');
    expect(notes).toMatchObject([{ model: 'acme/chat-eu', kind: 'unlisted' }]);
    expect(new Set(changes.map(({ model }) => model))).toEqual(new Set(['acme/chat']));
    const to = Object.fromEntries(changes.map((change) => [change.field, change.to]));
    expect(to).toMatchObject({
      context_length: 150000,
      supported_parameters: ['top_p', 'tools', 'tool_choice', 'structured_outputs'],
      input_modalities: ['text', 'image'],
      'pricing.prompt': '0.0000022',
      'pricing.overrides': [{ min_prompt_tokens: 200000 }],
    });
  });
});
