import { type ModelDefinition, TransportError } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
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

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/voice',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    supported_voices: ['anna', 'bruno'],
    endpoints: [
      { provider: 'acme', providerModel: 'voice-1', pricing: { character: '0.000015' } },
      { provider: 'beta', providerModel: 'voice-b', pricing: { character: '0.00003' } },
    ],
  },
  {
    id: 'acme/counted',
    architecture: { input_modalities: ['text'], output_modalities: ['speech'] },
    endpoints: [
      { provider: 'acme', providerModel: 'counted-1', pricing: { prompt: '0.000001', audio_output: '0.00001' } },
    ],
  },
];

const BYTES = { 'content-type': 'application/octet-stream' };

const speak = (core: CoreGateway, request: object, more: Parameters<CoreGateway['post']>[2] = {}) =>
  core.post(
    '/api/v1/audio/speech',
    { model: 'acme/voice', input: 'Hello 🌍', provider: { sort: 'price' }, ...request },
    more,
  );

const replay = (...pieces: readonly string[]): ScriptedTransport => createReplayTransport({ headers: BYTES, pieces });

const recordOf = (core: CoreGateway, at = 0) => core.store.appended[at]?.record.generation;

test.each([[['spoken bytes']], [['spok', 'en byt', 'es']], [['', 's', 'poken byte', 's']]])(
  'hands the bytes on as they come, %j, and records the call with its price by the character',
  async (pieces) => {
    const upstream = replay(...pieces);
    const core = createCoreGateway(upstream, { models: MODELS });
    const response = await speak(core, { voice: 'bruno', response_format: 'mp3', speed: 1.5 });
    expect(await readFrames(response).rest()).toBe('spoken bytes');
    const record = recordOf(core);
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': 'audio/mpeg', 'x-generation-id': record?.id },
    });
    expect(upstream.latest().request.url).toBe('https://acme.example/v1/audio/speech');
    expect(upstream.latest().sent).toEqual({
      model: 'voice-1',
      input: 'Hello 🌍',
      voice: 'bruno',
      response_format: 'mp3',
      speed: 1.5,
    });
    expect(record).toMatchObject({
      api_type: 'speech',
      model: 'acme/voice',
      provider_name: 'Acme',
      streamed: true,
      cancelled: false,
      // Seven characters, of which one is an emoji.
      total_cost: 0.000105,
      usage_estimated: false,
      cost_known: true,
    });
  },
);

test('asks for PCM, as the public API does, and for the first voice of the model', async () => {
  const upstream = replay('x');
  const response = await speak(createCoreGateway(upstream, { models: MODELS }), {});
  expect(response.headers['content-type']).toBe('audio/pcm');
  expect(upstream.latest().sent).toMatchObject({ response_format: 'pcm', voice: 'anna' });
});

test('refuses a voice that the model does not have by naming those it has, before anything is asked', async () => {
  const upstream = replay('x');
  const core = createCoreGateway(upstream, { models: MODELS });
  const response = await speak(core, { voice: 'carla' });
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({
    error: { message: 'voice: the model has no voice "carla"; it has anna, bruno' },
  });
  expect(upstream.exchanges).toHaveLength(0);
  expect(core.store.appended).toHaveLength(0);
  // A model whose voices are not known takes any.
  expect((await speak(core, { model: 'acme/counted', voice: 'carla' })).status).toBe(200);
});

test.each([{ input: '' }, { input: 1 }, { response_format: 'midi' }, { speed: 9 }, { stream_format: 'sse' }])(
  'refuses %j',
  async (wrong) => {
    const core = createCoreGateway(replay('x'), { models: MODELS });
    expect((await speak(core, wrong)).status).toBe(400);
  },
);

test('tells an error before the first byte as JSON', async () => {
  const upstream = createReplayTransport({ status: 500, pieces: ['{}'] });
  const core = createCoreGateway(upstream, { models: MODELS });
  const response = await speak(core, {});
  expect(response.status).toBe(502);
  expect(response.headers['content-type']).toBe('application/json');
  expect(recordOf(core)).toMatchObject({ finish_reason: 'error', total_cost: 0 });
});

test.each([
  ['an error', { status: 500, pieces: ['{}'] }],
  ['no byte', { headers: BYTES, pieces: [] }],
  ['a text', { headers: { 'content-type': 'text/html' }, pieces: ['<html>'] }],
])('asks the next endpoint after %s', async (_name, answer) => {
  const upstream = createReplayTransport(answer, { headers: BYTES, pieces: ['spoken'] });
  const core = createCoreGateway(upstream, { models: MODELS });
  expect(await readFrames(await speak(core, {})).rest()).toBe('spoken');
  expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['voice-1', 'voice-b']);
  expect(recordOf(core)?.provider_responses).toHaveLength(2);
});

test('breaks the connection when upstream breaks off after the first byte, and records what it has cost', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, BYTES);
    exchange.push('spok');
  });
  const core = createCoreGateway(upstream, { models: MODELS });
  const frames = readFrames(await speak(core, {}));
  expect(await frames.next()).toBe('spok');
  upstream.latest().fail(connectionReset());
  await expect(frames.next()).rejects.toThrow('the connection was reset');
  expect(recordOf(core)).toMatchObject({ finish_reason: 'error', cancelled: false, total_cost: 0.000105 });
  expect(await frames.next()).toBeUndefined();
});

test('ends a speech that is silent for too long, and records it', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, BYTES);
    exchange.push('spok');
  });
  const core = createCoreGateway(upstream, { models: MODELS, timeouts: { idleMs: 1000 } });
  const frames = readFrames(await speak(core, {}));
  await frames.next();
  const next = frames.next().catch((error: unknown) => error);
  await core.platform.advance(3000);
  expect(await next).toMatchObject({ message: expect.stringContaining('time limit') as string });
  expect(upstream.latest().isClosed).toBe(true);
  expect(recordOf(core)).toMatchObject({ finish_reason: 'error' });
});

test.each(['while it waits', 'while it does not read'])(
  'records a call as cancelled when its client leaves %s, and closes upstream at once',
  async (when) => {
    const upstream = createScriptedTransport((exchange) => {
      exchange.respond(200, BYTES);
      exchange.push('spok');
    });
    const core = createCoreGateway(upstream, { models: MODELS });
    const client = new AbortController();
    const frames = readFrames(await speak(core, {}, { signal: client.signal }));
    await frames.next();
    const next = when === 'while it waits' ? frames.next().catch((error: unknown) => error) : undefined;
    client.abort();
    await frames.leave();
    if (next !== undefined) expect(await next).toMatchObject({ code: 'client_closed_request' });
    await expect.poll(() => core.store.appended.length).toBe(1);
    expect(upstream.latest().isClosed).toBe(true);
    expect(recordOf(core)).toMatchObject({ cancelled: true, total_cost: 0.000105 });
  },
);

test('a speech that is interrupted just as upstream ends it breaks off for its caller, as its record says', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, BYTES);
    exchange.push('spok');
  });
  const core = createCoreGateway(upstream, { models: MODELS });
  const client = new AbortController();
  const frames = readFrames(await speak(core, {}, { signal: client.signal }));
  await frames.next();
  const next = frames.next().catch((error: unknown) => error);
  await settle();
  upstream.latest().end();
  client.abort();
  expect(await next).toMatchObject({ code: 'client_closed_request' });
  expect(recordOf(core)).toMatchObject({ cancelled: true, finish_reason: null });
});

test('reads no more from upstream than its client takes', async () => {
  const upstream = createScriptedTransport((exchange) => {
    exchange.respond(200, BYTES);
    for (let piece = 0; piece < 10; piece += 1) exchange.push('x');
  });
  const frames = readFrames(await speak(createCoreGateway(upstream, { models: MODELS }), {}));
  await frames.next();
  await frames.next();
  expect(upstream.latest().pulls).toBeLessThanOrEqual(3);
});

test('guardrails redact and block what is spoken, and what else is said to the model', async () => {
  const upstream = replay('x');
  const core = createCoreGateway(upstream, { models: MODELS });
  const filter = (action: string) => ({ content_filters: [{ pattern: 'code \\d+', action, label: '[CODE]' }] });
  const key = await guardKey(core, filter('redact'));
  const said = {
    input: 'The code 42',
    instructions: 'Whisper code 43',
    provider: { options: { acme: { hint: 'code 44' } } },
  };
  await readFrames(await speak(core, said, { headers: key.headers })).rest();
  expect(upstream.latest().sent).toMatchObject({ input: 'The [CODE]', instructions: 'Whisper [CODE]', hint: '[CODE]' });
  expect(JSON.stringify(core.store.appended)).not.toMatch(/code \d/);
  await key.patch(filter('block'));
  expect((await speak(core, said, { headers: key.headers })).status).toBe(403);
  expect(upstream.exchanges).toHaveLength(1);
});

test('budgets refuse what a text may cost, and settle what it did cost', async () => {
  const upstream = replay('x');
  const core = createCoreGateway(upstream, { models: MODELS, account: { creditsUsd: 0.0005 } });
  const only = { provider: { only: ['acme'] } };
  for (const _call of [1, 2, 3, 4]) {
    const response = await speak(core, only);
    expect(response.status).toBe(200);
    await readFrames(response).rest();
  }
  expect((await speak(core, only)).status).toBe(402);
  expect((await speak(core, { ...only, input: 'x'.repeat(1000) })).status).toBe(402);
  expect(core.store.appended).toHaveLength(4);
});

test('estimates the tokens of a model that charges by them where upstream counts none', async () => {
  const core = createCoreGateway(replay('x'), { models: MODELS });
  await readFrames(await speak(core, { model: 'acme/counted', input: 'four' })).rest();
  expect(recordOf(core)).toMatchObject({
    tokens_prompt: 1,
    tokens_completion: 8,
    usage_estimated: true,
    total_cost: 0.000081,
  });
});

test('names the error of a time limit of upstream that comes before the first byte', async () => {
  const upstream = createScriptedTransport((exchange) =>
    exchange.fail(new TransportError('too slow', { phase: 'headers', requestSent: true, timedOut: true })),
  );
  const core = createCoreGateway(upstream, { models: MODELS });
  expect((await speak(core, {})).status).toBe(408);
});

test('hands a gateway upstream the options of the caller, and takes its words for the cost of what it hears', async () => {
  const preset = PRESETS['gateway'];
  const dialect = preset?.wire === 'openai' ? preset.dialect : undefined;
  const transport = createReplayTransport(
    { headers: { 'content-type': 'audio/pcm', 'x-generation-id': 'gen-upstream' }, pieces: ['spoken'] },
    {
      headers: { 'content-type': 'application/json' },
      pieces: ['{"text":"Hi","usage":{"seconds":2,"cost":0.5}}'],
    },
  );
  const settings = { slug: 'acme', name: 'Acme', baseUrl: 'https://up.example/v1', apiKey: 'up-key', dialect };
  const ears: ModelDefinition = {
    id: 'acme/ears',
    architecture: { input_modalities: ['audio'], output_modalities: ['transcription'] },
    endpoints: [{ provider: 'acme', providerModel: 'ears' }],
  };
  const [onlyAcme] = MODELS.map((model) => ({ ...model, endpoints: model.endpoints.slice(0, 1) }));
  const core = createCoreGateway([createOpenAiProvider({ ...settings, transport })], {
    models: onlyAcme === undefined ? [] : [onlyAcme, ears],
  });
  const options = { behind: { stability: 1 } };
  await readFrames(await speak(core, { provider: { options } })).rest();
  expect(transport.latest().sent).toMatchObject({ model: 'voice-1', provider: { options } });
  expect(recordOf(core)).toMatchObject({ upstream_id: 'gen-upstream', total_cost: 0.000105 });
  const heard = await core.post('/api/v1/audio/transcriptions', {
    model: 'acme/ears',
    input_audio: { data: 'AAAA', format: 'mp3' },
    provider: { options },
  });
  expect(jsonOf(heard)).toMatchObject({ text: 'Hi', usage: { seconds: 2, cost: 0.5 } });
  expect(recordOf(core, 1)).toMatchObject({ total_cost: 0.5, cost_known: true });
});

test('asks the endpoint that charges least for a character first', async () => {
  const upstream = replay('x');
  const models = MODELS.map((model) => ({ ...model, endpoints: model.endpoints.toReversed() }));
  await readFrames(await speak(createCoreGateway(upstream, { models }), {})).rest();
  expect(upstream.latest().sent['model']).toBe('voice-1');
});
