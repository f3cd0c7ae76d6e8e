import type { ModelDefinition } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import { createCoreGateway, readFrames } from '../../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'openai/counted',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [
      { provider: 'openai', providerModel: 'mini-tts', pricing: { prompt: '0.000001', audio_output: '0.00001' } },
    ],
  },
];

const toEvent = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const toDelta = (text: string): string =>
  toEvent({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') });
const DONE = toEvent({
  type: 'speech.audio.done',
  usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 },
});

/** OpenAI itself, whose every response is these events in pieces of a size. */
function createOpenAi(events: string, size = 100_000) {
  const pieces = events.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const transport = createReplayTransport({ headers: { 'content-type': 'text/event-stream' }, pieces });
  const preset = PRESETS['openai'];
  const dialect = preset?.wire === 'openai' ? preset.dialect : undefined;
  const settings = { slug: 'openai', name: 'OpenAI', baseUrl: 'https://openai.example/v1', apiKey: 'key-of-openai' };
  const core = createCoreGateway([createOpenAiProvider({ ...settings, dialect, transport })], { models: MODELS });
  const speak = () => core.post('/api/v1/audio/speech', { model: 'openai/counted', input: 'Hello there' });
  return { core, transport, speak };
}

test.each([1, 30, 100_000])(
  'asks OpenAI for events where tokens are charged, and sends on their bytes, in pieces of %i',
  async (size) => {
    const { core, transport, speak } = createOpenAi(toDelta('spoken ') + toDelta('bytes') + DONE, size);
    const response = await speak();
    expect(response.headers['content-type']).toBe('audio/pcm');
    expect(await readFrames(response).rest()).toBe('spoken bytes');
    expect(transport.latest().sent).toMatchObject({ stream_format: 'sse', response_format: 'pcm' });
    expect(core.store.appended[0]?.record.generation).toMatchObject({
      tokens_prompt: 14,
      tokens_completion: 101,
      total_cost: 0.001024,
      usage_estimated: false,
    });
  },
);

test.each([
  ['events that stop before the last', toDelta('spoken'), 'OpenAI broke the speech off'],
  ['an error among events', toDelta('spoken') + toEvent({ type: 'error' }), 'OpenAI ended the speech with an error'],
])('takes %s for a speech that broke off', async (_what, events, message) => {
  const { core, speak } = createOpenAi(events);
  await expect(readFrames(await speak()).rest()).rejects.toThrow(message);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ finish_reason: 'error', usage_estimated: true });
});

test('tells audio that cannot be read as an error of upstream', async () => {
  const { speak } = createOpenAi(toEvent({ type: 'speech.audio.delta', audio: '%%%%' }));
  expect((await speak()).status).toBe(502);
});
