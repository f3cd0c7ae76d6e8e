import { expect, test } from 'vitest';

import { readListedModels } from './read-listed-models.ts';

test.each<[string, object, object]>([
  [
    'OpenRouter',
    {
      context_length: 128000,
      top_provider: { max_completion_tokens: 16384 },
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      supported_parameters: ['tools', 'seed'],
      pricing: { prompt: '0.0000025', completion: '0.00001', image: '0' },
    },
    {
      contextLength: 128000,
      maxCompletionTokens: 16384,
      inputModalities: ['text', 'image'],
      outputModalities: ['text'],
      supportedParameters: ['tools', 'seed'],
      listedPrices: { pricing: { prompt: '0.0000025', completion: '0.00001' } },
    },
  ],
  [
    'Mistral',
    { max_context_length: 131072, capabilities: { completion_chat: true, function_calling: true, vision: false } },
    { contextLength: 131072, callsTools: true, readsImages: false },
  ],
  [
    'Anthropic',
    {
      max_input_tokens: 200000,
      max_tokens: 64000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true } },
    },
    { contextLength: 200000, maxCompletionTokens: 64000, readsImages: true },
  ],
  [
    'LM Studio',
    { type: 'vlm', max_context_length: 32768, capabilities: ['tool_use'] },
    { contextLength: 32768, outputModalities: ['text'], callsTools: true },
  ],
  ['vLLM', { max_model_len: 8192, permission: [{ allow_view: true }] }, { contextLength: 8192 }],
  [
    'Google',
    { inputTokenLimit: 1048576, outputTokenLimit: 65536, thinking: true },
    { contextLength: 1048576, maxCompletionTokens: 65536 },
  ],
  [
    'Together, whose prices are numbers of a million tokens',
    { context_length: 131072, pricing: { input: 0.88, output: 0.88 } },
    { contextLength: 131072, listedPrices: { doubtful: '{"input":0.88,"output":0.88}' } },
  ],
  [
    'a broken server',
    { context_length: -1, top_provider: 7, supported_parameters: [1], capabilities: 'x', pricing: [] },
    { listedPrices: { doubtful: '[]' } },
  ],
])('reads what the list of %s says of a model', (_, fields, expected) => {
  const models = readListedModels({ data: [{ id: 'acme-1', ...fields }] });
  expect(models).toEqual([{ id: 'acme-1', ...expected }]);
});

test.each<[string, unknown, string[] | undefined]>([
  ['OpenAI', { object: 'list', data: [{ id: 'a' }, { id: 'b' }] }, ['a', 'b']],
  ['Google', { models: [{ name: 'models/gemini-1' }] }, ['models/gemini-1']],
  ['Together', [{ id: 'a' }], ['a']],
  ['a server with empty places', { data: [null, 7, { id: 3 }, { id: 'a' }] }, ['a']],
  ['no list', { error: { message: 'x' } }, undefined],
  ['text', 'models', undefined],
])('finds the models in the list of %s', (_, body, ids) => {
  expect(readListedModels(body)?.map(({ id }) => id)).toEqual(ids);
});
