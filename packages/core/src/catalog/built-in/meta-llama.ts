import type { DatedModels } from '../dated-models.ts';

/** Rewritten by `npm run catalog:refresh`, so one plain object and nothing else. */
export const META_LLAMA: DatedModels<'groq'> = {
  sources: [
    { url: 'https://github.com/pydantic/genai-prices', date: '2026-09-23' },
    { url: 'https://github.com/can1357/oh-my-pi', date: '2026-09-23' },
  ],
  parameterSets: {
    groq: [
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
  },
  models: [
    {
      id: 'meta-llama/llama-3.1-8b-instruct',
      name: 'Meta: Llama 3.1 8B Instruct',
      created: 1721692800,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Llama3' },
      knowledge_cutoff: '2023-12-31',
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'llama-3.1-8b-instant',
          max_completion_tokens: 131072,
          pricing: { prompt: '0.00000005', completion: '0.00000008' },
          supported_parameters: 'groq',
        },
      ],
    },
    {
      id: 'meta-llama/llama-3.3-70b-instruct',
      name: 'Meta: Llama 3.3 70B Instruct',
      created: 1733443200,
      context_length: 131072,
      architecture: { input_modalities: ['text'], output_modalities: ['text'], tokenizer: 'Llama3' },
      knowledge_cutoff: '2023-12-31',
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'llama-3.3-70b-versatile',
          max_completion_tokens: 32768,
          pricing: { prompt: '0.00000059', completion: '0.00000079' },
          supported_parameters: 'groq',
        },
        { provider: 'together', providerModel: 'meta-llama/Llama-3.3-70B-Instruct-Turbo', quantization: 'fp8' },
      ],
    },
    {
      id: 'meta-llama/llama-4-scout',
      name: 'Meta: Llama 4 Scout',
      created: 1743811200,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Llama4' },
      knowledge_cutoff: '2024-08-31',
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'meta-llama/llama-4-scout-17b-16e-instruct',
          max_completion_tokens: 8192,
          pricing: { prompt: '0.00000011', completion: '0.00000034' },
          supported_parameters: 'groq',
          context_length: 131072,
        },
        {
          provider: 'together',
          providerModel: 'meta-llama/Llama-4-Scout-17B-16E-Instruct',
          pricing: { prompt: '0.00000018', completion: '0.00000059' },
        },
      ],
    },
    {
      id: 'meta-llama/llama-4-maverick',
      name: 'Meta: Llama 4 Maverick',
      created: 1743811200,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], tokenizer: 'Llama4' },
      knowledge_cutoff: '2024-08-31',
      endpoints: [
        {
          provider: 'groq',
          providerModel: 'meta-llama/llama-4-maverick-17b-128e-instruct',
          max_completion_tokens: 8192,
          pricing: { prompt: '0.0000002', completion: '0.0000006' },
          supported_parameters: 'groq',
          context_length: 131072,
        },
        {
          provider: 'together',
          providerModel: 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8',
          pricing: { prompt: '0.00000027', completion: '0.00000085' },
          quantization: 'fp8',
        },
      ],
    },
  ],
};
