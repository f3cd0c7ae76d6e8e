import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const QWEN: DatedModels = {
  sources: [
    { url: 'https://github.com/anomalyco/models.dev', date: '2026-09-23' },
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'qwen/qwen3-max',
      name: 'Qwen: Qwen3 Max',
      created: 1758585600,
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen3' },
      endpoints: [
        {
          provider: 'alibaba',
          providerModel: 'qwen3-max',
          pricing: {
            prompt: '0.0000012',
            completion: '0.000006',
            input_cache_read: '0.00000024',
            input_cache_write: '0.0000015',
            overrides: [
              {
                min_prompt_tokens: 32000,
                prompt: '0.0000024',
                completion: '0.000012',
                input_cache_read: '0.00000048',
                input_cache_write: '0.000003',
              },
              {
                min_prompt_tokens: 128000,
                prompt: '0.000003',
                completion: '0.000015',
                input_cache_read: '0.0000006',
                input_cache_write: '0.00000375',
              },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'qwen/qwen3-coder-plus',
      name: 'Qwen: Qwen3 Coder Plus',
      created: 1753142400,
      context_length: 1000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen3' },
      endpoints: [
        {
          provider: 'alibaba',
          providerModel: 'qwen3-coder-plus',
          pricing: {
            prompt: '0.000001',
            completion: '0.000005',
            input_cache_read: '0.0000002',
            input_cache_write: '0.00000125',
            overrides: [
              {
                min_prompt_tokens: 32000,
                prompt: '0.0000018',
                completion: '0.000009',
                input_cache_read: '0.00000036',
                input_cache_write: '0.00000225',
              },
              {
                min_prompt_tokens: 128000,
                prompt: '0.000003',
                completion: '0.000015',
                input_cache_read: '0.0000006',
                input_cache_write: '0.00000375',
              },
              {
                min_prompt_tokens: 256000,
                prompt: '0.000006',
                completion: '0.00006',
                input_cache_read: '0.0000012',
                input_cache_write: '0.0000075',
              },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'qwen/qwen-plus',
      name: 'Qwen: Qwen Plus',
      context_length: 1000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen' },
      endpoints: [{ provider: 'alibaba', providerModel: 'qwen-plus' }],
    },
    {
      id: 'qwen/qwen3.7-max',
      name: 'Qwen: Qwen3.7 Max',
      context_length: 1000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'alibaba', providerModel: 'qwen3.7-max' }],
    },
    {
      id: 'qwen/qwen3.7-plus',
      name: 'Qwen: Qwen3.7 Plus',
      context_length: 1000000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [{ provider: 'alibaba', providerModel: 'qwen3.7-plus' }],
    },
    {
      id: 'qwen/qwen3.8-max',
      name: 'Qwen: Qwen3.8 Max',
      context_length: 1000000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [{ provider: 'alibaba', providerModel: 'qwen3.8-max' }],
    },
    {
      id: 'qwen/qwen3.8-flash',
      name: 'Qwen: Qwen3.8 Flash',
      context_length: 1000000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [{ provider: 'alibaba', providerModel: 'qwen3.8-flash' }],
    },
    {
      id: 'qwen/qwen3-32b',
      name: 'Qwen: Qwen3 32B',
      created: 1745798400,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen3' },
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'qwen/qwen3-32b',
          max_completion_tokens: 40960,
          pricing: { prompt: '0.00000029', completion: '0.00000059' },
          supported_parameters: [
            'max_tokens',
            'max_completion_tokens',
            'temperature',
            'top_p',
            'frequency_penalty',
            'presence_penalty',
            'seed',
            'stop',
            'tools',
            'tool_choice',
            'parallel_tool_calls',
            'response_format',
            'structured_outputs',
            'reasoning',
            'reasoning_effort',
            'include_reasoning',
          ],
        },
      ],
    },
    {
      id: 'qwen/qwen3-235b-a22b-2507',
      name: 'Qwen: Qwen3 235B A22B Instruct 2507',
      created: 1753056000,
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen3' },
      endpoints: [
        {
          provider: 'together',
          providerModel: 'Qwen/Qwen3-235B-A22B-Instruct-2507-tput',
          pricing: { prompt: '0.0000002', completion: '0.0000006' },
          quantization: 'fp8',
        },
      ],
    },
    {
      id: 'qwen/qwen3-coder',
      name: 'Qwen: Qwen3 Coder 480B A35B',
      created: 1753142400,
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Qwen3' },
      endpoints: [
        {
          provider: 'together',
          providerModel: 'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8',
          pricing: { prompt: '0.000002', completion: '0.000002' },
          quantization: 'fp8',
        },
      ],
    },
  ],
};
