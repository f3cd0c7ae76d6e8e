import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const DEEPSEEK: DatedModels = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'deepseek/deepseek-v4-pro',
      name: 'DeepSeek: DeepSeek V4 Pro',
      context_length: 1000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'DeepSeek' },
      endpoints: [
        {
          provider: 'deepseek',
          providerModel: 'deepseek-v4-pro',
          pricing: {
            prompt: '0.00000066',
            completion: '0.00000198',
            input_cache_read: '0.000000022',
            overrides: [
              {
                utc_start: 100,
                utc_end: 400,
                utc_days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
                prompt: '0.00000132',
                completion: '0.00000396',
                input_cache_read: '0.000000044',
              },
              {
                utc_start: 600,
                utc_end: 1000,
                utc_days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
                prompt: '0.00000132',
                completion: '0.00000396',
                input_cache_read: '0.000000044',
              },
            ],
          },
          supports_implicit_caching: true,
        },
      ],
    },
    {
      id: 'deepseek/deepseek-v4-flash',
      name: 'DeepSeek: DeepSeek V4 Flash',
      context_length: 1000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'DeepSeek' },
      endpoints: [{ provider: 'deepseek', providerModel: 'deepseek-v4-flash', supports_implicit_caching: true }],
    },
    {
      id: 'deepseek/deepseek-chat-v3.1',
      name: 'DeepSeek: DeepSeek V3.1',
      created: 1755734400,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'DeepSeek' },
      endpoints: [{ provider: 'together', providerModel: 'deepseek-ai/DeepSeek-V3.1' }],
    },
    {
      id: 'deepseek/deepseek-r1',
      name: 'DeepSeek: R1',
      created: 1737331200,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'DeepSeek' },
      endpoints: [
        {
          provider: 'together',
          providerModel: 'deepseek-ai/DeepSeek-R1',
          pricing: { prompt: '0.000003', completion: '0.000007' },
        },
      ],
    },
  ],
};
