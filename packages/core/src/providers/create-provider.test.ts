import { expect, test } from 'vitest';

import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createProvider } from './create-provider.ts';
import { PRESETS } from './provider-presets.ts';

test.each(Object.entries(PRESETS))(
  'the preset %s makes a provider with chats unless it says that it has none',
  async (preset, known) => {
    const transport = createScriptedTransport();
    const { wire, hasChat = !['fal', 'replicate', 'elevenlabs', 'deepgram'].includes(wire) } = known;
    const baseUrl = 'https://up.example/v1';
    const provider = await createProvider({ wire, slug: 'mine', preset, baseUrl, transport, downloads: transport });
    expect(provider.chat !== undefined).toBe(hasChat);
  },
);

test.each(Object.entries(PRESETS))('a provider of the preset %s is known by it', async (preset, { wire }) => {
  const transport = createScriptedTransport();
  const options = { wire, baseUrl: 'https://up.example/v1', transport, downloads: transport };
  expect(await createProvider({ ...options, slug: 'mine', preset })).toMatchObject({ slug: 'mine', preset });
  expect((await createProvider({ ...options, slug: 'own', preset: null })).preset ?? null).toBeNull();
});
