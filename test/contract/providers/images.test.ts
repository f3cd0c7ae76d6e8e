import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import type { Provider } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { loadConfig } from '@model-gateway/node';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { ImageCall, ImageOrder, ImagePart } from '../../../packages/core/src/providers/image-contract.ts';
import { connectProviders } from '../../../packages/server/src/open/connect-providers.ts';
import { writeTestConfig } from '../../support/gateways/write-test-config.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE = `data:image/png;base64,${PNG}`;

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

interface Answer {
  readonly status?: number;
  /** An object is sent as JSON, a list as server-sent events, bytes as an image. */
  readonly body: object | readonly object[] | Buffer;
}

/** By path; several are sent one after the other, and the last one from then on. */
type Answers = Readonly<Record<string, Answer | readonly [Answer, ...Answer[]]>>;

interface More {
  readonly providerModel?: string;
  readonly allowPrivateNetwork?: boolean;
}

interface Connected {
  readonly received: Received[];
  image(order?: Partial<ImageOrder>, call?: Partial<ImageCall>): ReturnType<NonNullable<Provider['image']>>;
}

/** Makes the provider as the server does, from an entry of a config file, over a server with these answers by path. */
async function connect(
  toEntry: (origin: string) => object,
  toAnswers: Answers | ((origin: string) => Answers),
  more: string | More = {},
): Promise<Connected> {
  const { providerModel = 'painter', allowPrivateNetwork = true } =
    typeof more === 'string' ? { providerModel: more } : more;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const text = (await buffer(request)).toString();
      received.push({ path, headers: request.headers, body: JSON.parse(text || '{}') as {} });
      const times = received.filter((one) => one.path === path).length;
      const listed = [answers[path] ?? { status: 404, body: { error: { message: 'no such route' } } }].flat();
      const { status = 200, body } = (listed[times - 1] ?? listed.at(-1)) as Answer;
      if (Buffer.isBuffer(body)) return response.writeHead(status, { 'content-type': 'image/png' }).end(body);
      const isStream = Array.isArray(body);
      response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      const events = isStream ? body.map((event) => `data: ${JSON.stringify(event)}\n\n`) : [JSON.stringify(body)];
      return response.end(events.join(''));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = typeof toAnswers === 'function' ? toAnswers(origin) : toAnswers;
  const file = writeTestConfig({
    webhooks: { allowPrivateNetwork },
    providers: [{ slug: 'up', name: 'Up', apiKey: 'key-of-up', ...toEntry(origin) }],
  });
  const { providers, closeAfterwards } = await connectProviders(loadConfig({ file, env: {}, presets: PRESETS }), {
    logger: console,
  });
  onTestFinished(async () => {
    for (const part of closeAfterwards) await part.close();
    server.close();
  });
  const [provider] = providers;
  if (provider?.image === undefined) throw new Error('the provider makes no images');
  const make = provider.image.bind(provider);
  return {
    received,
    image: (order = {}, call = {}) =>
      make({
        generationId: 'gen-1',
        order: {
          prompt: 'A fox',
          count: 1,
          frame: {},
          references: [],
          mask: undefined,
          previews: 0,
          options: {},
          ...order,
        },
        providerModel,
        preferences: undefined,
        signal: new AbortController().signal,
        timeoutMs: 5000,
        pause: () => Promise.resolve(),
        ...call,
      }),
  };
}

describe('Google’s wire', () => {
  const google = (origin: string) => ({ wire: 'google', baseUrl: `${origin}/v1beta` });
  const GEMINI = '/v1beta/models/gemini-image:generateContent';
  const IMAGEN = '/v1beta/models/imagen-4:predict';

  test('makes images by a chat that asks for images alone, in the frame of the order, with pictures', async () => {
    const content = { parts: [{ text: 'Here it is' }, { inlineData: { mimeType: 'image/png', data: PNG } }] };
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 1290,
      totalTokenCount: 1300,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    };
    const body = { candidates: [{ content, finishReason: 'STOP' }], usageMetadata, responseId: 'r-1' };
    const { image, received } = await connect(google, { [GEMINI]: { body } }, 'gemini-image');
    const result = await image({ frame: { pixels: { width: 1344, height: 768 } }, references: [PICTURE] });
    expect(result).toMatchObject({
      images: [{ base64: PNG, mediaType: 'image/png' }],
      usage: { prompt_tokens: 10, completion_tokens: 1290, completion_tokens_details: { image_tokens: 1290 } },
      upstreamId: 'r-1',
    });
    expect(received[0]).toMatchObject({
      headers: { 'x-goog-api-key': 'key-of-up' },
      body: {
        contents: [{ role: 'user', parts: [{ text: 'A fox' }, { inlineData: { mimeType: 'image/png', data: PNG } }] }],
        generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '1K' } },
      },
    });
  });

  test('says why a chat made no image', async () => {
    const body = { candidates: [{ content: { parts: [] }, finishReason: 'IMAGE_SAFETY' }], usageMetadata: {} };
    const { image } = await connect(google, { [GEMINI]: { body } }, 'gemini-image');
    await expect(image()).rejects.toMatchObject({ code: 'provider_unavailable', message: /IMAGE_SAFETY/ });
  });

  test('makes several images by a prediction, without those that its filters have taken out', async () => {
    const made = { bytesBase64Encoded: PNG, mimeType: 'image/png' };
    const body = { predictions: [made, { raiFilteredReason: 'too bad' }, made] };
    const { image, received } = await connect(google, { [IMAGEN]: { body } }, 'imagen-4');
    const result = await image({ count: 3, frame: { resolution: '2K', aspectRatio: '3:4' }, output_format: 'jpeg' });
    expect(result.images).toHaveLength(2);
    expect(received[0]?.body).toEqual({
      instances: [{ prompt: 'A fox' }],
      parameters: {
        sampleCount: 3,
        aspectRatio: '3:4',
        sampleImageSize: '2K',
        outputOptions: { mimeType: 'image/jpeg' },
      },
    });
    await expect(image({ references: [PICTURE] })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('fails with the reason of its filters where no image is left', async () => {
    const answers = { [IMAGEN]: { body: { predictions: [{ raiFilteredReason: 'too bad' }] } } };
    const { image } = await connect(google, answers, 'imagen-4');
    await expect(image()).rejects.toMatchObject({ message: 'Up made no image: too bad' });
  });

  test('hands on a refusal in the words of Google', async () => {
    const body = { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' } };
    const { image } = await connect(google, { [IMAGEN]: { status: 429, body } }, 'imagen-4');
    await expect(image()).rejects.toMatchObject({ code: 'rate_limit_exceeded', message: 'Slow down' });
  });
});

describe('A gateway upstream', () => {
  const gateway = (origin: string) => ({ preset: 'gateway', baseUrl: `${origin}/api/v1` });
  const usage = { prompt_tokens: 3, completion_tokens: 1000, total_tokens: 1003, cost: 0.04 };

  test('gets the order in its own form, with the preferences, and says what it costs', async () => {
    const body = { created: 1, data: [{ b64_json: PNG, media_type: 'image/png' }], usage };
    const { image, received } = await connect(gateway, { '/api/v1/images': { body } });
    const order = {
      count: 2,
      frame: { resolution: '2K', aspectRatio: '16:9' } as const,
      quality: 'high' as const,
      references: [PICTURE],
      options: { style: 'flat' },
    };
    const result = await image(order, { preferences: { only: ['far'] } });
    expect(result).toMatchObject({ images: [{ mediaType: 'image/png' }], usage: { completion_tokens: 1000 } });
    expect(result.upstreamCostUsd).toBe(0.04);
    expect(received.map(({ body: sent }) => sent)).toEqual([
      {
        model: 'painter',
        prompt: 'A fox',
        quality: 'high',
        n: 2,
        resolution: '2K',
        aspect_ratio: '16:9',
        input_references: [{ type: 'image_url', image_url: { url: PICTURE } }],
        provider: { only: ['far'], options: { style: 'flat' } },
      },
    ]);
  });

  test('streams its previews', async () => {
    const body = [
      { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'iVBORw0KGgoA' },
      { type: 'image_generation.completed', b64_json: PNG, media_type: 'image/png', created: 1, usage },
    ];
    const { image, received } = await connect(gateway, { '/api/v1/images': { body } });
    const parts: ImagePart[] = [];
    const result = await image({ previews: 1 }, { onPart: (part) => void parts.push(part) });
    expect(parts).toEqual([{ type: 'preview', index: 0, base64: 'iVBORw0KGgoA' }]);
    expect(result).toMatchObject({ images: [{ base64: PNG }], upstreamCostUsd: 0.04 });
    expect(received[0]?.body).toMatchObject({ stream: true, partial_images: 1 });
  });

  test('without the operation is asked in a chat', async () => {
    const images = [{ type: 'image_url', image_url: { url: PICTURE } }];
    const message = { role: 'assistant', content: '', images };
    const choices = [{ index: 0, finish_reason: 'stop', message }];
    const body = { id: 'up-1', provider: 'Far', choices, usage };
    const { image, received } = await connect(gateway, { '/api/v1/chat/completions': { body } });
    const result = await image({ frame: { aspectRatio: '16:9' } }, { preferences: { only: ['far'] } });
    expect(result).toMatchObject({
      images: [{ base64: PNG, mediaType: 'image/png' }],
      upstreamId: 'up-1',
      upstreamProvider: 'Far',
      upstreamCostUsd: 0.04,
    });
    expect(received.map(({ path }) => path)).toEqual(['/api/v1/images', '/api/v1/chat/completions']);
    expect(received[1]?.body).toMatchObject({
      model: 'painter',
      modalities: ['image', 'text'],
      image_config: { aspect_ratio: '16:9' },
      messages: [{ role: 'user', content: 'A fox' }],
      provider: { only: ['far'] },
    });
  });

  test('that refuses is not asked twice', async () => {
    const answers = { '/api/v1/images': { status: 402, body: { error: { code: 402, message: 'No credits' } } } };
    const { image, received } = await connect(gateway, answers);
    await expect(image()).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(received).toHaveLength(1);
  });
});

describe('fal’s wire', () => {
  const fal = (origin: string) => ({ wire: 'fal', baseUrl: origin });

  test('gets its images in the response, with a caller’s own fields before those of the order', async () => {
    const body = { images: [{ url: PICTURE, content_type: 'image/png', width: 1, height: 1 }], seed: 7 };
    const { image, received } = await connect(fal, { '/fal-ai/flux/dev': { body } }, 'fal-ai/flux/dev');
    const frame = { resolution: '1K', aspectRatio: '1:1' } as const;
    const options = { guidance_scale: 3, aspect_ratio: 'square', sync_mode: false };
    const result = await image({ count: 2, seed: 7, frame, references: [PICTURE], options });
    expect(result.images).toEqual([{ base64: PNG, mediaType: 'image/png' }]);
    expect(received[0]).toMatchObject({
      headers: { authorization: 'Key key-of-up' },
      body: {
        prompt: 'A fox',
        num_images: 2,
        image_size: { width: 1024, height: 1024 },
        aspect_ratio: 'square',
        seed: 7,
        image_url: PICTURE,
        guidance_scale: 3,
        sync_mode: true,
      },
    });
  });

  test('fails where there is no image, and passes on a refusal', async () => {
    const answers = { '/none': { body: { images: [] } }, '/bad': { status: 422, body: { detail: 'prompt too long' } } };
    const { image } = await connect(fal, answers);
    await expect(image({}, { providerModel: 'none' })).rejects.toMatchObject({ message: 'Up made no image' });
    await expect(image({}, { providerModel: 'bad' })).rejects.toMatchObject({ code: 'unprocessable' });
  });
});

describe('Replicate’s wire', () => {
  const replicate = (origin: string) => ({ wire: 'replicate', baseUrl: `${origin}/v1` });
  const CREATE = '/v1/models/acme/painter/predictions';
  const LOOK = '/v1/predictions/p-1';
  const working = { status: 201, body: { id: 'p-1', status: 'processing', output: null } };
  const done = (output: unknown) => ({ body: { id: 'p-1', status: 'succeeded', output } });
  const bytes = { body: Buffer.from(PNG, 'base64') };

  test('makes images by a prediction of the model, and fetches them without the key', async () => {
    const answers = (origin: string) => ({
      [CREATE]: { ...done([`${origin}/out/0.png`, `${origin}/out/1.png`, PICTURE]), status: 201 },
      '/out/0.png': bytes,
      '/out/1.png': bytes,
    });
    const { image, received } = await connect(replicate, answers, 'acme/painter');
    const frame = { resolution: '1K', aspectRatio: '16:9' } as const;
    const options = { guidance: 3, aspect_ratio: '21:9' };
    const result = await image({ count: 3, frame, seed: 7, output_format: 'jpeg', references: [PICTURE], options });
    expect(result.images).toEqual(Array.from({ length: 3 }, () => ({ base64: PNG, mediaType: 'image/png' })));
    expect(result.upstreamId).toBe('p-1');
    expect(received[0]).toMatchObject({
      headers: { authorization: 'Bearer key-of-up', prefer: 'wait=10', 'cancel-after': '5s' },
      body: {
        input: {
          prompt: 'A fox',
          num_outputs: 3,
          aspect_ratio: '21:9',
          resolution: '1K',
          output_format: 'jpg',
          seed: 7,
          image: PICTURE,
          guidance: 3,
        },
      },
    });
    expect(received.slice(1).map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/out/0.png', undefined],
      ['/out/1.png', undefined],
    ]);
  });

  test('asks for a prediction that takes longer until it is over', async () => {
    const pauses: number[] = [];
    const answers = { [CREATE]: working, [LOOK]: [working, working, done(PICTURE)] as const };
    const { image, received } = await connect(replicate, answers, 'acme/painter');
    const result = await image({}, { pause: async (forMs) => void pauses.push(forMs) });
    expect(result.images).toEqual([{ base64: PNG, mediaType: 'image/png' }]);
    expect(received.map(({ path }) => path)).toEqual([CREATE, LOOK, LOOK, LOOK]);
    expect(pauses).toEqual([500, 500, 500]);
  });

  test('names the version of a model that has no path of its own', async () => {
    const { image, received } = await connect(replicate, { '/v1/predictions': done(PICTURE) }, 'acme/painter:abc');
    await image();
    expect(received.map(({ path, body }) => [path, body['version']])).toEqual([
      ['/v1/predictions', 'acme/painter:abc'],
    ]);
  });

  test('cancels the prediction of a call that ends before', async () => {
    const answers = { [CREATE]: working, [LOOK]: working, [`${LOOK}/cancel`]: { body: {} } };
    const { image, received } = await connect(replicate, answers, 'acme/painter');
    const client = new AbortController();
    const pause = async () => client.abort(new Error('left'));
    await expect(image({}, { signal: client.signal, pause })).rejects.toThrow('left');
    await expect.poll(() => received.at(-1)?.path).toBe(`${LOOK}/cancel`);
  });

  test('says why there is no image, and passes on a refusal', async () => {
    const failed = { id: 'p-1', status: 'failed', output: null, error: 'NSFW content detected by key-of-up' };
    const answers = {
      [CREATE]: { body: failed },
      '/v1/models/acme/bad/predictions': { status: 422, body: { title: 'Invalid', detail: 'prompt is required' } },
      '/v1/models/acme/odd/predictions': { body: { hello: 'there' } },
    };
    const { image } = await connect(replicate, answers);
    const ask = (name: string) => image({}, { providerModel: `acme/${name}` });
    await expect(ask('painter')).rejects.toMatchObject({
      message: 'Up made no image: NSFW content detected by [redacted]',
    });
    await expect(ask('bad')).rejects.toMatchObject({ code: 'unprocessable', message: 'prompt is required' });
    await expect(ask('odd')).rejects.toMatchObject({ code: 'provider_unavailable' });
    await expect(ask('..')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('fetches nothing from an address of the private network', async () => {
    const answers = (origin: string) => ({ [CREATE]: done(`${origin}/out/0.png`), '/out/0.png': bytes });
    const more = { providerModel: 'acme/painter', allowPrivateNetwork: false };
    const { image, received } = await connect(replicate, answers, more);
    await expect(image()).rejects.toThrow('may not be called');
    expect(received.map(({ path }) => path)).toEqual([CREATE]);
  });
});
