import { createOpenAI } from '@ai-sdk/openai';
import { OpenRouter } from '@openrouter/sdk';
import { generateSpeech, transcribe } from 'ai';
import OpenAI, { toFile } from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { AUDIO_MODELS, startAudioUpstream } from '../../support/upstreams/audio-upstream.ts';

describe.each(HOST_KINDS)('audio on %s', (kind) => {
  async function connect() {
    const { baseUrl, latest } = await startAudioUpstream();
    const { gateway, nextRecord, close } = createTestGateway({ baseUrl }, { models: [...AUDIO_MODELS] });
    const host = await startHost(kind, gateway);
    onTestFinished(host.close);
    onTestFinished(close);
    const openai = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
    const { tts, stt } = new OpenRouter({
      apiKey: TEST_KEY,
      serverURL: host.apiUrl,
      retryConfig: { strategy: 'none' },
    });
    const ai = createOpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl });
    return { openai, tts, stt, ai, latest, nextRecord };
  }

  test('is spoken for the openai client', async () => {
    const { openai, latest, nextRecord } = await connect();
    const recorded = nextRecord();
    const response = await openai.audio.speech.create({
      model: 'test/voice',
      input: 'Hello there',
      voice: 'bruno',
      response_format: 'mp3',
      speed: 1.25,
    });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(await response.text()).toBe('Hello there');
    expect(latest()).toMatchObject({ voice: 'bruno', response_format: 'mp3', speed: 1.25 });
    const { generation } = await recorded;
    expect(generation).toMatchObject({ api_type: 'speech', total_cost: 0.00011 });
    expect(response.headers.get('x-generation-id')).toBe(generation.id);
  });

  test('is refused for the openai client by an error that names the voices', async () => {
    const { openai } = await connect();
    const refused = openai.audio.speech.create({ model: 'test/voice', input: 'Hello', voice: 'carla' });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('anna, bruno') as string,
    });
  });

  test('is spoken for the official client', async () => {
    const { tts } = await connect();
    const stream = await tts.createSpeech({
      speechRequest: { model: 'test/voice', input: 'Hello there', voice: 'anna', responseFormat: 'pcm' },
    });
    expect(await new Response(stream).text()).toBe('Hello there');
  });

  test('is spoken for the AI SDK', async () => {
    const { ai } = await connect();
    const { audio } = await generateSpeech({ model: ai.speech('test/voice'), text: 'Hello there', voice: 'anna' });
    expect(Buffer.from(audio.uint8Array).toString()).toBe('Hello there');
    expect(audio.mediaType).toBe('audio/mpeg');
  });

  test('is written down for the openai client', async () => {
    const { openai, latest, nextRecord } = await connect();
    const recorded = nextRecord();
    const file = await toFile(Buffer.from('what was said'), 'voice.mp3');
    const { text } = await openai.audio.transcriptions.create({ model: 'test/ears', file, language: 'en' });
    expect(text).toBe('what was said');
    expect(latest()).toMatchObject({ language: 'en', file: { name: 'audio.mp3', text: 'what was said' } });
    expect((await recorded).generation).toMatchObject({ api_type: 'transcription', total_cost: 0.0003 });
  });

  test('is written down for the openai client with times, as subtitles, and as a stream', async () => {
    const { openai } = await connect();
    const model = 'test/ears';
    const upload = () => toFile(Buffer.from('what was said'), 'voice.mp3');
    const timed = await openai.audio.transcriptions.create({
      model,
      file: await upload(),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(timed).toMatchObject({ language: 'english', duration: 3, words: [{ word: 'what was said' }] });
    const srt = await openai.audio.transcriptions.create({ model, file: await upload(), response_format: 'srt' });
    expect(srt).toBe('1\n00:00:00,000 --> 00:00:03,000\nwhat was said\n');
    const stream = await openai.audio.transcriptions.create({ model, file: await upload(), stream: true });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
  });

  test('is written down for the official client, from base64 and from a form', async () => {
    const { stt } = await connect();
    const data = Buffer.from('what was said').toString('base64');
    const answer = await stt.createTranscription({
      sttRequest: { model: 'test/ears', inputAudio: { data, format: 'mp3' } },
    });
    expect(answer).toMatchObject({ text: 'what was said', usage: { seconds: 3, cost: 0.0003 } });
    const form = await stt.createTranscriptionMultipart({
      requestBody: {
        model: 'test/ears',
        file: new File(['what was said'], 'voice.mp3'),
        responseFormat: 'verbose_json',
      },
    });
    expect(form).toMatchObject({ text: 'what was said', duration: 3, segments: [{ start: 0, end: 3 }] });
  });

  test('is written down for the AI SDK', async () => {
    const { ai } = await connect();
    const { text } = await transcribe({
      model: ai.transcription('test/ears'),
      audio: Buffer.from('what was said'),
    });
    expect(text).toBe('what was said');
  });
});
