import { createOpenAI } from '@ai-sdk/openai';
import { createMemoryFileStorage } from '@model-gateway/core';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { OpenRouter } from '@openrouter/sdk';
import { generateImage } from 'ai';
import OpenAI, { toFile } from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { PAINTER, PIXEL, startImageUpstream } from '../../support/upstreams/image-upstream.ts';

async function connect(kind: HostKind) {
  const upstream = await startImageUpstream();
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const storage = createMemoryFileStorage({ randomBytes, now: () => Date.now() });
  const { gateway, nextRecord, close } = createTestGateway(upstream, { models: [PAINTER], files: { storage } });
  const host = await startHost(kind, gateway);
  onTestFinished(host.close);
  onTestFinished(close);
  return { upstream, nextRecord, apiUrl: host.apiUrl };
}

const MODEL = 'test/painter';
const BYTES = Buffer.from(PIXEL, 'base64');

describe.each(HOST_KINDS)('images for the openai client on %s', (kind) => {
  const open = async () => {
    const connected = await connect(kind);
    return { ...connected, client: new OpenAI({ apiKey: TEST_KEY, baseURL: connected.apiUrl, maxRetries: 0 }) };
  };

  test('are made whole, with the tokens in its own words', async () => {
    const { client, nextRecord, upstream } = await open();
    const recorded = nextRecord();
    const { data, usage } = await client.images.generate({ model: MODEL, prompt: 'A fox', n: 2, size: '1024x1024' });
    expect(data?.map(({ b64_json: image }) => image)).toEqual([PIXEL, PIXEL]);
    expect(usage).toMatchObject({ input_tokens: 10, output_tokens: 1000, total_tokens: 1010 });
    expect(upstream.asked[0]?.fields).toMatchObject({ model: 'gpt-image-1', prompt: 'A fox', n: 2, size: '1024x1024' });
    expect((await recorded).generation).toMatchObject({ api_type: 'image', total_cost: 0.08 });
  });

  test('are streamed with their previews', async () => {
    const { client } = await open();
    const stream = await client.images.generate({ model: MODEL, prompt: 'A fox', stream: true, partial_images: 2 });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toMatchObject([
      { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: PIXEL },
      { type: 'image_generation.partial_image', partial_image_index: 1 },
      { type: 'image_generation.completed', b64_json: PIXEL, output_format: 'png', usage: { output_tokens: 1000 } },
    ]);
  });

  test('are edited, whole and streamed', async () => {
    const { client, upstream } = await open();
    const image = await toFile(BYTES, 'fox.png', { type: 'image/png' });
    const mask = await toFile(BYTES, 'mask.png', { type: 'image/png' });
    const { data } = await client.images.edit({ model: MODEL, prompt: 'A hat', image: [image, image], mask, n: 2 });
    expect(data).toMatchObject([{ b64_json: PIXEL }, { b64_json: PIXEL }]);
    expect(upstream.asked[0]).toMatchObject({
      path: '/v1/images/edits',
      fields: { prompt: 'A hat', n: '2' },
      files: 3,
    });
    const stream = await client.images.edit({ model: MODEL, prompt: 'A hat', image, stream: true, partial_images: 1 });
    const types = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.partial_image', 'image_edit.completed']);
  });

  test('are edited from uploaded files, named by their ids', async () => {
    const { client, upstream } = await open();
    const { id } = await client.files.create({ file: await toFile(BYTES, 'fox.png'), purpose: 'vision' });
    // The client sends texts in their place, though its types know only files.
    const pictures = { image: [id, id], mask: id } as unknown as { image: File[]; mask: File };
    const { data } = await client.images.edit({ model: MODEL, prompt: 'A hat', ...pictures });
    expect(data).toMatchObject([{ b64_json: PIXEL }]);
    expect(upstream.asked[0]).toMatchObject({ path: '/v1/images/edits', files: 3 });
  });

  test('are never addresses', async () => {
    const { client } = await open();
    await expect(
      client.images.generate({ model: MODEL, prompt: 'A fox', response_format: 'url' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('response_format') as string });
  });
});

describe.each(HOST_KINDS)('images for @openrouter/sdk on %s', (kind) => {
  const open = async () => {
    const connected = await connect(kind);
    const retryConfig = { strategy: 'none' as const };
    return { ...connected, client: new OpenRouter({ apiKey: TEST_KEY, serverURL: connected.apiUrl, retryConfig }) };
  };

  test('are made whole, with their cost', async () => {
    const { client } = await open();
    const result = await client.images.generate({
      imageGenerationRequest: { model: MODEL, prompt: 'A fox', n: 2, aspectRatio: '16:9', resolution: '1K' },
    });
    expect(result).toMatchObject({
      data: [{ b64Json: PIXEL, mediaType: 'image/png' }, { b64Json: PIXEL }],
      usage: { promptTokens: 10, completionTokens: 1000, cost: 0.08 },
    });
  });

  test('are streamed with their previews', async () => {
    const { client } = await open();
    const stream = await client.images.generate({
      imageGenerationRequest: { model: MODEL, prompt: 'A fox', stream: true },
    });
    if (!(Symbol.asyncIterator in stream)) throw new Error('the images are not streamed');
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    expect(events).toMatchObject([
      { type: 'image_generation.partial_image', partialImageIndex: 0, b64Json: PIXEL },
      { type: 'image_generation.partial_image', partialImageIndex: 1 },
      { type: 'image_generation.completed', b64Json: PIXEL, mediaType: 'image/png', usage: { cost: 0.04 } },
    ]);
  });

  test('have models and endpoints with what they can do and cost', async () => {
    const { client } = await open();
    const { data } = await client.images.listModels();
    expect(data).toMatchObject([
      {
        id: MODEL,
        name: 'Test: Painter',
        supportsStreaming: true,
        supportedParameters: { quality: { type: 'enum', values: ['low', 'high'] } },
      },
    ]);
    const { id, endpoints } = await client.images.listModelEndpoints({ author: 'test', slug: 'painter' });
    expect([id, endpoints]).toMatchObject([
      MODEL,
      [
        {
          providerSlug: 'scripted',
          allowedPassthroughParameters: ['style'],
          pricing: [{ billable: 'output_image', unit: 'image', costUsd: 0.04 }],
        },
      ],
    ]);
  });

  test('are refused as errors that it knows', async () => {
    const { client } = await open();
    const request = { model: MODEL, prompt: 'A fox', size: '1024x1024', aspectRatio: '16:9' as const };
    await expect(client.images.generate({ imageGenerationRequest: request })).rejects.toMatchObject({
      name: 'BadRequestResponseError',
      statusCode: 400,
    });
  });
});

describe.each(HOST_KINDS)('images for the AI SDK on %s', (kind) => {
  test('come through the provider of OpenRouter, with pictures to go by', async () => {
    const { apiUrl, upstream } = await connect(kind);
    const provider = createOpenRouter({ apiKey: TEST_KEY, baseURL: apiUrl });
    const { images } = await generateImage({
      model: provider.imageModel(MODEL),
      prompt: { text: 'A hat', images: [BYTES] },
      n: 2,
      aspectRatio: '1:1',
    });
    expect(images.map(({ base64, mediaType }) => [base64, mediaType])).toEqual([
      [PIXEL, 'image/png'],
      [PIXEL, 'image/png'],
    ]);
    expect(upstream.asked).toMatchObject([{ path: '/v1/images/edits', files: 1, fields: { prompt: 'A hat' } }]);
  });

  test('come through the provider of OpenAI', async () => {
    const { apiUrl } = await connect(kind);
    const provider = createOpenAI({ apiKey: TEST_KEY, baseURL: apiUrl });
    const { image } = await generateImage({ model: provider.image(MODEL), prompt: 'A fox', size: '1024x1024' });
    expect(image.base64).toBe(PIXEL);
  });
});
