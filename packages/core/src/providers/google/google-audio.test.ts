import type { ModelDefinition } from '@model-gateway/core';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, readFrames } from '../../../../../test/support/gateways/core-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'google/voice',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [
      { provider: 'google', providerModel: 'gemini-tts', pricing: { prompt: '0.000001', audio_output: '0.00001' } },
    ],
  },
  {
    id: 'google/both',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [
      { provider: 'google', providerModel: 'gemini-tts', pricing: { character: '0.000001' } },
      { provider: 'acme', providerModel: 'voice', pricing: { character: '0.000002' } },
    ],
  },
  {
    id: 'google/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [
      {
        provider: 'google',
        providerModel: 'gemini',
        pricing: { prompt: '0.000001', completion: '0.00001', audio: '0.000003' },
      },
    ],
  },
];

function createGoogleGateway(transport: ScriptedTransport) {
  const google = { slug: 'google', name: 'Google', baseUrl: 'https://google.example/v1beta', apiKey: 'g-key' };
  const acme = { slug: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', apiKey: 'a-key' };
  const providers = [
    createGoogleProvider({ ...google, transport, downloads: transport }),
    createOpenAiProvider({ ...acme, transport }),
  ];
  return createCoreGateway(providers, { models: MODELS });
}

const SAMPLES = 'twenty bytes of audio, and some more';
const toChunk = (text: string, more: object = {}) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: Buffer.from(text).toString('base64') } },
        ],
      },
      ...more,
    },
  ],
  responseId: 'response-1',
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 40, totalTokenCount: 49 },
});
const RESPONSE = JSON.stringify([toChunk(SAMPLES.slice(0, 10)), toChunk(SAMPLES.slice(10), { finishReason: 'STOP' })]);

const replay = (text: string, size = 100_000): ScriptedTransport =>
  createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [],
  });

test.each([1, 50, 100_000])('decodes speech while it arrives, in pieces of %i, and counts its tokens', async (size) => {
  const upstream = replay(RESPONSE, size);
  const core = createGoogleGateway(upstream);
  const request = { model: 'google/voice', input: 'Hello', voice: 'Kore', instructions: 'Say it softly' };
  const response = await core.post('/api/v1/audio/speech', request);
  expect([response.status, response.headers['content-type']]).toEqual([200, 'audio/pcm']);
  expect(await readFrames(response).rest()).toBe(SAMPLES);
  expect(upstream.latest().request).toMatchObject({
    url: 'https://google.example/v1beta/models/gemini-tts:streamGenerateContent',
    headers: { 'x-goog-api-key': 'g-key' },
  });
  expect(upstream.latest().sent).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Say it softly:\nHello' }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    },
  });
  expect(core.store.appended[0]?.record.generation).toMatchObject({
    upstream_id: 'response-1',
    tokens_prompt: 9,
    tokens_completion: 40,
    total_cost: 0.000409,
    usage_estimated: false,
  });
});

test('begins a wave file with a header', async () => {
  const core = createGoogleGateway(replay(RESPONSE));
  const request = { model: 'google/voice', input: 'Hello', response_format: 'wav' };
  const response = await core.post('/api/v1/audio/speech', request);
  const text = await readFrames(response).rest();
  expect(text.startsWith('RIFF')).toBe(true);
  expect(text.endsWith(SAMPLES)).toBe(true);
});

test('leaves formats that the wire does not have to other providers', async () => {
  const upstream = createReplayTransport({ headers: { 'content-type': 'audio/mpeg' }, pieces: ['mp3'] });
  const core = createGoogleGateway(upstream);
  const request = { input: 'Hello', response_format: 'mp3' };
  const response = await core.post('/api/v1/audio/speech', { model: 'google/both', ...request });
  expect(await readFrames(response).rest()).toBe('mp3');
  expect(upstream.latest().request.url).toBe('https://acme.example/v1/audio/speech');
  expect((await core.post('/api/v1/audio/speech', { model: 'google/voice', ...request })).status).toBe(404);
});

test.each([
  ['is cut', RESPONSE.slice(0, -30), true],
  ['ends at the output limit', JSON.stringify([toChunk(SAMPLES, { finishReason: 'MAX_TOKENS' })]), true],
  [
    'is withheld after its beginning',
    JSON.stringify([toChunk(SAMPLES, { finishReason: 'STOP' }), { candidates: [{ finishReason: 'OTHER' }] }]),
    true,
  ],
  ['has no audio', '[{"candidates":[{"finishReason":"SAFETY"}]}]', false],
  ['has audio that is none', '[{"candidates":[{"content":{"parts":[{"inlineData":{"data":"%%%%"}}]}}]}]', false],
  ['is an error', '[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Too many"}}]', false],
])('takes a response that %s for a failure', async (_name, text, hasBegun) => {
  const core = createGoogleGateway(replay(text));
  const response = await core.post('/api/v1/audio/speech', { model: 'google/voice', input: 'Hello' });
  if (hasBegun) await expect(readFrames(response).rest()).rejects.toThrow('Google broke the speech off');
  else expect(response.status).toBeGreaterThanOrEqual(429);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ finish_reason: 'error' });
});

test('sends audio in base64 to be written down, and charges it by its tokens', async () => {
  const parts = [{ text: 'Hm', thought: true }, { text: 'Hello there\n' }];
  const text = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  const usageMetadata = {
    promptTokenCount: 100,
    candidatesTokenCount: 3,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 20 },
      { modality: 'AUDIO', tokenCount: 80 },
    ],
  };
  const upstream = replay(JSON.stringify({ ...text, usageMetadata }));
  const core = createGoogleGateway(upstream);
  const bytes = Buffer.from('x'.repeat(600_000) + 'the end');
  const response = await core.post('/api/v1/audio/transcriptions', {
    model: 'google/ears',
    language: 'en',
    temperature: 0,
    input_audio: { data: bytes.toString('base64'), format: 'mp3' },
  });
  expect(jsonOf(response)).toMatchObject({
    text: 'Hello there',
    usage: { input_tokens: 100, output_tokens: 3, total_tokens: 103, cost: 0.00029 },
  });
  const { body } = upstream.latest().request;
  if (typeof body !== 'function') throw new TypeError('The body is not in pieces');
  const pieces: Uint8Array[] = [];
  for await (const piece of body()) pieces.push(piece);
  const sent = JSON.parse(Buffer.concat(pieces).toString()) as { contents: { parts: unknown[] }[] };
  expect(sent).toMatchObject({ generationConfig: { temperature: 0 } });
  expect(sent.contents[0]?.parts[1]).toEqual({
    inlineData: { mimeType: 'audio/mp3', data: bytes.toString('base64') },
  });
});

test.each(['MAX_TOKENS', 'RECITATION', undefined])(
  'takes a transcript that ends with %s for a failure',
  async (reason) => {
    const candidate = { content: { parts: [{ text: 'Hello th' }] }, ...(reason && { finishReason: reason }) };
    const core = createGoogleGateway(replay(JSON.stringify({ candidates: [candidate] })));
    const input_audio = { data: Buffer.from('audio').toString('base64'), format: 'mp3' };
    const response = await core.post('/api/v1/audio/transcriptions', { model: 'google/ears', input_audio });
    expect(response.status).toBe(502);
    expect(JSON.stringify(jsonOf(response))).toContain('Google broke the transcript off');
  },
);
