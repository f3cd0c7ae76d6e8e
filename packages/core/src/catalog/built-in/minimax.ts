import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const MINIMAX: DatedModels = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  models: [
    {
      id: 'minimax/minimax-m2.7',
      name: 'MiniMax: MiniMax M2.7',
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/minimax-m2p7',
          pricing: { prompt: '0.0000003', completion: '0.0000012', input_cache_read: '0.00000006' },
        },
        {
          provider: 'together',
          providerModel: 'MiniMaxAI/MiniMax-M2.7',
          pricing: { prompt: '0.0000003', completion: '0.0000012', input_cache_read: '0.00000006' },
        },
      ],
    },
    {
      id: 'minimax/minimax-m3',
      name: 'MiniMax: MiniMax M3',
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'fireworks',
          providerModel: 'accounts/fireworks/models/minimax-m3',
          pricing: { prompt: '0.0000003', completion: '0.0000012', input_cache_read: '0.00000006' },
        },
        {
          provider: 'together',
          providerModel: 'MiniMaxAI/MiniMax-M3',
          pricing: { prompt: '0.0000003', completion: '0.0000012', input_cache_read: '0.00000006' },
        },
      ],
    },
  ],
};
