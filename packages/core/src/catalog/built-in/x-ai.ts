import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const X_AI: DatedModels = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'x-ai/grok-3',
      name: 'xAI: Grok 3',
      created: 1744156800,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-3',
          pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.00000075' },
          supported_parameters: [
            'max_tokens',
            'max_completion_tokens',
            'temperature',
            'top_p',
            'frequency_penalty',
            'presence_penalty',
            'logprobs',
            'top_logprobs',
            'seed',
            'stop',
            'tools',
            'tool_choice',
            'response_format',
            'structured_outputs',
          ],
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-3-mini',
      name: 'xAI: Grok 3 Mini',
      created: 1744156800,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-3-mini',
          pricing: { prompt: '0.0000003', completion: '0.0000005', input_cache_read: '0.000000075' },
          supported_parameters: [
            'max_tokens',
            'max_completion_tokens',
            'temperature',
            'top_p',
            'logprobs',
            'top_logprobs',
            'seed',
            'tools',
            'tool_choice',
            'response_format',
            'structured_outputs',
            'reasoning',
            'reasoning_effort',
            'include_reasoning',
          ],
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-code-fast-1',
      name: 'xAI: Grok Code Fast 1',
      created: 1756339200,
      context_length: 256000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-code-fast-1',
          pricing: { prompt: '0.0000002', completion: '0.0000015', input_cache_read: '0.00000002' },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-4.20',
      name: 'xAI: Grok 4.20',
      context_length: 1000000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-4.20-0309-reasoning',
          pricing: {
            prompt: '0.00000125',
            completion: '0.0000025',
            input_cache_read: '0.0000002',
            overrides: [
              { min_prompt_tokens: 199999, prompt: '0.0000025', completion: '0.000005', input_cache_read: '0.0000004' },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-4.3',
      name: 'xAI: Grok 4.3',
      context_length: 1000000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-4.3',
          pricing: {
            prompt: '0.00000125',
            completion: '0.0000025',
            input_cache_read: '0.0000002',
            overrides: [
              { min_prompt_tokens: 199999, prompt: '0.0000025', completion: '0.000005', input_cache_read: '0.0000004' },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-4.5',
      name: 'xAI: Grok 4.5',
      context_length: 500000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-4.5',
          pricing: {
            prompt: '0.000002',
            completion: '0.000006',
            input_cache_read: '0.0000003',
            overrides: [
              { min_prompt_tokens: 199999, prompt: '0.000004', completion: '0.000012', input_cache_read: '0.0000006' },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-4.6',
      name: 'xAI: Grok 4.6',
      context_length: 500000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-4.6',
          pricing: {
            prompt: '0.000002',
            completion: '0.000006',
            input_cache_read: '0.0000005',
            overrides: [
              { min_prompt_tokens: 199999, prompt: '0.000004', completion: '0.000012', input_cache_read: '0.000001' },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'x-ai/grok-build-0.1',
      name: 'xAI: Grok Build 0.1',
      context_length: 256000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Grok' },
      endpoints: [
        {
          provider: 'xai',
          providerModel: 'grok-build-0.1',
          pricing: {
            prompt: '0.000001',
            completion: '0.000002',
            input_cache_read: '0.0000002',
            overrides: [
              { min_prompt_tokens: 199999, prompt: '0.000002', completion: '0.000004', input_cache_read: '0.0000004' },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
  ],
};
