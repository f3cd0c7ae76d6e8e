import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const MOONSHOTAI: DatedModels = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'moonshotai/kimi-k2-0905',
      name: 'MoonshotAI: Kimi K2 0905',
      created: 1757030400,
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'moonshotai/kimi-k2-instruct-0905',
          max_completion_tokens: 16384,
          pricing: { prompt: '0.000001', completion: '0.000003', input_cache_read: '0.0000005' },
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
          ],
          supports_implicit_caching: true,
        },
        {
          provider: 'together',
          providerModel: 'moonshotai/Kimi-K2-Instruct-0905',
          pricing: { prompt: '0.000001', completion: '0.000003' },
        },
      ],
    },
    {
      id: 'moonshotai/kimi-k2.5',
      name: 'MoonshotAI: Kimi K2.5',
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'moonshot',
          providerModel: 'kimi-k2.5',
          pricing: { prompt: '0.0000006', completion: '0.000003', input_cache_read: '0.0000001' },
          supports_implicit_caching: true,
        },
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/kimi-k2p5',
          pricing: { prompt: '0.0000006', completion: '0.000003', input_cache_read: '0.0000001' },
        },
      ],
    },
    {
      id: 'moonshotai/kimi-k2.6',
      name: 'MoonshotAI: Kimi K2.6',
      context_length: 262144,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'moonshot',
          providerModel: 'kimi-k2.6',
          pricing: { prompt: '0.00000095', completion: '0.000004', input_cache_read: '0.00000016' },
          supports_implicit_caching: true,
        },
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/kimi-k2p6',
          pricing: { prompt: '0.00000095', completion: '0.000004', input_cache_read: '0.00000016' },
        },
      ],
    },
    {
      id: 'moonshotai/kimi-k2.7-code',
      name: 'MoonshotAI: Kimi K2.7 Code',
      context_length: 262144,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'moonshot',
          providerModel: 'kimi-k2.7-code',
          pricing: { prompt: '0.00000095', completion: '0.000004', input_cache_read: '0.00000019' },
          supports_implicit_caching: true,
        },
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/kimi-k2p7-code',
          pricing: { prompt: '0.00000095', completion: '0.000004', input_cache_read: '0.00000019' },
        },
      ],
    },
    {
      id: 'moonshotai/kimi-k3',
      name: 'MoonshotAI: Kimi K3',
      context_length: 1048576,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'moonshot',
          providerModel: 'kimi-k3',
          pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
          supports_implicit_caching: true,
        },
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/kimi-k3',
          pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
        },
      ],
    },
  ],
};
