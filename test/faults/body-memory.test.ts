import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { AUDIO_MODELS, type AudioUpstream, startAudioUpstream } from '../support/upstreams/audio-upstream.ts';

const KEY = 'sk-test-api-key-0123456789';
const MIB = 1024 * 1024;
/** Two hours of PCM: 24,000 samples a second of two bytes. Ten minutes would be no more than garbage may be. */
const SPEECH_BYTES = 2 * 3600 * 24_000 * 2;
/** Less than half of it: a machine that passes it on in a second makes garbage faster than it is collected. */
const MAX_SPEECH_GROWTH_BYTES = 150 * MIB;
/** Of a test: a busy machine takes its time for so many bytes. */
const TIMEOUT_MS = 60_000;
const FILE_BYTES = 25 * MIB;
const LARGEST_FILE_BYTES = 100 * MIB;
/** A first body, so that what is measured is the length of the second, and not the loading of code. */
const WARM_UP_BYTES = 4 * MIB;
/** What is read is garbage at once, of which a fast machine makes more before it is collected: 20 to 50 MiB were seen. */
const MAX_GROWTH_BYTES = 60 * MIB;

/** The command in front of an upstream of audio, with the memory that it has at rest and the most that it had since. */
async function serve({ baseUrl }: AudioUpstream) {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const config = writeTestConfig({
    auth: { bootstrapKeys: [{ key: KEY }] },
    store: { type: 'json', dir },
    providers: [{ slug: 'scripted', wire: 'openai', baseUrl, apiKey: 'key-of-up' }],
    models: AUDIO_MODELS,
  });
  const { url, pid } = await startCommand(config);
  const read = (name: string): number => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(String.raw`${name}:\s+(\d+) kB`).exec(status)?.[1]) * 1024;
  };
  return {
    post: (path: string, body: string | FormData, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, ...headers },
        body,
      }),
    /** Runs something; returns by how many bytes memory exceeded that at rest, at its peak. */
    async growthDuring(run: () => Promise<unknown>): Promise<number> {
      const before = read('VmRSS');
      // The peak is from now on.
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      await run();
      return read('VmHWM') - before;
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test.skipIf(!existsSync('/proc/self/status'))(
  'two hours of speech pass with less than half of them in memory',
  async () => {
    let bytes = WARM_UP_BYTES;
    const upstream = await startAudioUpstream({ bytesOf: () => bytes });
    const { post, growthDuring } = await serve(upstream);
    const speak = async (): Promise<number> => {
      const response = await post('/audio/speech', JSON.stringify({ model: 'test/voice', input: 'Hello' }), JSON_TYPE);
      let length = 0;
      for await (const piece of response.body ?? []) length += (piece as Uint8Array).length;
      return length;
    };
    await speak();
    bytes = SPEECH_BYTES;
    const growth = await growthDuring(async () => expect(await speak()).toBeGreaterThanOrEqual(SPEECH_BYTES));
    console.info(`speech: ${(growth / MIB).toFixed(1)} MiB more`);
    expect(growth).toBeLessThan(MAX_SPEECH_GROWTH_BYTES);
  },
  TIMEOUT_MS,
);

test.skipIf(!existsSync('/proc/self/status')).each(['a form', 'base64 in JSON'])(
  'a file of 25 MB as %s passes with at most 60 MiB more memory',
  async (how) => {
    const upstream = await startAudioUpstream();
    const { post, growthDuring } = await serve(upstream);
    const hear = async (size: number): Promise<unknown> => {
      const audio = Buffer.alloc(size, 'RIFF of noise');
      if (how === 'base64 in JSON') {
        const body = JSON.stringify({
          model: 'test/ears',
          input_audio: { data: audio.toString('base64'), format: 'mp3' },
        });
        return (await post('/audio/transcriptions', body, JSON_TYPE)).json();
      }
      const form = new FormData();
      form.set('model', 'test/ears');
      form.set('file', new Blob([audio]), 'noise.mp3');
      return (await post('/audio/transcriptions', form)).json();
    };
    await hear(WARM_UP_BYTES);
    const growth = await growthDuring(async () =>
      expect(await hear(FILE_BYTES)).toMatchObject({ text: 'a long file' }),
    );
    console.info(`${how}: ${(growth / MIB).toFixed(1)} MiB more`);
    expect(upstream.latest()['length']).toBeGreaterThan(FILE_BYTES);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  },
  TIMEOUT_MS,
);

test.skipIf(!existsSync('/proc/self/status'))(
  'a file of 100 MB is stored with at most 60 MiB more memory',
  async () => {
    const { post, growthDuring } = await serve(await startAudioUpstream());
    const upload = async (size: number): Promise<unknown> => {
      const form = new FormData();
      form.set('file', new Blob([Buffer.alloc(size, 'noise ')]), 'noise.txt');
      return (await post('/files', form)).json();
    };
    await upload(WARM_UP_BYTES);
    const growth = await growthDuring(async () =>
      expect(await upload(LARGEST_FILE_BYTES)).toMatchObject({ size_bytes: LARGEST_FILE_BYTES }),
    );
    console.info(`a stored file: ${(growth / MIB).toFixed(1)} MiB more`);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  },
  TIMEOUT_MS,
);
