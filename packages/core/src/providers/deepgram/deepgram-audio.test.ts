import type { ModelDefinition } from '@model-gateway/core';
import { createDeepgramProvider } from '@model-gateway/core/providers/deepgram-audio';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, readFrames } from '../../../../../test/support/gateways/core-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'deepgram/voice',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [{ provider: 'deepgram', providerModel: 'aura-2', pricing: { character: '0.00003' } }],
  },
  {
    id: 'deepgram/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [{ provider: 'deepgram', providerModel: 'nova-3', pricing: { audio_second: '0.0001' } }],
  },
];
const JSON_TYPE = { 'content-type': 'application/json' };

function createDeepgramGateway(transport: ScriptedTransport) {
  const settings = {
    slug: 'deepgram',
    name: 'Deepgram',
    baseUrl: 'https://deep.example/v1',
    apiKey: 'key-of-deepgram',
  };
  return createCoreGateway([createDeepgramProvider({ ...settings, transport })], { models: MODELS });
}
const speak = (transport: ScriptedTransport, request: object = {}) =>
  createDeepgramGateway(transport).post('/api/v1/audio/speech', {
    model: 'deepgram/voice',
    input: 'Hello',
    voice: 'thalia-en',
    ...request,
  });

test('speaks with a voice in the name of the model, in the format that is asked for', async () => {
  const upstream = createReplayTransport({
    headers: { 'content-type': 'audio/mpeg', 'dg-request-id': 'request-1' },
    pieces: ['spok', 'en'],
  });
  const response = await speak(upstream, {
    response_format: 'mp3',
    provider: { options: { deepgram: { tag: 'x', callback: 'https://elsewhere.example' } } },
  });
  expect(await readFrames(response).rest()).toBe('spoken');
  const { request, sent } = upstream.latest();
  expect(request.url).toBe('https://deep.example/v1/speak?tag=x&model=aura-2-thalia-en&encoding=mp3');
  expect(request.headers['authorization']).toBe('Token key-of-deepgram');
  expect(sent).toEqual({ text: 'Hello' });
});

test.each([
  ['wav', 'encoding=linear16&container=wav'],
  ['pcm', 'encoding=linear16&container=none&sample_rate=24000'],
  ['opus', 'encoding=opus&container=ogg'],
])('asks for %s by %s', async (format, query) => {
  const upstream = createReplayTransport({ headers: { 'content-type': 'audio/x' }, pieces: ['x'] });
  await readFrames(await speak(upstream, { response_format: format })).rest();
  expect(upstream.latest().request.url).toContain(`?model=aura-2-thalia-en&${query}`);
});

test.each([
  [{ err_code: 'Bad Request', err_msg: 'Unsupported voice', request_id: 'r' }],
  [{ category: 'INVALID_QUERY_PARAMETER', message: 'Invalid', details: 'Unsupported voice', request_id: 'r' }],
])('hands on why upstream refuses: %j', async (error) => {
  const response = await speak(createReplayTransport({ status: 400, pieces: [JSON.stringify(error)] }));
  expect([response.status, jsonOf(response)]).toMatchObject([400, { error: { message: 'Unsupported voice' } }]);
});

const listen = (transport: ScriptedTransport, request: object = {}) =>
  createDeepgramGateway(transport).post('/api/v1/audio/transcriptions', {
    model: 'deepgram/ears',
    input_audio: { data: Buffer.from('audio').toString('base64'), format: 'mp3' },
    ...request,
  });
const TRANSCRIPT = {
  metadata: { request_id: 'request-2', duration: 2.5 },
  results: {
    channels: [
      {
        detected_language: 'en',
        alternatives: [
          {
            transcript: 'Hello there. A fox.',
            words: [
              { word: 'hello', punctuated_word: 'Hello', start: 0, end: 0.5 },
              { word: 'there', punctuated_word: 'there.', start: 0.5, end: 1 },
              { word: 'a', punctuated_word: 'A', start: 1.1, end: 1.2 },
              { word: 'fox', punctuated_word: 'fox.', start: 1.2, end: 2 },
            ],
          },
        ],
      },
    ],
  },
};

test('writes down a file, with the times of words and sentences where they are asked for', async () => {
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(TRANSCRIPT)] });
  const response = await listen(upstream, { response_format: 'verbose_json' });
  expect(jsonOf(response)).toMatchObject({
    text: 'Hello there. A fox.',
    language: 'en',
    duration: 2.5,
    segments: [
      { id: 0, start: 0, end: 1, text: 'Hello there.' },
      { id: 1, start: 1.1, end: 2, text: 'A fox.' },
    ],
    words: [{ word: 'Hello', start: 0, end: 0.5 }, {}, {}, {}],
    usage: { seconds: 2.5, cost: 0.00025 },
  });
  const { url, headers, body } = upstream.latest().request;
  expect(url).toBe('https://deep.example/v1/listen?smart_format=true&detect_language=true&model=nova-3');
  expect(headers).toMatchObject({ 'content-type': 'audio/mpeg', 'content-length': '5' });
  if (typeof body !== 'function') throw new TypeError('The body is not in pieces');
  const pieces: Uint8Array[] = [];
  for await (const piece of body()) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('audio');
});

test('takes the language and parameters of the caller', async () => {
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(TRANSCRIPT)] });
  const options = { diarize: true, smart_format: false, callback: 'https://elsewhere.example' };
  expect(
    jsonOf(await listen(upstream, { language: 'de', provider: { options: { deepgram: options } } })),
  ).toMatchObject({
    text: 'Hello there. A fox.',
  });
  expect(upstream.latest().request.url).toBe(
    'https://deep.example/v1/listen?smart_format=false&language=de&diarize=true&model=nova-3',
  );
});

test('takes no response without a transcript for one', async () => {
  const empty = { metadata: {}, results: { channels: [] } };
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(empty)] });
  expect((await listen(upstream)).status).toBe(502);
});
