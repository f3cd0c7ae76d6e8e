import type { ModelDefinition, Provider } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import {
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
} from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import {
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** One transparent pixel, and the head of 1024 × 1024 of them. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/wAALCAQABAABAREA/9k=';

const tokens = { prompt: '0.000005', completion: '0.00004', image_token: '0.00001', image_output: '0.00004' };
const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/painter',
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
    image: {
      supported_parameters: { quality: { type: 'enum', values: ['low', 'high'] }, seed: { type: 'boolean' } },
      allowed_passthrough_parameters: ['style'],
      supports_streaming: true,
    },
    endpoints: [
      { provider: 'acme', providerModel: 'paint-1', pricing: { generated_image: '0.02' } },
      { provider: 'beta', providerModel: 'paint-b', pricing: tokens },
    ],
  },
  {
    id: 'acme/chat',
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    endpoints: [{ provider: 'acme', providerModel: 'chat-1' }],
  },
  {
    id: 'acme/both',
    architecture: { input_modalities: ['text'], output_modalities: ['text', 'image'] },
    endpoints: [{ provider: 'acme', providerModel: 'both-1', pricing: tokens }],
  },
  { id: 'acme/size', endpoints: [{ provider: 'acme', providerModel: 's', pricing: { generated_megapixel: '0.05' } }] },
  { id: 'acme/free', endpoints: [{ provider: 'acme', providerModel: 'free' }] },
  { id: 'acme/counted', endpoints: [{ provider: 'acme', providerModel: 'counted', pricing: tokens }] },
];

/** A model whose entry says what its parameters may be. */
const LIMITED: ModelDefinition = {
  id: 'acme/limited',
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
  image: {
    supported_parameters: {
      quality: { type: 'enum', values: ['low', 'high'] },
      resolution: { type: 'enum', values: ['1K'] },
      n: { type: 'range', min: 1, max: 4 },
      input_references: { type: 'range', min: 0, max: 2 },
      seed: { type: 'boolean' },
    },
  },
  endpoints: [{ provider: 'acme', providerModel: 'paint-1', pricing: { generated_image: '0.02' } }],
};

const body = (images: readonly object[], more: object = {}): string =>
  JSON.stringify({ created: 1, data: images, ...more });
const USAGE = {
  input_tokens: 10,
  output_tokens: 1000,
  total_tokens: 1010,
  input_tokens_details: { text_tokens: 6, image_tokens: 4 },
};

const paint = (core: CoreGateway, request: object = {}, headers?: Readonly<Record<string, string>>) =>
  core.post(
    '/api/v1/images',
    { model: 'acme/painter', prompt: 'A fox', provider: { order: ['acme', 'beta'] }, ...request },
    headers === undefined ? {} : { headers },
  );

const replay = (...pieces: readonly string[]): ScriptedTransport =>
  createReplayTransport(...pieces.map((piece) => ({ headers: JSON_TYPE, pieces: [piece] })));

const one = body([{ b64_json: PNG }]);

describe('a call for images', () => {
  test('sends the images with their type, and records the call with its price an image', async () => {
    const upstream = replay(body([{ b64_json: PNG }, { b64_json: JPEG }]));
    const core = createCoreGateway(upstream, { models: MODELS, logging: { inputOutput: true } });
    const response = await paint(core, { n: 2, quality: 'low', seed: 7, session_id: 'cards' });
    const { record, content } = core.store.appended[0] ?? {};
    expect(response).toMatchObject({ status: 200, headers: { 'x-generation-id': record?.generation.id } });
    expect(jsonOf(response)).toEqual({
      created: expect.any(Number) as number,
      data: [
        { b64_json: PNG, media_type: 'image/png' },
        { b64_json: JPEG, media_type: 'image/jpeg' },
      ],
      usage: expect.objectContaining({
        prompt_tokens: 2,
        completion_tokens: 0,
        cost: 0.04,
        estimated: true,
      }) as unknown,
    });
    expect(upstream.latest().request.url).toBe('https://acme.example/v1/images/generations');
    expect(upstream.latest().sent).toEqual({
      model: 'paint-1',
      prompt: 'A fox',
      n: 2,
      quality: 'low',
      seed: 7,
      response_format: 'b64_json',
    });
    expect(record?.generation).toMatchObject({
      api_type: 'image',
      model: 'acme/painter',
      session_id: 'cards',
      provider_name: 'Acme',
      num_media_prompt: 0,
      num_media_completion: 2,
      streamed: false,
      total_cost: 0.04,
      cost_known: true,
    });
    expect(content).toMatchObject({
      input: { prompt: 'A fox' },
      output: { completion: null },
      callTimeline: { charges: [{ unit: 'generated_image', count: 2, price: '0.02' }] },
    });
    // A picture is stored once, as what was made.
    expect(content?.output.media?.map(({ url }) => url)).toEqual([
      `data:image/png;base64,${PNG}`,
      `data:image/jpeg;base64,${JPEG}`,
    ]);
    expect(JSON.stringify(core.store.appended).split(PNG)).toHaveLength(2);
  });

  test('is charged by the tokens that upstream counts, those of pictures and images at their own prices', async () => {
    const core = createCoreGateway(replay(body([{ b64_json: PNG }], { usage: USAGE })), { models: MODELS });
    const response = await paint(core, { model: 'acme/counted', provider: {} });
    const cost = 6 * 0.000005 + 4 * 0.00001 + 1000 * 0.00004;
    expect(jsonOf(response)['usage']).toMatchObject({ prompt_tokens: 10, completion_tokens: 1000, cost });
    expect(core.store.appended[0]?.record).toMatchObject({
      generation: { native_tokens_completion_images: 1000 },
      costNanoUsd: Math.round(cost * 1e9),
    });
  });

  test.each([
    ['a megapixel', 'acme/size', '{"b64_json":"' + JPEG + '"}', 0.05],
    ['nothing that is known', 'acme/free', '{"b64_json":"' + PNG + '"}', null],
    ['tokens that nobody has counted', 'acme/counted', '{"b64_json":"' + PNG + '"}', null],
  ])('with a price for %s costs accordingly', async (_, model, image, cost) => {
    const core = createCoreGateway(replay(`{"data":[${image}]}`), { models: MODELS });
    expect(jsonOf(await paint(core, { model, provider: {} }))['usage']).toMatchObject({ cost });
  });

  test('gives no more images than were asked for, and charges no more', async () => {
    const images = [{ b64_json: PNG }, { b64_json: PNG }, { b64_json: PNG }];
    const core = createCoreGateway(replay(body(images)), { models: MODELS });
    const { data, usage } = jsonOf(await paint(core));
    expect([data, usage]).toMatchObject([[{ b64_json: PNG }], { cost: 0.02 }]);
    expect(data).toHaveLength(1);
  });

  test.each([
    ['no JSON'],
    ['{"data":[]}'],
    ['{"data":[{"url":"https://files.example/1.png"}]}'],
    ['{"error":{"message":"x"}}'],
    ['{"data":[{"b64_json":"AA A"}]}'],
  ])('goes on to the next endpoint when upstream sends %s', async (piece) => {
    const upstream = replay(piece, one);
    const core = createCoreGateway(upstream, { models: MODELS });
    expect((await paint(core)).status).toBe(200);
    expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['paint-1', 'paint-b']);
    expect(core.store.appended[0]?.record.generation.provider_responses).toHaveLength(2);
  });

  test('that makes no image anywhere is a 502 and costs nothing', async () => {
    const core = createCoreGateway(replay(body([], { usage: USAGE })), { models: MODELS });
    const response = await paint(core);
    expect([response.status, jsonOf(response)['error']]).toMatchObject([502, { message: 'Beta made no image' }]);
    expect(core.store.appended.map(({ record }) => [record.costNanoUsd, record.generation.finish_reason])).toEqual([
      [0, 'error'],
    ]);
  });

  test('is cancelled when its client leaves, and upstream is closed at once', async () => {
    const upstream = createScriptedTransport();
    const core = createCoreGateway(upstream, { models: MODELS });
    const client = new AbortController();
    const pending = core.post('/api/v1/images', { model: 'acme/painter', prompt: 'x' }, { signal: client.signal });
    await expect.poll(() => upstream.exchanges.length).toBe(1);
    client.abort();
    expect((await pending).status).toBe(499);
    expect(upstream.latest().isClosed).toBe(true);
    expect(core.store.appended[0]?.record.generation).toMatchObject({ cancelled: true });
  });

  test('whose provider breaks its contract is recorded, and the money that was held for it is free again', async () => {
    const broken: Provider = {
      ...createScriptedProvider('acme', []),
      image: () => Promise.reject(new TypeError('x is undefined')),
    };
    const core = createCoreGateway([broken, createScriptedProvider('beta', [])], {
      models: MODELS,
      account: { creditsUsd: 0.03 },
    });
    for (const count of [1, 2]) {
      expect((await paint(core)).status).toBe(500);
      expect(core.store.appended).toHaveLength(count);
    }
  });

  test('passes on what upstream’s moderation objects to', async () => {
    const error = { code: 'moderation_blocked', message: 'Your request was rejected by the safety system.' };
    const upstream = createReplayTransport({ status: 400, headers: JSON_TYPE, pieces: [JSON.stringify({ error })] });
    const response = await paint(createCoreGateway(upstream, { models: MODELS }), { prompt: 'Something bad' });
    expect([response.status, jsonOf(response)['error']]).toMatchObject([
      403,
      { metadata: { flagged_input: 'Something bad', model_slug: 'acme/painter' } },
    ]);
  });

  test('reports its routing on request', async () => {
    const headers = { authorization: 'Bearer sk-test-api', 'x-openrouter-metadata': 'enabled' };
    const response = await paint(createCoreGateway(replay(one), { models: MODELS }), {}, headers);
    expect(jsonOf(response)).toMatchObject({ openrouter_metadata: { requested: 'acme/painter' } });
  });
});

describe('limits', () => {
  test('budgets hold what the images cost at most before the call', async () => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: MODELS, account: { creditsUsd: 0.05 } });
    const only = { provider: { only: ['acme'] } };
    expect((await paint(core, { ...only, n: 3 })).status).toBe(402);
    expect((await paint(core, only)).status).toBe(200);
    expect((await paint(core, { ...only, n: 2 })).status).toBe(402);
    expect(upstream.exchanges).toHaveLength(1);
    expect(core.store.appended).toHaveLength(1);
  });

  test('budgets bound images by their size and by their tokens, and leave out endpoints without a price', async () => {
    const core = createCoreGateway(replay(one), { models: MODELS, account: { creditsUsd: 0.11 } });
    const status = async (request: object): Promise<number> => (await paint(core, { provider: {}, ...request })).status;
    expect(await status({ model: 'acme/size', size: '1024x1024' })).toBe(200);
    expect(await status({ model: 'acme/size', size: '2048x2048' })).toBe(402);
    expect(await status({ model: 'acme/counted' })).toBe(402);
    expect(await status({ model: 'acme/free' })).toBe(404);
  });

  test('guardrails redact and block the prompt, and texts among a provider’s own parameters', async () => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: MODELS });
    const filter = (action: string) => ({ content_filters: [{ pattern: 'code \\d+', action, label: '[CODE]' }] });
    const key = await guardKey(core, filter('redact'));
    const request = {
      prompt: 'the code 42',
      user: 'code 7',
      provider: { order: ['acme'], options: { acme: { style: 'code 1', steps: 9 } } },
    };
    expect((await paint(core, request, key.headers)).status).toBe(200);
    expect(upstream.latest().sent).toMatchObject({ prompt: 'the [CODE]', style: '[CODE]' });
    // Nor what the model's entry does not list.
    expect(upstream.latest().sent).not.toHaveProperty('steps');
    expect(JSON.stringify(core.store.appended)).not.toMatch(/code \d/);
    await key.patch(filter('block'));
    expect((await paint(core, request, key.headers)).status).toBe(403);
    expect(upstream.exchanges).toHaveLength(1);
  });
});

describe('requests', () => {
  test.each([
    [{ size: '2048x2048', resolution: '1K' }, 'resolution'],
    [{ size: '2K', resolution: '4K' }, 'resolution'],
    [{ size: '1536x1024', aspect_ratio: '1:1' }, 'aspect_ratio'],
    [{ size: 'large' }, 'size'],
    [{ n: 11 }, 'n'],
    [{ n: 0 }, 'n'],
    [{ prompt: '' }, 'prompt'],
    [{ background: 'transparent', output_format: 'jpeg' }, 'output_format'],
    [{ mask: { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } }, 'mask'],
    [{ provider: { onyl: ['acme'] } }, 'provider.onyl'],
    [
      { input_references: [{ type: 'image_url', image_url: { url: 'https://a.example/1.png' } }] },
      'input_references.0',
    ],
  ])('with %j are refused by the field that is wrong', async (request, field) => {
    const core = createCoreGateway(replay(one), { models: MODELS });
    const response = await paint(core, request);
    expect([response.status, JSON.stringify(jsonOf(response)['error'])]).toEqual([400, expect.stringContaining(field)]);
  });

  test.each([
    [{ size: '1K' }, '1024x1024'],
    [{ size: '2K', aspect_ratio: '16:9' }, '2736x1536'],
    [{ aspect_ratio: '3:2' }, '1248x832'],
    [{ size: '1536x1024', resolution: '1K', aspect_ratio: '3:2' }, '1536x1024'],
    [{ size: '1344x768', aspect_ratio: '16:9' }, '1344x768'],
    [{ size: 'auto', aspect_ratio: 'auto' }, undefined],
  ])('name the frame %j by pixels upstream', async (request, size) => {
    const upstream = replay(one);
    await paint(createCoreGateway(upstream, { models: MODELS }), request);
    expect(upstream.latest().sent['size']).toBe(size);
  });

  const three = Array(3).fill({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } });
  test.each([
    [{ quality: 'medium' }, 'quality: must be low, high for acme/limited'],
    [{ resolution: '4K' }, 'resolution: must be 1K for acme/limited'],
    [{ size: '2K' }, 'size: must be 1K for acme/limited'],
    [{ n: 5 }, 'n: must be 1 to 4 for acme/limited'],
    [{ input_references: three }, 'input_references: must be 0 to 2 for acme/limited'],
  ])('that a model does not offer are refused with what it offers: %j', async (request, message) => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: [LIMITED] });
    const response = await paint(core, { model: 'acme/limited', ...request });
    expect([response.status, jsonOf(response)]).toMatchObject([400, { error: { message } }]);
    expect(upstream.exchanges).toEqual([]);
  });

  test.each([
    { quality: 'high', size: '1K', n: 4, seed: 7 },
    { quality: 'auto', size: '1024x1024', background: 'opaque' },
  ])('that a model offers, or says nothing of, are made: %j', async (request) => {
    const core = createCoreGateway(replay(one), { models: [LIMITED] });
    expect((await paint(core, { model: 'acme/limited', ...request })).status).toBe(200);
  });

  test('for a model that makes something else are refused, and a model that writes as well is a chat model', async () => {
    const core = createCoreGateway(replay(one), { models: MODELS });
    expect((await paint(core, { model: 'acme/chat', provider: {} })).status).toBe(400);
    expect((await paint(core, { model: 'acme/both', provider: {} })).status).toBe(200);
    const chat = await core.chat({ model: 'acme/painter' });
    expect([chat.status, JSON.stringify(jsonOf(chat)['error'])]).toEqual([
      400,
      expect.stringContaining('it is called by POST /images'),
    ]);
  });

  test('send pictures and a mask as files of a form', async () => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: MODELS });
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
    expect((await paint(core, { input_references: [picture, picture], mask: picture, n: 1 })).status).toBe(200);
    const { url, headers, body: sent } = upstream.latest().request;
    expect(url).toBe('https://acme.example/v1/images/edits');
    const form = await new Response(sent as Uint8Array<ArrayBuffer>, { headers }).formData();
    expect([form.get('model'), form.get('prompt'), form.getAll('image[]').length]).toEqual(['paint-1', 'A fox', 2]);
    const mask = form.get('mask') as File;
    expect([mask.type, Buffer.from(await mask.arrayBuffer()).toString('base64')]).toEqual(['image/png', PNG]);
    expect(core.store.appended[0]?.record.generation).toMatchObject({ num_media_prompt: 3 });
  });
});

describe('lists', () => {
  test('show the models that make images, and their endpoints with the prices by what is charged', async () => {
    const core = createCoreGateway(replay(one), { models: MODELS });
    const { data } = jsonOf(await core.get('/api/v1/images/models'));
    expect(data).toEqual([
      expect.objectContaining({
        id: 'acme/painter',
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
        supported_parameters: { quality: { type: 'enum', values: ['low', 'high'] }, seed: { type: 'boolean' } },
        supports_streaming: true,
        endpoints: '/api/v1/images/models/acme/painter/endpoints',
      }),
      expect.objectContaining({ id: 'acme/both', supported_parameters: {}, supports_streaming: false }),
    ]);
    const listed = jsonOf(await core.get('/api/v1/images/models/acme/painter/endpoints'));
    expect(listed).toMatchObject({
      id: 'acme/painter',
      endpoints: [
        {
          provider_name: 'Acme',
          provider_slug: 'acme',
          provider_tag: 'acme',
          allowed_passthrough_parameters: ['style'],
          pricing: [{ billable: 'output_image', unit: 'image', cost_usd: 0.02 }],
        },
        {
          provider_name: 'Beta',
          pricing: [
            { billable: 'output_image', unit: 'token', cost_usd: 0.00004 },
            { billable: 'input_image', unit: 'token', cost_usd: 0.00001 },
            { billable: 'input_text', unit: 'token', cost_usd: 0.000005 },
          ],
        },
      ],
    });
    expect((await core.get('/api/v1/images/models/acme/chat/endpoints')).status).toBe(404);
  });
});

describe('routing', () => {
  const rated = (pricing: object): ModelDefinition => ({
    id: 'acme/rated',
    architecture: { output_modalities: ['image'] },
    endpoints: [
      { provider: 'acme', providerModel: 'dear', pricing: { generated_image: '0.06' } },
      { provider: 'beta', providerModel: 'other', pricing },
    ],
  });

  test.each([
    ['an image', { generated_image: '0.05' }, 'other'],
    ['a megapixel', { generated_megapixel: '0.07' }, 'dear'],
    ['a token', { prompt: '0', image_output: '0.00004' }, 'other'],
    ['nothing', {}, 'dear'],
  ])('sorts by price where the other endpoint has one for %s', async (_, pricing, first) => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: [rated(pricing)] });
    await paint(core, { model: 'acme/rated', provider: { sort: 'price' } });
    expect(upstream.latest().sent['model']).toBe(first);
  });

  test('keeps to the highest price of an image that the caller accepts', async () => {
    const upstream = replay(one);
    const core = createCoreGateway(upstream, { models: [rated({ generated_image: '0.05' })] });
    const request = { model: 'acme/rated', provider: { order: ['acme'], max_price: { image: 0.055 } } };
    expect((await paint(core, request)).status).toBe(200);
    expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['other']);
  });
});
