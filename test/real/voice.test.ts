import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startComposed } from '../support/gateways/start-composed.ts';
import { findVoice, hear, startVoice, type VoiceServer } from './voice-server.ts';

const KEY = 'sk-gw-v1-real';
const SAID = 'three zero six';

const missing = findVoice();
const why = missing === undefined ? '' : `, skipped: ${missing}`;

describe.skipIf(missing !== undefined)(`a real voice and real ears${why}`, { timeout: 60_000 }, () => {
  let voice: VoiceServer;
  beforeAll(async () => {
    voice = await startVoice();
  });
  afterAll(() => voice.close());

  const start = async (): Promise<OpenAI> => {
    const { apiUrl } = await startComposed({
      server: { port: 0 },
      store: { type: 'memory' },
      auth: { bootstrapKeys: [{ key: KEY }] },
      providers: [{ slug: 'house', wire: 'openai', baseUrl: voice.baseUrl, apiKey: null }],
      models: [
        {
          id: 'house/voice',
          architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
          supported_voices: ['en-us', 'en-gb'],
          endpoints: [{ provider: 'house', providerModel: 'espeak', pricing: { character: '0.000015' } }],
        },
        {
          id: 'house/ears',
          architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
          endpoints: [{ provider: 'house', providerModel: 'sphinx', pricing: { audio_second: '0.0001' } }],
        },
      ],
    });
    return new OpenAI({ apiKey: KEY, baseURL: apiUrl, maxRetries: 0 });
  };

  const speak = async (openai: OpenAI): Promise<Uint8Array> => {
    const spoken = await openai.audio.speech.create({
      model: 'house/voice',
      voice: 'en-us',
      input: SAID,
      response_format: 'wav',
    });
    return new Uint8Array(await spoken.arrayBuffer());
  };

  test('what is spoken through the gateway is understood through it', async () => {
    const openai = await start();
    const sound = await speak(openai);
    expect(Buffer.from(sound.subarray(0, 4)).toString()).toBe('RIFF');
    expect(await hear(sound)).toBe(SAID);
    const file = await toFile(sound, 'said.wav', { type: 'audio/wav' });
    const { text } = await openai.audio.transcriptions.create({ model: 'house/ears', file });
    expect(text).toBe(SAID);
  });
});
