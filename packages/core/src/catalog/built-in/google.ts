import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const GOOGLE: DatedModels<'chat' | 'image'> = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  parameterSets: {
    chat: [
      'max_tokens',
      'max_completion_tokens',
      'temperature',
      'top_p',
      'top_k',
      'seed',
      'stop',
      'tools',
      'tool_choice',
      'response_format',
      'structured_outputs',
      'reasoning',
      'reasoning_effort',
      'include_reasoning',
    ],
    image: ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'seed', 'stop'],
  },
  models: [
    {
      id: 'google/gemini-2.5-pro',
      name: 'Google: Gemini 2.5 Pro',
      created: 1750118400,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-2.5-pro',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.00000125',
            completion: '0.00001',
            input_cache_read: '0.000000125',
            overrides: [
              {
                min_prompt_tokens: 200000,
                prompt: '0.0000025',
                completion: '0.000015',
                input_cache_read: '0.00000025',
              },
            ],
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-2.5-flash',
      name: 'Google: Gemini 2.5 Flash',
      created: 1750118400,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-2.5-flash',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.0000003',
            completion: '0.0000025',
            input_cache_read: '0.00000003',
            audio: '0.000001',
            input_audio_cache: '0.0000001',
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-2.5-flash-lite',
      name: 'Google: Gemini 2.5 Flash Lite',
      created: 1753142400,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-2.5-flash-lite',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.0000001',
            completion: '0.0000004',
            input_cache_read: '0.00000001',
            audio: '0.0000003',
            input_audio_cache: '0.00000003',
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-2.5-flash-image',
      name: 'Google: Gemini 2.5 Flash Image',
      created: 1759363200,
      context_length: 32768,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text', 'image'], tokenizer: 'Gemini' },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-2.5-flash-image',
          max_completion_tokens: 32768,
          pricing: { prompt: '0.0000003', completion: '0.0000025', image_output: '0.00003' },
          supported_parameters: 'image',
        },
      ],
    },
    {
      id: 'google/gemini-3-pro-preview',
      name: 'Google: Gemini 3 Pro Preview',
      created: 1763424000,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3-pro-preview',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.000002',
            completion: '0.000012',
            input_cache_read: '0.0000002',
            overrides: [
              { min_prompt_tokens: 200000, prompt: '0.000004', completion: '0.000018', input_cache_read: '0.0000004' },
            ],
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3-pro-image-preview',
      name: 'Google: Gemini 3 Pro Image Preview',
      created: 1763596800,
      context_length: 131072,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text', 'image'], tokenizer: 'Gemini' },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3-pro-image-preview',
          max_completion_tokens: 32768,
          pricing: { prompt: '0.000002', completion: '0.000012', image_output: '0.00012' },
          supported_parameters: 'image',
        },
      ],
    },
    {
      id: 'google/gemini-3-flash-preview',
      name: 'Google: Gemini 3 Flash Preview',
      created: 1765929600,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3-flash-preview',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.0000005',
            completion: '0.000003',
            input_cache_read: '0.00000005',
            audio: '0.000001',
            input_audio_cache: '0.0000001',
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.1-pro-preview',
      name: 'Google: Gemini 3.1 Pro Preview',
      created: 1771459200,
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.1-pro-preview',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.000002',
            completion: '0.000012',
            input_cache_read: '0.0000002',
            overrides: [
              { min_prompt_tokens: 200000, prompt: '0.000004', completion: '0.000018', input_cache_read: '0.0000004' },
            ],
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.1-flash-lite',
      name: 'Google: Gemini 3.1 Flash Lite',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.1-flash-lite',
          max_completion_tokens: 65536,
          pricing: {
            prompt: '0.00000025',
            completion: '0.0000015',
            input_cache_read: '0.000000025',
            audio: '0.0000005',
            input_audio_cache: '0.00000005',
          },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.1-flash-image-preview',
      name: 'Google: Gemini 3.1 Flash Image Preview',
      context_length: 65536,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text', 'image'], tokenizer: 'Gemini' },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.1-flash-image-preview',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.0000005', completion: '0.000003', image_output: '0.00006' },
          supported_parameters: 'image',
        },
      ],
    },
    {
      id: 'google/gemini-3.5-flash',
      name: 'Google: Gemini 3.5 Flash',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.5-flash',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.0000015', completion: '0.000009', input_cache_read: '0.00000015' },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.5-flash-lite',
      name: 'Google: Gemini 3.5 Flash Lite',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.5-flash-lite',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.0000003', completion: '0.0000025', input_cache_read: '0.00000003' },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.6-flash',
      name: 'Google: Gemini 3.6 Flash',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.6-flash',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.00000075', completion: '0.00000375', input_cache_read: '0.000000075' },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.7-flash',
      name: 'Google: Gemini 3.7 Flash',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.7-flash',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.00000075', completion: '0.00000375', input_cache_read: '0.000000075' },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemini-3.8-flash',
      name: 'Google: Gemini 3.8 Flash',
      context_length: 1048576,
      architecture: {
        input_modalities: ['text', 'image', 'file', 'audio', 'video'],
        output_modalities: ['text'],
        tokenizer: 'Gemini',
      },
      endpoints: [
        {
          provider: 'google',
          providerModel: 'gemini-3.8-flash',
          max_completion_tokens: 65536,
          pricing: { prompt: '0.00000075', completion: '0.00000375', input_cache_read: '0.000000075' },
          supported_parameters: 'chat',
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'google/gemma-4-31b-it',
      name: 'Google: Gemma 4 31B',
      context_length: 131072,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Gemini' },
      endpoints: [
        {
          provider: 'cerebras',
          providerModel: 'gemma-4-31b',
          pricing: { prompt: '0.00000099', completion: '0.00000149' },
        },
      ],
    },
  ],
};
