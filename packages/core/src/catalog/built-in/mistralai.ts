import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const MISTRALAI: DatedModels<'chat'> = {
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
      'frequency_penalty',
      'presence_penalty',
      'seed',
      'stop',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'response_format',
      'structured_outputs',
    ],
  },
  models: [
    {
      id: 'mistralai/mistral-large-2512',
      name: 'Mistral: Mistral Large 3 2512',
      created: 1764633600,
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'mistral-large-2512',
          pricing: { prompt: '0.0000005', completion: '0.0000015', input_cache_read: '0.00000005' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/mistral-medium-3.1',
      name: 'Mistral: Mistral Medium 3.1',
      created: 1754956800,
      context_length: 131072,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'mistral-medium-2508',
          pricing: { prompt: '0.0000004', completion: '0.000002', input_cache_read: '0.00000004' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/mistral-medium-3-5',
      name: 'Mistral: Mistral Medium 3.5',
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'mistral-medium-2604',
          pricing: { prompt: '0.0000015', completion: '0.0000075', input_cache_read: '0.00000015' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/mistral-small-2603',
      name: 'Mistral: Mistral Small 2603',
      context_length: 256000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'mistral-small-2603',
          pricing: { prompt: '0.00000015', completion: '0.0000006', input_cache_read: '0.000000015' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/ministral-3b-2512',
      name: 'Mistral: Ministral 3 3B 2512',
      created: 1764633600,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'ministral-3b-2512',
          pricing: { prompt: '0.0000001', completion: '0.0000001', input_cache_read: '0.00000001' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/ministral-8b-2512',
      name: 'Mistral: Ministral 3 8B 2512',
      created: 1764633600,
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'ministral-8b-2512',
          pricing: { prompt: '0.00000015', completion: '0.00000015', input_cache_read: '0.000000015' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/ministral-14b-2512',
      name: 'Mistral: Ministral 3 14B 2512',
      created: 1764633600,
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'ministral-14b-2512',
          pricing: { prompt: '0.0000002', completion: '0.0000002', input_cache_read: '0.00000002' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/codestral-2508',
      name: 'Mistral: Codestral 2508',
      created: 1753833600,
      context_length: 256000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'codestral-2508',
          pricing: { prompt: '0.0000003', completion: '0.0000009', input_cache_read: '0.00000003' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/devstral-2512',
      name: 'Mistral: Devstral 2 2512',
      created: 1765238400,
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'devstral-2512',
          pricing: { prompt: '0.0000004', completion: '0.000002', input_cache_read: '0.00000004' },
          supported_parameters: 'chat',
        },
      ],
    },
    {
      id: 'mistralai/mistral-nemo',
      name: 'Mistral: Mistral Nemo',
      created: 1721260800,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Mistral' },
      endpoints: [
        {
          provider: 'mistral',
          providerModel: 'open-mistral-nemo',
          pricing: { prompt: '0.00000015', completion: '0.00000015' },
          supported_parameters: 'chat',
        },
      ],
    },
  ],
};
