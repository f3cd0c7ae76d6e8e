import { type ApiKey, createFetchTransport, createGateway, type Logger, type Provider } from '@model-gateway/core';
import { createProviders } from '@model-gateway/core/providers';
import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createFalProvider } from '@model-gateway/core/providers/fal-videos';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createOpenAiResponsesProvider } from '@model-gateway/core/providers/openai-responses';
import { createReplicateProvider } from '@model-gateway/core/providers/replicate-videos';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { listen } from '@model-gateway/node/http';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createReplayTransport, createScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const KEY = 'sk-app';
const TRANSPORTS = [
  ['fetch', createFetchTransport],
  ['undici', createUndiciTransport],
] as const;

interface Ask {
  readonly up: ScriptedUpstream;
  readonly logged: readonly unknown[];
  readonly chat: (body?: object, signal?: AbortSignal) => Promise<Response>;
}

/** A gateway over a real upstream: `first` has the asked key, and `second`, where it is called for, a fixed one. */
async function open(apiKey: ApiKey, createTransport: typeof createFetchTransport, hasSecond = false): Promise<Ask> {
  const up = await startScriptedUpstream();
  onTestFinished(() => up.close());
  const logged: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(line);
  const logger: Logger = { info: log, warn: log, error: log };
  const transport = createTransport();
  const provider = (slug: string, key: ApiKey): Provider =>
    createOpenAiProvider({ slug, name: slug, baseUrl: up.baseUrl, apiKey: key, transport });
  const slugs = ['first', ...(hasSecond ? ['second'] : [])];
  const gateway = createGateway({
    store: createMemoryStore(),
    logger,
    providers: [provider('first', apiKey), provider('second', 'key-of-second')],
    models: [{ id: 'acme/text', endpoints: slugs.map((slug) => ({ provider: slug, providerModel: 'text' })) }],
    bootstrapKeys: [{ key: KEY, kind: 'api', name: 'app' }],
  });
  onTestFinished(() => gateway.close());
  const { url, close } = await listen(gateway, { port: 0 });
  onTestFinished(() => close());
  return {
    up,
    logged,
    chat: (body, signal) =>
      fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'acme/text',
          messages: [{ role: 'user', content: 'Hi' }],
          provider: { order: slugs },
          ...body,
        }),
        signal: signal ?? null,
      }),
  };
}

const sentKeys = ({ calls }: ScriptedUpstream): unknown[] => calls.map(({ headers }) => headers.authorization);

describe.each(TRANSPORTS)('over %s, a key that is a function', (_, createTransport) => {
  test('is asked for each call, whole and streamed, and at once where it is no promise', async () => {
    let asked = 0;
    const { up, chat } = await open(() => {
      asked += 1;
      return asked % 2 === 0 ? `token-${asked}` : Promise.resolve(`token-${asked}\n`);
    }, createTransport);
    for (const stream of [false, true, false, true]) {
      const response = await chat({ stream });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
    }
    expect(sentKeys(up)).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-3', 'Bearer token-4']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('vault says hush-hush');
      },
      'Error: vault says hush-hush',
    ],
    ['rejects', () => Promise.reject(new Error('vault says hush-hush')), 'Error: vault says hush-hush'],
    ['returns nothing', () => undefined as never, 'TypeError: the function `apiKey` returned no string'],
    ['returns an empty text', () => ' ', 'TypeError: the function `apiKey` returned no key'],
    ['returns what no header holds', () => 'a\r\nx-evil: 1', 'TypeError: the function `apiKey` returned no key'],
  ])('that %s fails its attempt, and the next endpoint responds', async (_title, apiKey, cause) => {
    const { up, chat, logged } = await open(apiKey, createTransport, true);
    for (const stream of [false, true]) {
      const response = await chat({ stream });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"provider":"second"')]);
    }
    expect(sentKeys(up)).toEqual(['Bearer key-of-second', 'Bearer key-of-second']);
    expect(logged).toEqual([]);
    const alone = await open(apiKey, createTransport);
    const response = await alone.chat();
    const body = await response.text();
    expect(response.status).toBe(502);
    expect(body).toContain('first was not asked, because the gateway got no key for it');
    expect(body).not.toContain('hush');
    expect(alone.logged).toMatchObject([['a call failed', { code: 'provider_unavailable', cause }]]);
    expect(alone.up.calls).toEqual([]);
  });

  test('that hangs holds up nobody who leaves', async () => {
    const leaving = new AbortController();
    const { up, chat } = await open(() => {
      leaving.abort();
      return new Promise(() => undefined);
    }, createTransport);
    await expect(chat({}, leaving.signal)).rejects.toThrow('aborted');
    // `close` of the gateway, after this test, waits for calls under way.
    expect(up.calls).toEqual([]);
  });
});

const asked = (): Promise<string> => Promise.resolve('token-1');
const SETTINGS = { slug: 'up', baseUrl: 'https://up.example/v1', apiKey: asked };
const LIMITS = { signal: new AbortController().signal, timeoutMs: 1000 };
const WIRES = [
  ['openai', createOpenAiProvider, { authorization: 'Bearer token-1' }],
  ['openai-responses', createOpenAiResponsesProvider, { authorization: 'Bearer token-1' }],
  ['anthropic', createAnthropicProvider, { 'x-api-key': 'token-1' }],
  ['google', createGoogleProvider, { 'x-goog-api-key': 'token-1' }],
] as const;

test.each(WIRES)(
  'the wire %s sends an asked key where its keys stand, also for its list of models',
  async (_, create, headers) => {
    const transport = createReplayTransport({ status: 500, pieces: ['token-1 is wrong'] });
    const provider = create({ ...SETTINGS, transport });
    const { signal } = new AbortController();
    await expect(provider.listModels?.(signal)).rejects.toThrow('HTTP 500');
    const timeouts = { headersMs: 1, nonStreamMs: 1, idleMs: 1, totalMs: 1 };
    const call = {
      generationId: 'gen-1',
      request: { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] },
      providerModel: 'm',
      supportedParameters: null,
      signal,
      timeouts,
    };
    for (const stream of [false, true]) {
      const chunks = provider.chat?.({ ...call, stream })[Symbol.asyncIterator]();
      await expect(chunks?.next()).rejects.toThrow('HTTP 500');
    }
    expect(transport.exchanges.map(({ request }) => request.headers)).toMatchObject([headers, headers, headers]);
  },
);

test('an asked key is hidden where upstream repeats it, as are those before it that may still be on their way', async () => {
  let asks = 0;
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(400, { 'content-type': 'application/json' });
    exchange.push('{"error":{"message":"neither plain-1x nor plain-2x nor plain-9x fits"}}');
    exchange.end();
  });
  const provider = createOpenAiProvider({ ...SETTINGS, transport, apiKey: () => `plain-${(asks += 1)}x` });
  const fail = async (): Promise<string> => {
    try {
      await provider.listModels?.(LIMITS.signal);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(await fail()).toContain('neither [redacted] nor plain-2x nor plain-9x fits');
  for (let at = 2; at < 9; at += 1) await fail();
  // Eight are remembered, so that a key for each call does not fill the memory.
  expect(await fail()).toContain('neither plain-1x nor [redacted] nor [redacted] fits');
});

const FILM = { prompt: 'A cat', frameImages: [], inputReferences: [], options: {} };

test.each([
  ['fal', createFalProvider, { authorization: 'Key token-1' }],
  ['replicate', createReplicateProvider, { authorization: 'Bearer token-1' }],
  ['google', createGoogleProvider, { 'x-goog-api-key': 'token-1' }],
] as const)('the videos of %s send an asked key, and only to the provider itself', async (wire, create, headers) => {
  const transport = createReplayTransport({ status: 500, pieces: [''] });
  const downloads = createReplayTransport({ status: 200, pieces: ['film'] });
  const { video } = create({ ...SETTINGS, transport, downloads });
  const start = video?.start({ ...LIMITS, order: FILM, providerModel: 'acme/m', jobId: 'j' } as never);
  await expect(start).rejects.toThrow('HTTP 500');
  expect(transport.exchanges.map(({ request }) => request.headers)).toMatchObject([headers]);
  const fetchFrom = (url: string) =>
    video?.fetch({ job: { upstreamId: 'up', providerModel: 'm' }, index: 0, output: { url }, headers: {}, ...LIMITS });
  await fetchFrom('https://elsewhere.example/film.mp4');
  expect(Object.values(downloads.latest().request.headers).join(' ')).not.toContain('token-1');
  if (wire !== 'google') return;
  await fetchFrom('https://up.example/v1/film.mp4');
  expect(downloads.latest().request.headers).toMatchObject(headers);
});

test('createProviders takes keys and functions by the names of presets, in place of the environment', async () => {
  const transport = createReplayTransport({ status: 500, pieces: [''] });
  const apiKeys = { openai: asked, anthropic: 'fixed' };
  const { providers, models } = await createProviders({ OPENAI_API_KEY: 'of-env' }, { transport, apiKeys });
  expect(providers.map(({ slug }) => slug)).toEqual(['openai', 'anthropic']);
  expect(models.length).toBeGreaterThan(5);
  for (const { listModels } of providers) await expect(listModels?.(LIMITS.signal)).rejects.toThrow('HTTP 500');
  expect(transport.exchanges.map(({ request }) => request.headers)).toMatchObject([
    { authorization: 'Bearer token-1' },
    { 'x-api-key': 'fixed' },
  ]);
  await expect(createProviders({}, { apiKeys: { opnai: 'x' } })).rejects.toThrow('There is no preset "opnai"');
});
