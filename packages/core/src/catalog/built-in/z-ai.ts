import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const Z_AI: DatedModels = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'z-ai/glm-5.1',
      name: 'Z.ai: GLM 5.1',
      context_length: 202752,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/glm-5p1',
          pricing: { prompt: '0.0000014', completion: '0.0000044', input_cache_read: '0.00000026' },
        },
        {
          provider: 'together',
          providerModel: 'zai-org/GLM-5.1',
          pricing: { prompt: '0.0000014', completion: '0.0000044', input_cache_read: '0.00000026' },
        },
      ],
    },
    {
      id: 'z-ai/glm-5.2',
      name: 'Z.ai: GLM 5.2',
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/glm-5p2',
          pricing: { prompt: '0.0000014', completion: '0.0000044' },
        },
        { provider: 'together', providerModel: 'zai-org/GLM-5.2' },
      ],
    },
  ],
};
