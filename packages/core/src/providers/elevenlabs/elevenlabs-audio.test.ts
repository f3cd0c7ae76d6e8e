import type { ModelDefinition } from '@model-gateway/core';
import { createElevenLabsProvider } from '@model-gateway/core/providers/elevenlabs-audio';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, readFrames } from '../../../../../test/support/gateways/core-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'elevenlabs/voice',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [{ provider: 'eleven', providerModel: 'eleven_v3', pricing: { character: '0.0001' } }],
  },
  {
    id: 'elevenlabs/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [{ provider: 'eleven', providerModel: 'scribe_v1', pricing: { audio_second: '0.0001' } }],
  },
];

function createElevenGateway(transport: ScriptedTransport) {
  const settings = { slug: 'eleven', name: 'Eleven', baseUrl: 'https://eleven.example/v1', apiKey: 'xi-key-of-eleven' };
  return createCoreGateway([createElevenLabsProvider({ ...settings, transport })], { models: MODELS });
}

test('speaks with a voice in the address, in the format that is asked for', async () => {
  const upstream = createReplayTransport({
    headers: { 'content-type': 'audio/mpeg', 'request-id': 'request-1' },
    pieces: ['spok', 'en'],
  });
  const core = createElevenGateway(upstream);
  const response = await core.post('/api/v1/audio/speech', {
    model: 'elevenlabs/voice',
    input: 'Hello',
    voice: 'JBFqnCBsd6RMkjVDRZzb',
    response_format: 'mp3',
    speed: 1.1,
    provider: { options: { eleven: { seed: 1, text: 'not this', voice_settings: { stability: 0.5 } } } },
  });
  expect(await readFrames(response).rest()).toBe('spoken');
  expect(response.headers['content-type']).toBe('audio/mpeg');
  const { request, sent } = upstream.latest();
  expect(request.url).toBe(
    'https://eleven.example/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_44100_128',
  );
  expect(request.headers['xi-api-key']).toBe('xi-key-of-eleven');
  expect(sent).toEqual({
    seed: 1,
    text: 'Hello',
    model_id: 'eleven_v3',
    voice_settings: { stability: 0.5, speed: 1.1 },
  });
  expect(core.store.appended[0]?.record.generation).toMatchObject({ upstream_id: 'request-1', total_cost: 0.0005 });
});

test.each([undefined, '..', 'a/b', 'x?y'])(
  'refuses the voice %j, because it is a part of the address',
  async (voice) => {
    const upstream = createReplayTransport({ pieces: ['x'] });
    const request = { model: 'elevenlabs/voice', input: 'Hello', ...(voice !== undefined && { voice }) };
    const response = await createElevenGateway(upstream).post('/api/v1/audio/speech', request);
    expect(response.status).toBe(400);
    expect(upstream.exchanges).toHaveLength(0);
  },
);

test('hands on why upstream refuses', async () => {
  const detail = { status: 'voice_not_found', message: 'There is no such voice' };
  const upstream = createReplayTransport({ status: 400, pieces: [JSON.stringify({ detail })] });
  const request = { model: 'elevenlabs/voice', input: 'Hello', voice: 'nobody' };
  const response = await createElevenGateway(upstream).post('/api/v1/audio/speech', request);
  expect([response.status, jsonOf(response)]).toMatchObject([400, { error: { message: 'There is no such voice' } }]);
});

test('writes down a file, with the times of words and sentences where they are asked for', async () => {
  const upstream = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [
      JSON.stringify({
        language_code: 'eng',
        text: 'Hello there',
        audio_duration_secs: 2.5,
        words: [
          { text: 'Hello', type: 'word', start: 0, end: 1 },
          { text: ' ', type: 'spacing', start: 1, end: 1.2 },
          { text: 'there', type: 'word', start: 1.2, end: 2 },
        ],
      }),
    ],
  });
  const core = createElevenGateway(upstream);
  const response = await core.post('/api/v1/audio/transcriptions', {
    model: 'elevenlabs/ears',
    language: 'en',
    response_format: 'verbose_json',
    input_audio: { data: Buffer.from('audio').toString('base64'), format: 'mp3' },
  });
  expect(jsonOf(response)).toEqual({
    task: 'transcribe',
    text: 'Hello there',
    language: 'eng',
    duration: 2.5,
    segments: [{ id: 0, start: 0, end: 2, text: 'Hello there' }],
    words: [
      { word: 'Hello', start: 0, end: 1 },
      { word: 'there', start: 1.2, end: 2 },
    ],
    usage: { seconds: 2.5, cost: 0.00025, is_byok: false },
  });
  const { url, headers, body } = upstream.latest().request;
  expect(url).toBe('https://eleven.example/v1/speech-to-text');
  if (typeof body !== 'function') throw new TypeError('The body is not in pieces');
  const pieces: Uint8Array[] = [];
  for await (const piece of body()) pieces.push(piece);
  const type = { 'content-type': String(headers['content-type']) };
  const form = await new Response(Buffer.concat(pieces), { headers: type }).formData();
  expect(form.get('model_id')).toBe('scribe_v1');
  expect(form.get('language_code')).toBe('en');
  expect(form.get('timestamps_granularity')).toBe('word');
});
