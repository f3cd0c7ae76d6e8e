import { createAiSdkProvider } from '@model-gateway/ai-sdk';
import type { ImageCall, Provider, SpeechCall, TranscriptionCall, Transport } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { createOf } from '../../support/ai-sdk/chat-packages.ts';
import { createReplayTransport } from '../../support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const json = (value: object, status = 200) => ({ status, headers: JSON_TYPE, pieces: [JSON.stringify(value)] });

const shared = () => ({ signal: new AbortController().signal, timeoutMs: 5000 });
const embed = (provider: Provider, input: string | string[], dimensions?: number) =>
  provider.embeddings?.({ ...shared(), providerModel: 'm', request: { model: 'a/b', input, dimensions } });

describe('embeddings', () => {
  test('come from Cohere with their count and dimensions', async () => {
    const answer = {
      embeddings: {
        float: [
          [1, 2],
          [3, 4],
        ],
      },
      meta: { billed_units: { input_tokens: 5 } },
    };
    const transport = createReplayTransport(json(answer));
    const made = await embed(createOf('@ai-sdk/cohere')(transport), ['a', 'b'], 256);
    expect(made).toEqual({
      vectors: [
        [1, 2],
        [3, 4],
      ],
      promptTokens: 5,
    });
    expect(transport.latest().sent).toMatchObject({ model: 'm', texts: ['a', 'b'], output_dimension: 256 });
  });

  test('of more texts than a call of the package takes are asked for in several, in their order', async () => {
    const answer = (first: number, count: number) =>
      json({
        data: Array.from({ length: count }, (_, index) => ({ embedding: [first + index] })),
        usage: { prompt_tokens: count },
      });
    const transport = createReplayTransport(answer(0, 32), answer(32, 8));
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const made = await embed(createOf('@ai-sdk/mistral')(transport), texts);
    expect(made?.vectors).toEqual(texts.map((_, index) => [index]));
    expect(made?.promptTokens).toBe(40);
    expect(transport.exchanges).toHaveLength(2);
  });

  test('of tokens are a mistake of the caller, and so is a length that the model has not', async () => {
    const provider = createOf('@ai-sdk/cohere')(createReplayTransport(json({})));
    const tokens = provider.embeddings?.({ ...shared(), providerModel: 'm', request: { model: 'a/b', input: [1, 2] } });
    await expect(tokens).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(embed(provider, 'a', 3)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

test('Cohere puts documents in order, and says so with the id of its answer', async () => {
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ];
  const transport = createReplayTransport(json({ id: 'r-1', results, meta: {} }));
  const ranked = await createOf('@ai-sdk/cohere')(transport).rerank?.({
    ...shared(),
    providerModel: 'rerank-v4',
    request: { model: 'a/b', query: 'q', documents: ['x', { text: 'y' }], top_n: 2 },
  });
  expect(ranked).toEqual({
    ranked: [
      { index: 1, score: 0.9 },
      { index: 0, score: 0.1 },
    ],
    upstreamId: 'r-1',
  });
  expect(transport.latest().sent).toMatchObject({ documents: ['x', 'y'], top_n: 2 });
});

describe('images', () => {
  const order = (changes: Partial<ImageCall['order']> = {}): ImageCall => ({
    ...shared(),
    generationId: 'gen-1',
    providerModel: 'acme/painter',
    preferences: undefined,
    pause: () => Promise.resolve(),
    order: {
      prompt: 'a cat',
      count: 1,
      frame: {},
      references: [],
      mask: undefined,
      previews: 0,
      options: {},
      ...changes,
    },
  });
  const create = (name: string, options: object, transport: Transport, downloads: Transport): Provider =>
    createAiSdkProvider({ slug: 'sdk', package: name, options: { ...options }, transport, downloads });
  const finished = () => createReplayTransport({ headers: { 'content-type': 'image/png' }, pieces: [PNG] });

  test('of Replicate are fetched without its key, by the transport for addresses that upstreams name', async () => {
    const output = ['https://delivery.replicate.example/a.png'];
    const prediction = { id: 'p', status: 'succeeded', output, urls: { get: 'https://api.replicate.com/v1/p' } };
    const transport = createReplayTransport(json(prediction));
    const downloads = finished();
    const provider = create('@ai-sdk/replicate', { apiToken: 'key-of-sdk' }, transport, downloads);
    const made = await provider.image?.(order({ frame: { aspectRatio: '16:9' }, seed: 5 }));
    expect(made?.images).toEqual([{ base64: PNG.toString('base64'), mediaType: 'image/png' }]);
    expect(transport.latest().sent).toMatchObject({ input: { prompt: 'a cat', aspect_ratio: '16:9', seed: 5 } });
    expect(downloads.latest().request.url).toBe(output[0]);
    expect(JSON.stringify(downloads.latest().request.headers)).not.toContain('key-of-sdk');
  });

  test('of fal come in the pixels asked for, several by several calls, with options of its own', async () => {
    const image = { url: 'https://media.fal.example/a.png', width: 1, height: 1, content_type: 'image/png' };
    const transport = createReplayTransport(json({ images: [image] }));
    const provider = create('@ai-sdk/fal', { apiKey: 'key-of-sdk' }, transport, finished());
    const frame = { pixels: { width: 640, height: 480 } };
    const made = await provider.image?.(order({ count: 2, frame, options: { guidanceScale: 3 } }));
    expect(made?.images).toHaveLength(2);
    expect(transport.exchanges).toHaveLength(2);
    expect(transport.latest().sent).toMatchObject({ image_size: frame.pixels, guidance_scale: 3 });
  });

  test('that upstream refuses are refused with its words', async () => {
    const transport = createReplayTransport(json({ detail: 'No such version' }, 422));
    const provider = create('@ai-sdk/replicate', { apiToken: 'key-of-sdk' }, transport, finished());
    await expect(provider.image?.(order())).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'No such version',
      upstreamStatus: 422,
    });
  });
});

describe('audio', () => {
  const audio = { countsTokens: false, options: {}, ...shared(), idleMs: 5000, totalMs: 5000 };
  const speech: SpeechCall = {
    ...audio,
    providerModel: 'eleven_v3',
    request: { model: 'a/b', input: 'Good morning', speed: 1.1 },
    voice: 'rachel',
    format: 'mp3',
  };
  const hearing: TranscriptionCall = {
    ...audio,
    providerModel: 'scribe_v1',
    request: { model: 'a/b', language: 'en' },
    audio: {
      format: 'wav',
      filename: 'a.wav',
      mediaType: 'audio/wav',
      byteLength: 4,
      open: () => [Buffer.from('RIFF')],
    },
    isTimed: true,
    countsSeconds: false,
  };

  test('of ElevenLabs is spoken in the voice and the format asked for', async () => {
    const transport = createReplayTransport({ headers: { 'content-type': 'audio/mpeg' }, pieces: ['so', 'und'] });
    const made = await createOf('@ai-sdk/elevenlabs')(transport).speech?.(speech);
    const pieces: Uint8Array[] = [];
    for await (const piece of made?.body ?? []) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('sound');
    expect(made?.contentType).toBe('audio/mpeg');
    expect(transport.latest().request.url).toMatch(/text-to-speech\/rachel\?output_format=mp3/);
    expect(transport.latest().sent).toMatchObject({ text: 'Good morning', voice_settings: { speed: 1.1 } });
    expect(transport.latest().request.headers).toMatchObject({ 'xi-api-key': 'key-of-sdk' });
  });

  test('is heard by ElevenLabs and Groq, with times and length', async () => {
    const words = [
      { text: 'Good', type: 'word', start: 0, end: 0.4 },
      { text: 'morning', type: 'word', start: 0.5, end: 1 },
    ];
    const heard = { language_code: 'en', language_probability: 1, text: 'Good morning', words };
    const eleven = createReplayTransport(json(heard));
    expect(await createOf('@ai-sdk/elevenlabs')(eleven).transcription?.(hearing)).toMatchObject({
      text: 'Good morning',
      language: 'en',
      segments: [{ start: 0, end: 0.4, text: 'Good' }, { text: 'morning' }],
    });
    expect(Buffer.from(eleven.latest().request.body as Uint8Array).toString()).toMatch(/RIFF[^]*language_code[^]*en/);
    const groq = createReplayTransport(
      json({ text: 'Good morning', x_groq: { id: 'x' }, duration: 1.5, language: 'en' }),
    );
    expect(await createOf('@ai-sdk/groq')(groq).transcription?.(hearing)).toMatchObject({
      text: 'Good morning',
      seconds: 1.5,
    });
  });

  test('ends with its caller', async () => {
    const leaving = new AbortController();
    leaving.abort(new Error('gone'));
    const asked = createOf('@ai-sdk/elevenlabs')(createReplayTransport(json({}))).speech?.({
      ...speech,
      signal: leaving.signal,
    });
    await expect(asked).rejects.toThrow('gone');
  });
});
