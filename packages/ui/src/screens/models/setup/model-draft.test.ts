import type { ConfiguredModel } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { startModelDraft, toDefinition, toModelDraft } from './model-draft.ts';

const MODEL: ConfiguredModel = {
  id: 'up/small-1',
  name: 'Small',
  aliases: ['fast', 'small'],
  context_length: 8192,
  distillable: true,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Other' },
  endpoints: [
    {
      provider: 'up',
      providerModel: 'small-1',
      quantization: 'fp8',
      region: 'eu',
      tag: 'turbo',
      context_length: 4096,
      max_completion_tokens: 1024,
      max_prompt_tokens: 3072,
      minOutputTokens: 16,
      supported_parameters: ['tools', 'seed'],
      supports_implicit_caching: true,
      pricing: {
        prompt: '0.00000015',
        completion: '0.0000006',
        input_cache_read: '0.00000007',
        request: '0.001',
        overrides: [{ min_prompt_tokens: 2000, prompt: '0.0000003' }],
      },
    },
  ],
};

test('a model that is opened and saved is the same, with what the form does not show', () => {
  expect(toDefinition(toModelDraft(MODEL))).toEqual(MODEL);
});

test('prices are shown for a million tokens', () => {
  expect(toModelDraft(MODEL).endpoints[0]?.prices).toMatchObject({
    prompt: '0.15',
    completion: '0.6',
    request: '0.001',
  });
});

test('a model of the list of a provider begins with its endpoint', () => {
  const draft = startModelDraft('up/author/large', ['other', 'up']);
  expect(toDefinition(draft)).toEqual({
    id: 'up/author/large',
    endpoints: [{ provider: 'up', providerModel: 'author/large' }],
  });
});

test('what is no price goes to the gateway as it was typed, which says so', () => {
  const draft = startModelDraft('up/large', ['up']);
  const [endpoint] =
    toDefinition({ ...draft, endpoints: draft.endpoints.map((row) => ({ ...row, prices: { prompt: 'cheap' } })) })
      .endpoints ?? [];
  expect(endpoint?.pricing).toEqual({ prompt: 'cheap' });
});
