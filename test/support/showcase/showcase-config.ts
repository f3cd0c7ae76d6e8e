import { MANAGEMENT_KEY } from './showcase-people.ts';

const PRESETS = ['openai', 'anthropic', 'google', 'groq', 'together', 'deepseek', 'mistral', 'moonshot', 'fireworks'];

const VERSIONS: Readonly<Record<string, string>> = { google: 'v1beta' };

/** A gateway before well-known companies, all of which stand on one port of this machine. */
export const toShowcaseConfig = (upstream: string): object => ({
  auth: {
    bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'Admin' }],
  },
  webhooks: { allowPrivateNetwork: true },
  providers: PRESETS.map((preset) => ({
    slug: preset,
    preset,
    baseUrl: `${upstream}/${preset}/${VERSIONS[preset] ?? 'v1'}`,
    apiKey: 'none',
    discoverModels: false,
  })),
  models: [
    {
      id: 'openai/sora-2',
      name: 'OpenAI: Sora 2',
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['video'] },
      endpoints: [{ provider: 'openai', providerModel: 'sora-2', pricing: { video_second: '0.02' } }],
    },
  ],
});
