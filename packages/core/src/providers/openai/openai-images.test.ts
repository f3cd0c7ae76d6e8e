import { expect, test } from 'vitest';

import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { OPENAI_PRESETS } from './openai-presets.ts';
import { createOpenAiProvider } from './openai-provider.ts';

async function sendTo(preset: 'openai' | 'azure', providerModel: string): Promise<Record<string, unknown>> {
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify({ data: [{ b64_json: 'iVBORw0KGgo=' }] })],
  });
  const { dialect } = OPENAI_PRESETS[preset];
  const settings = { slug: preset, name: 'Acme', baseUrl: 'https://acme.example/v1', apiKey: 'key' };
  await createOpenAiProvider({ ...settings, transport, dialect }).image?.({
    generationId: 'gen-1',
    order: {
      prompt: 'A fox',
      count: 1,
      frame: { resolution: '1K', aspectRatio: '16:9' },
      references: [],
      mask: undefined,
      previews: 0,
      options: {},
    },
    providerModel,
    preferences: undefined,
    signal: new AbortController().signal,
    timeoutMs: 1000,
    pause: () => Promise.resolve(),
  });
  return transport.latest().sent;
}

test.each([
  ['azure', 'pictures', undefined, '1536x1024'],
  ['azure', 'gpt-image-1', undefined, '1536x1024'],
  ['azure', 'gpt-image-2', undefined, '1360x768'],
  ['azure', 'dall-e-3', 'b64_json', '1360x768'],
  ['azure', 'Dalle3', 'b64_json', '1360x768'],
  ['azure', 'team-DALL-E-3', 'b64_json', '1360x768'],
  ['openai', 'pictures', 'b64_json', '1360x768'],
  ['openai', 'gpt-image-1', undefined, '1536x1024'],
] as const)('asks %s for images of "%s" with the response format %s and the size %s', async (...row) => {
  const [preset, model, format, size] = row;
  const sent = await sendTo(preset, model);
  expect([sent['response_format'], sent['size']]).toEqual([format, size]);
});
