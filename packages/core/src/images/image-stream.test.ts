import type { ModelDefinition } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { createCoreGateway, jsonOf, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings } from '../../../../test/support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/painter',
    architecture: { output_modalities: ['image'] },
    endpoints: [
      { provider: 'acme', providerModel: 'gpt-image-1', pricing: { prompt: '0.000005', image_output: '0.00004' } },
      { provider: 'beta', providerModel: 'gpt-image-1' },
    ],
  },
];

const usage = { input_tokens: 10, output_tokens: 1000, total_tokens: 1010 };
const EVENTS = [
  { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'iVBORw0KGgoA' },
  { type: 'image_generation.partial_image', partial_image_index: 1, b64_json: 'iVBORw0KGgoB' },
  { type: 'image_generation.completed', b64_json: 'iVBORw0KGgoC', output_format: 'png', usage },
];
const toStream = (events: readonly object[]): string =>
  events
    .map((event) => `event: ${'type' in event ? String(event.type) : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

const streamed = (upstream: ScriptedTransport) => createCoreGateway(upstream, { models: MODELS });
const paint = (core: ReturnType<typeof streamed>, request: object = {}, more: { signal?: AbortSignal } = {}) =>
  core.post(
    '/api/v1/images',
    { model: 'acme/painter', prompt: 'A fox', stream: true, provider: { order: ['acme', 'beta'] }, ...request },
    more,
  );
/** The events of a stream, with its end. */
const parse = (text: string): unknown[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => (frame.startsWith('data: {') ? (JSON.parse(frame.slice('data: '.length)) as unknown) : frame));

describe('a stream of images', () => {
  test.each(chunkings(EVENTS.map((event) => toStream([event]))))(
    '%s sends previews, the image and the end',
    async (_, pieces) => {
      const upstream = createReplayTransport({ pieces });
      const core = streamed(upstream);
      const response = await paint(core);
      expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
      const cost = 10 * 0.000005 + 1000 * 0.00004;
      expect(parse(await readFrames(response).rest())).toEqual([
        EVENTS[0],
        EVENTS[1],
        {
          type: 'image_generation.completed',
          created: expect.any(Number) as number,
          b64_json: 'iVBORw0KGgoC',
          media_type: 'image/png',
          usage: expect.objectContaining({ prompt_tokens: 10, completion_tokens: 1000, cost }) as unknown,
        },
        'data: [DONE]',
      ]);
      expect(upstream.latest().sent).toMatchObject({ stream: true, partial_images: 2 });
      expect(upstream.latest().sent).not.toHaveProperty('response_format');
      expect(core.store.appended.map(({ record }) => record.generation)).toMatchObject([
        { streamed: true, total_cost: cost, num_media_completion: 1 },
      ]);
    },
  );

  test('passes on the text of an image that is written', async () => {
    const text = { type: 'image_generation.text_chunk', phase: 'content', text: '<svg>' };
    const completed = { type: 'image_generation.completed', b64_json: 'PHN2Zz4=', media_type: 'image/svg+xml' };
    const core = streamed(createReplayTransport({ pieces: [toStream([text, completed])] }));
    expect(parse(await readFrames(await paint(core)).rest())).toMatchObject([text, completed, 'data: [DONE]']);
  });

  test('of a provider that makes no previews has the images alone', async () => {
    const pieces = [JSON.stringify({ data: [{ b64_json: 'iVBORw0KGgoA' }, { b64_json: 'iVBORw0KGgoB' }], usage })];
    const core = streamed(createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces }));
    const events = parse(await readFrames(await paint(core, { n: 2 })).rest());
    expect(events).toMatchObject([
      { type: 'image_generation.completed', b64_json: 'iVBORw0KGgoA' },
      { type: 'image_generation.completed', b64_json: 'iVBORw0KGgoB', usage: { total_tokens: 1010 } },
      'data: [DONE]',
    ]);
    expect(events[0]).not.toHaveProperty('usage');
  });

  test('that fails before its first preview goes on elsewhere, or is an ordinary error', async () => {
    const failing = { type: 'error', error: { code: 'server_error', message: 'The server had an error' } };
    const upstream = createReplayTransport({ pieces: [toStream([failing])] }, { pieces: [toStream(EVENTS)] });
    const core = streamed(upstream);
    expect(parse(await readFrames(await paint(core)).rest())).toHaveLength(4);
    expect(upstream.exchanges).toHaveLength(2);
    const refused = await paint(streamed(createReplayTransport({ status: 500, pieces: ['{}'] })));
    expect([refused.status, jsonOf(refused)['error']]).toMatchObject([502, { code: 502 }]);
  });

  test.each([
    ['an error', toStream([EVENTS[0] as object, { type: 'error', error: { code: 'server_error', message: 'x' } }])],
    ['its end without an image', toStream(EVENTS.slice(0, 2))],
  ])('that fails with %s after a preview ends with the error, and nothing is charged', async (_, stream) => {
    const upstream = createReplayTransport({ pieces: [stream] });
    const core = streamed(upstream);
    const events = parse(await readFrames(await paint(core)).rest());
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', error: { code: 'provider_unavailable', param: null } },
      'data: [DONE]',
    ]);
    expect(upstream.exchanges).toHaveLength(1);
    expect(core.store.appended.map(({ record }) => record)).toMatchObject([
      { costNanoUsd: 0, generation: { finish_reason: 'error', streamed: true } },
    ]);
  });

  test('says that it is alive while upstream is silent, and ends with an event when upstream breaks off', async () => {
    const upstream = createScriptedTransport();
    const core = streamed(upstream);
    const pending = paint(core);
    await expect.poll(() => upstream.exchanges.length).toBe(1);
    await core.platform.advance(10_000);
    const frames = readFrames(await pending);
    expect(await frames.next()).toBe(': SERVICE PROCESSING\n\n');
    upstream.latest().respond();
    upstream.latest().push(toStream(EVENTS.slice(0, 1)));
    expect(parse((await frames.next()) ?? '')).toEqual([EVENTS[0]]);
    upstream.latest().fail(connectionReset());
    expect(parse(await frames.rest())).toMatchObject([
      { type: 'error', error: { message: 'Acme: the connection was reset' } },
      'data: [DONE]',
    ]);
  });

  test('is cancelled when its client leaves', async () => {
    const upstream = createScriptedTransport((exchange) => {
      exchange.respond();
      exchange.push(toStream(EVENTS.slice(0, 1)));
    });
    const core = streamed(upstream);
    const client = new AbortController();
    const frames = readFrames(await paint(core, {}, { signal: client.signal }));
    await frames.next();
    client.abort();
    await frames.leave();
    await expect.poll(() => core.store.appended.length).toBe(1);
    expect(upstream.latest().isClosed).toBe(true);
    expect(core.store.appended[0]?.record.generation).toMatchObject({ cancelled: true, streamed: true, total_cost: 0 });
  });
});
