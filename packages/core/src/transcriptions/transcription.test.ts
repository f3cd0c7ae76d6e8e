import { type ModelDefinition, type TransportRequest } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { FilterFunction } from '../guardrails/filter-functions.ts';

const architecture = { input_modalities: ['audio'], output_modalities: ['transcription'] };
const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/ears',
    architecture,
    endpoints: [
      { provider: 'acme', providerModel: 'ears-1', pricing: { audio_second: '0.0001' } },
      { provider: 'beta', providerModel: 'ears-b', pricing: { audio_second: '0.0002' } },
    ],
  },
  {
    id: 'acme/counted',
    architecture,
    endpoints: [
      { provider: 'acme', providerModel: 'counted-1', pricing: { prompt: '0.000001', completion: '0.00001' } },
    ],
  },
];

const JSON_TYPE = { 'content-type': 'application/json' };
const VERBOSE = {
  task: 'transcribe',
  text: 'Hello there. The code 42.',
  language: 'english',
  duration: 9.2,
  segments: [
    { id: 0, start: 0, end: 3.2, text: 'Hello there.', avg_logprob: -0.2 },
    { id: 1, start: 3.2, end: 9.2, text: 'The code 42.' },
  ],
  words: [{ word: 'Hello', start: 0, end: 0.4 }],
};

const replay = (body: object = VERBOSE): ScriptedTransport =>
  createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(body)] });

const hear = (core: CoreGateway, request: object = {}, more: Parameters<CoreGateway['post']>[2] = {}) =>
  core.post(
    '/api/v1/audio/transcriptions',
    {
      model: 'acme/ears',
      input_audio: { data: Buffer.from('the audio').toString('base64'), format: 'mp3' },
      provider: { sort: 'price' },
      ...request,
    },
    more,
  );

const recordOf = (core: CoreGateway, at = 0) => core.store.appended[at]?.record.generation;

/** The form that upstream was sent. */
async function formOf({ headers, body }: TransportRequest): Promise<FormData> {
  if (typeof body !== 'function') throw new TypeError('The body is not in pieces');
  const pieces: Uint8Array[] = [];
  for await (const piece of body()) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  expect(headers['content-length']).toBe(String(whole.byteLength));
  return new Response(whole, { headers: { 'content-type': String(headers['content-type']) } }).formData();
}

test('hands the text on with usage, cost and the record of the call', async () => {
  const upstream = replay();
  const core = createCoreGateway(upstream, { models: MODELS, logging: { inputOutput: true } });
  const response = await hear(core, { language: 'en', temperature: 0 });
  const record = recordOf(core);
  expect(response).toMatchObject({ status: 200, headers: { 'x-generation-id': record?.id } });
  expect(jsonOf(response)).toEqual({
    text: VERBOSE.text,
    usage: { seconds: 9.2, cost: 0.00092, is_byok: false },
  });
  const form = await formOf(upstream.latest().request);
  expect(upstream.latest().request.url).toBe('https://acme.example/v1/audio/transcriptions');
  expect([...form.entries()].filter(([name]) => name !== 'file')).toEqual([
    ['model', 'ears-1'],
    ['language', 'en'],
    ['temperature', '0'],
    // It alone tells the length, by which the call is charged.
    ['response_format', 'verbose_json'],
  ]);
  const file = form.get('file') as File;
  expect([file.name, file.type, await file.text()]).toEqual(['audio.mp3', 'audio/mpeg', 'the audio']);
  expect(record).toMatchObject({
    api_type: 'transcription',
    model: 'acme/ears',
    provider_name: 'Acme',
    streamed: false,
    total_cost: 0.00092,
    usage_estimated: false,
  });
  expect(core.store.appended[0]?.content).toMatchObject({
    input: { prompt: '[audio: mp3, 9 bytes]' },
    output: { completion: VERBOSE.text },
    request: { body: { model: 'acme/ears', input_audio: { format: 'mp3', bytes: 9 } } },
  });
});

test.each([[1], [7], [100_000]])('takes a form with a file, cut into pieces of %i bytes', async (size) => {
  const upstream = replay();
  const core = createCoreGateway(upstream, { models: MODELS });
  const form = new FormData();
  form.set('model', 'acme/ears');
  form.set('file', new Blob(['RIFF…'], { type: 'audio/x-wav' }), 'my voice.flac');
  form.set('response_format', 'verbose_json');
  form.append('timestamp_granularities[]', 'word');
  form.append('timestamp_granularities[]', 'segment');
  form.set('temperature', '0.5');
  form.set('provider', '{"sort":"price"}');
  form.set('prompt', 'ignored');
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') as string;
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  async function* cut(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const response = await core.post('/api/v1/audio/transcriptions', null, {
    ...bodyOf(),
    openBody: cut,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': type },
  });
  expect(response.status).toBe(200);
  expect(jsonOf(response)).toMatchObject({ ...VERBOSE, usage: { seconds: 9.2 } });
  const sent = await formOf(upstream.latest().request);
  expect((sent.get('file') as File).name).toBe('audio.flac');
  expect(await (sent.get('file') as File).text()).toBe('RIFF…');
  expect(sent.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
  expect(sent.get('temperature')).toBe('0.5');
  expect(sent.has('prompt')).toBe(false);
});

test.each([
  ['text', 'text/plain; charset=utf-8', 'Hello there. The code 42.\n'],
  [
    'srt',
    'text/plain; charset=utf-8',
    '1\n00:00:00,000 --> 00:00:03,200\nHello there.\n\n2\n00:00:03,200 --> 00:00:09,200\nThe code 42.\n',
  ],
  [
    'vtt',
    'text/vtt; charset=utf-8',
    'WEBVTT\n\n00:00:00.000 --> 00:00:03.200\nHello there.\n\n00:00:03.200 --> 00:00:09.200\nThe code 42.\n',
  ],
])('writes a transcript as %s', async (response_format, type, text) => {
  const response = await hear(createCoreGateway(replay(), { models: MODELS }), { response_format });
  expect([response.headers['content-type'], response.body]).toEqual([type, text]);
});

test('charges by tokens where the model has prices of them, and estimates those that are not counted', async () => {
  const usage = { type: 'tokens', input_tokens: 83, output_tokens: 30, input_token_details: { audio_tokens: 80 } };
  const counted = createCoreGateway(replay({ text: 'Hello', usage }), { models: MODELS });
  expect(jsonOf(await hear(counted, { model: 'acme/counted' }))).toEqual({
    text: 'Hello',
    usage: { input_tokens: 83, output_tokens: 30, total_tokens: 113, cost: 0.000383, is_byok: false },
  });
  const silent = createCoreGateway(replay({ text: 'Hello' }), { models: MODELS });
  expect((await hear(silent, { model: 'acme/counted' })).status).toBe(200);
  expect(recordOf(silent)).toMatchObject({ usage_estimated: true, tokens_completion: 2 });
});

/** Three seconds of 24,000 samples with two bytes each, and the rate of bytes that its header tells. */
function toWave(bytesASecond: number): Buffer {
  const wave = Buffer.alloc(44 + 48_000 * 3);
  wave.write('RIFF', 0);
  wave.write('WAVEfmt ', 8);
  wave.writeUInt32LE(24_000, 24);
  wave.writeUInt32LE(bytesASecond, 28);
  wave.writeUInt16LE(2, 32);
  return wave;
}

test('does not believe a wave file whose header makes it shorter than its samples do', async () => {
  const core = createCoreGateway(replay({ text: 'Hello' }), { models: MODELS });
  const input_audio = { data: toWave(0xffff_ffff).toString('base64'), format: 'wav' };
  await hear(core, { input_audio });
  expect(recordOf(core)).toMatchObject({ usage_estimated: true });
});

test('reads the length of a wave file from its header where upstream does not name it', async () => {
  const wave = toWave(48_000);
  const core = createCoreGateway(replay({ text: 'Hello' }), { models: MODELS });
  const input_audio = { data: wave.toString('base64'), format: 'wav' };
  expect(jsonOf(await hear(core, { input_audio }))).toMatchObject({ usage: { seconds: 3, cost: 0.0003 } });
  expect(recordOf(core)).toMatchObject({ usage_estimated: false });
});

test.each([
  [{ input_audio: undefined }, 'input_audio.data: must be audio in base64'],
  [{ input_audio: { data: '', format: 'mp3' } }, 'input_audio.data: must be audio in base64'],
  [{ input_audio: { data: 'data:audio/mp3;base64,AAAA', format: 'mp3' } }, 'without the beginning of a data URI'],
  [{ input_audio: { data: 'AAAA' } }, 'input_audio.format: must be the format of the audio'],
  [{ input_audio: { data: 'AAAA', format: '../mp3"' } }, 'input_audio.format: must be the format of the audio'],
  [{ temperature: 2 }, 'temperature'],
  [{ response_format: 'xml' }, 'response_format'],
  [{ model: undefined }, 'model'],
])('refuses %j', async (wrong, message) => {
  const upstream = replay();
  const response = await hear(createCoreGateway(upstream, { models: MODELS }), wrong);
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
  expect(upstream.exchanges).toHaveLength(0);
});

test('asks the next endpoint after a failure, and sends it the same audio', async () => {
  const upstream = createReplayTransport(
    { headers: JSON_TYPE, pieces: ['{"no":"text"}'] },
    { headers: JSON_TYPE, pieces: [JSON.stringify(VERBOSE)] },
  );
  const core = createCoreGateway(upstream, { models: MODELS });
  expect((await hear(core)).status).toBe(200);
  const sent = await Promise.all(upstream.exchanges.map(({ request }) => formOf(request)));
  expect(sent.map((form) => form.get('model'))).toEqual(['ears-1', 'ears-b']);
  expect(await (sent[1] as FormData & { get(name: 'file'): File }).get('file').text()).toBe('the audio');
  expect(recordOf(core)?.provider_responses).toHaveLength(2);
});

test('records a call as cancelled when its client leaves, and closes upstream at once', async () => {
  const upstream = createScriptedTransport();
  const core = createCoreGateway(upstream, { models: MODELS });
  const client = new AbortController();
  const pending = hear(core, {}, { signal: client.signal });
  await expect.poll(() => upstream.exchanges.length).toBe(1);
  client.abort();
  expect((await pending).status).toBe(499);
  expect(upstream.latest().isClosed).toBe(true);
  expect(recordOf(core)).toMatchObject({ cancelled: true, total_cost: 0 });
});

test('guardrails redact the text that comes back, without segments that would repeat it, and block it', async () => {
  const core = createCoreGateway(replay(), { models: MODELS, logging: { inputOutput: true } });
  const filter = (action: string) => ({
    content_filters: [{ pattern: 'code \\d+', action, label: '[CODE]', direction: 'output' }],
  });
  const key = await guardKey(core, filter('redact'));
  const redacted = jsonOf(await hear(core, { response_format: 'verbose_json' }, { headers: key.headers }));
  expect(redacted).toMatchObject({ text: 'Hello there. The [CODE].', language: 'english' });
  expect(redacted).not.toHaveProperty('segments');
  await key.patch(filter('block'));
  expect((await hear(core, {}, { headers: key.headers })).status).toBe(403);
  // It was paid for.
  expect(recordOf(core, 1)).toMatchObject({ finish_reason: 'error', total_cost: 0.00092 });
  expect(JSON.stringify(core.store.appended)).not.toMatch(/code \d/);
});

test.each([false, true])(
  'a transcription whose client leaves while a filter reads it costs what it has, and none of it is stored (stream: %s)',
  async (stream) => {
    const reads = createDeferred();
    const filter: FilterFunction = {
      name: 'slow',
      output() {
        reads.resolve();
        return new Promise(() => undefined);
      },
    };
    const guardrails = { filters: [filter] };
    const core = createCoreGateway(replay(), { models: MODELS, guardrails, logging: { inputOutput: true } });
    const client = new AbortController();
    const asking = hear(core, { stream }, { signal: client.signal });
    await reads.promise;
    client.abort();
    expect((await asking).status).toBe(499);
    expect(recordOf(core)).toMatchObject({ cancelled: true, total_cost: 0.00092 });
    expect(JSON.stringify(core.store.appended)).not.toMatch(/code \d/);
  },
);

test('budgets bound the cost by the length of the audio before the call', async () => {
  const upstream = replay();
  const core = createCoreGateway(upstream, { models: MODELS, account: { creditsUsd: 0.001 } });
  expect((await hear(core, { provider: { only: ['acme'] } })).status).toBe(200);
  const long = { data: Buffer.alloc(1_000_000).toString('base64'), format: 'mp3' };
  expect((await hear(core, { provider: { only: ['acme'] }, input_audio: long })).status).toBe(402);
  expect(upstream.exchanges).toHaveLength(1);
});

test('a format that every object has as a member is one that is not known', async () => {
  const upstream = replay();
  const core = createCoreGateway(upstream, { models: MODELS, account: { creditsUsd: 1 } });
  const input_audio = { data: Buffer.from('the audio').toString('base64'), format: 'constructor' };
  expect((await hear(core, { input_audio })).status).toBe(200);
  const sent = (await formOf(upstream.latest().request)).get('file') as File;
  expect([sent.name, sent.type]).toEqual(['audio.constructor', 'audio/constructor']);
});

const eventsOf = (text: string): unknown[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.replace('data: ', '')) as unknown);

const SSE = { 'content-type': 'text/event-stream' };
const STREAM = [
  '{"type":"transcript.text.delta","delta":"Hello "}',
  '{"type":"transcript.text.delta","delta":"there"}',
  '{"type":"transcript.text.done","text":"Hello there","usage":{"type":"duration","seconds":9}}',
]
  .map((data) => `data: ${data}\n\n`)
  .join('');

test.each([1, 10, 10_000])('streams the text as it is made, cut into pieces of %i', async (size) => {
  const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const core = createCoreGateway(createReplayTransport({ headers: SSE, pieces }), { models: MODELS });
  const response = await hear(core, { stream: true });
  expect(response.headers['content-type']).toMatch('text/event-stream');
  expect(eventsOf(await readFrames(response).rest())).toEqual([
    { type: 'transcript.text.delta', delta: 'Hello ' },
    { type: 'transcript.text.delta', delta: 'there' },
    {
      type: 'transcript.text.done',
      text: 'Hello there',
      usage: { seconds: 9, cost: 0.0009, is_byok: false },
    },
  ]);
  expect(recordOf(core)).toMatchObject({ streamed: true, total_cost: 0.0009 });
});

test('streams in one piece what upstream does not stream, and what filters have to read', async () => {
  const core = createCoreGateway(replay(), { models: MODELS });
  expect(eventsOf(await readFrames(await hear(core, { stream: true })).rest())).toMatchObject([
    { type: 'transcript.text.delta', delta: VERBOSE.text },
    { type: 'transcript.text.done', text: VERBOSE.text },
  ]);
  const content_filters = [{ pattern: 'code \\d+', action: 'redact', label: '[CODE]', direction: 'output' }];
  const { headers } = await guardKey(core, { content_filters });
  expect(eventsOf(await readFrames(await hear(core, { stream: true }, { headers })).rest())).toMatchObject([
    { type: 'transcript.text.delta', delta: 'Hello there. The [CODE].' },
    { type: 'transcript.text.done', text: 'Hello there. The [CODE].' },
  ]);
});

test('tells an error after the first piece as an event, and records the call', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, SSE);
    exchange.push('data: {"type":"transcript.text.delta","delta":"Hello "}\n\n');
  });
  const core = createCoreGateway(upstream, { models: MODELS });
  const frames = readFrames(await hear(core, { stream: true }));
  await frames.next();
  upstream.latest().fail(connectionReset());
  expect(eventsOf(await frames.rest())).toMatchObject([{ error: { code: 502 } }]);
  expect(recordOf(core)).toMatchObject({ finish_reason: 'error', usage_estimated: true });
});
