import { OPENAI_PRESETS } from './openai/openai-presets.ts';
import type { Preset } from './provider-preset.ts';
import { UNKNOWN_DATA_POLICY } from './provider.ts';

/** Providers that need no code of their own, by name. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  ...OPENAI_PRESETS,
  anthropic: {
    wire: 'anthropic',
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    keyPage: 'https://console.anthropic.com/settings/keys',
    listsModels: true,
    dataPolicy: { training: false, retainsPrompts: true },
  },
  google: {
    wire: 'google',
    name: 'Google AI Studio',
    slug: 'google-ai-studio',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    apiKeyEnv: 'GEMINI_API_KEY',
    keyPage: 'https://aistudio.google.com/apikey',
    apiKeyAliases: ['GOOGLE_API_KEY'],
    listsModels: true,
    // Prompts of the free tier are used for training, those of paid ones are not; a key does not show its tier.
    dataPolicy: { training: null, retainsPrompts: true },
  },
  fal: {
    wire: 'fal',
    name: 'fal',
    baseUrl: 'https://queue.fal.run',
    apiKeyEnv: 'FAL_KEY',
    keyPage: 'https://fal.ai/dashboard/keys',
    listsModels: false,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
  replicate: {
    wire: 'replicate',
    name: 'Replicate',
    baseUrl: 'https://api.replicate.com/v1',
    apiKeyEnv: 'REPLICATE_API_TOKEN',
    keyPage: 'https://replicate.com/account/api-tokens',
    listsModels: false,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
  elevenlabs: {
    wire: 'elevenlabs',
    name: 'ElevenLabs',
    baseUrl: 'https://api.elevenlabs.io/v1',
    apiKeyEnv: 'ELEVENLABS_API_KEY',
    keyPage: 'https://elevenlabs.io/app/settings/api-keys',
    listsModels: false,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
  deepgram: {
    wire: 'deepgram',
    name: 'Deepgram',
    baseUrl: 'https://api.deepgram.com/v1',
    apiKeyEnv: 'DEEPGRAM_API_KEY',
    keyPage: 'https://console.deepgram.com/',
    listsModels: false,
    dataPolicy: UNKNOWN_DATA_POLICY,
  },
};
