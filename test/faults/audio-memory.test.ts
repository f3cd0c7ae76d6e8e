import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { AUDIO_MODELS, type AudioUpstream, startAudioUpstream } from '../support/upstreams/audio-upstream.ts';

const KEY = 'sk-test-api-key-0123456789';
const MIB = 1024 * 1024;
/** Ten minutes of PCM: 24,000 samples a second of two bytes. */
const TEN_MINUTES_BYTES = 600 * 24_000 * 2;
const FILE_BYTES = 25 * MIB;
const MAX_GROWTH_BYTES = 48 * MIB;

/** The command in front of an upstream of audio, with the most memory that it has had so far. */
async function serve({ baseUrl }: AudioUpstream) {
  const config = writeTestConfig({
    auth: { bootstrapKeys: [{ key: KEY }] },
    store: { type: 'memory' },
    providers: [{ slug: 'scripted', wire: 'openai', baseUrl, apiKey: 'key-of-up' }],
    models: AUDIO_MODELS,
  });
  const { url, pid } = await startCommand(config);
  return {
    post: (path: string, body: string | FormData, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/api/v1/audio${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, ...headers },
        body,
      }),
    peakBytes() {
      const [, kib = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(kib) * 1024;
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test.skipIf(!existsSync('/proc/self/status'))(
  'ten minutes of speech pass with at most 48 MiB more memory',
  async () => {
    let bytes = 4 * MIB;
    const upstream = await startAudioUpstream({ bytesOf: () => bytes });
    const { post, peakBytes } = await serve(upstream);
    const speak = async (): Promise<number> => {
      const response = await post('/speech', JSON.stringify({ model: 'test/voice', input: 'Hello' }), JSON_TYPE);
      let length = 0;
      for await (const piece of response.body ?? []) length += (piece as Uint8Array).length;
      return length;
    };
    // A short one first, so that what is measured is its length, and not the loading of code.
    await speak();
    const before = peakBytes();
    bytes = TEN_MINUTES_BYTES;
    expect(await speak()).toBeGreaterThanOrEqual(TEN_MINUTES_BYTES);
    const growth = peakBytes() - before;
    console.info(`speech: ${(growth / MIB).toFixed(1)} MiB more`);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  },
);

test.skipIf(!existsSync('/proc/self/status')).each(['a form', 'base64 in JSON'])(
  'a file of 25 MB as %s passes with at most 48 MiB more memory',
  async (how) => {
    const upstream = await startAudioUpstream();
    const { post, peakBytes } = await serve(upstream);
    const hear = async (size: number): Promise<unknown> => {
      const audio = Buffer.alloc(size, 'RIFF of noise');
      if (how === 'base64 in JSON') {
        const body = JSON.stringify({
          model: 'test/ears',
          input_audio: { data: audio.toString('base64'), format: 'mp3' },
        });
        return (await post('/transcriptions', body, JSON_TYPE)).json();
      }
      const form = new FormData();
      form.set('model', 'test/ears');
      form.set('file', new Blob([audio]), 'noise.mp3');
      return (await post('/transcriptions', form)).json();
    };
    await hear(4 * MIB);
    const before = peakBytes();
    expect(await hear(FILE_BYTES)).toMatchObject({ text: 'a long file' });
    const growth = peakBytes() - before;
    console.info(`${how}: ${(growth / MIB).toFixed(1)} MiB more`);
    expect(upstream.latest()['length']).toBeGreaterThan(FILE_BYTES);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  },
);
