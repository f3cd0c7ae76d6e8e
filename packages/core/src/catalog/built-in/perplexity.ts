import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const PERPLEXITY: DatedModels = {
  sources: [{ url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' }],
  models: [
    {
      id: 'perplexity/sonar',
      name: 'Perplexity: Sonar',
      context_length: 128000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'perplexity', providerModel: 'sonar' }],
    },
    {
      id: 'perplexity/sonar-pro',
      name: 'Perplexity: Sonar Pro',
      context_length: 200000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'perplexity', providerModel: 'sonar-pro' }],
    },
    {
      id: 'perplexity/sonar-reasoning-pro',
      name: 'Perplexity: Sonar Reasoning Pro',
      context_length: 128000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [{ provider: 'perplexity', providerModel: 'sonar-reasoning-pro' }],
    },
  ],
};
