import type { ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { chunksOf, createCoreGateway, jsonOf, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const toImage = (base64: string): object => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${base64}` },
});
const IMAGES = [toImage('iVBORw0KGgoA'), toImage('iVBORw0KGgoB')];
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const painter = (pricing: ModelDefinition['endpoints'][number]['pricing']): readonly ModelDefinition[] => [
  {
    id: 'acme/painter',
    context_length: 1000,
    architecture: { output_modalities: ['image', 'text'] },
    endpoints: [{ provider: 'acme', providerModel: 'painter', pricing }],
  },
];
const BY_IMAGE = { prompt: '0.000001', completion: '0.000002', generated_image: '0.03' };
const ASKED = { model: 'acme/painter', modalities: ['image', 'text'], image_config: { aspect_ratio: '16:9' } };

const whole = (usage: object = USAGE) =>
  createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [
      JSON.stringify({
        choices: [{ index: 0, finish_reason: 'stop', message: { content: 'Here', images: IMAGES } }],
        usage,
      }),
    ],
  });

test('images of a chat are handed on and charged each, beside the tokens', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream, { models: painter(BY_IMAGE), logging: { inputOutput: true } });
  const response = jsonOf(await core.chat(ASKED));
  const cost = 10 * 0.000001 + 5 * 0.000002 + 2 * 0.03;
  expect(response).toMatchObject({ choices: [{ message: { content: 'Here', images: IMAGES } }], usage: { cost } });
  expect(upstream.latest().sent).toMatchObject({ modalities: ['image', 'text'] });
  const [{ record, content } = {}] = core.store.appended;
  expect(record?.generation).toMatchObject({ api_type: 'completions', num_media_completion: 2, total_cost: cost });
  expect(content?.callTimeline?.charges).toContainEqual({ unit: 'generated_image', count: 2, price: '0.03' });
  // Only texts are stored.
  expect(JSON.stringify(core.store.appended)).not.toContain('iVBORw0KGgo');
});

test('images of a chat with a price a token are charged by the tokens that upstream counts for them', async () => {
  const details = { completion_tokens_details: { image_tokens: 1290 } };
  const usage = { prompt_tokens: 10, completion_tokens: 1300, total_tokens: 1310, ...details };
  const pricing = { prompt: '0.000001', completion: '0.000002', image_output: '0.00003' };
  const core = createCoreGateway(whole(usage), { models: painter(pricing) });
  const cost = 10 * 0.000001 + 10 * 0.000002 + 1290 * 0.00003;
  expect(jsonOf(await core.chat(ASKED))).toMatchObject({ usage: { cost } });
  expect(core.store.appended[0]?.record.generation).toMatchObject({ native_tokens_completion_images: 1290 });
});

test.each(
  chunkings(
    toEventPieces([
      { choices: [{ index: 0, delta: { content: 'Here' } }] },
      { choices: [{ index: 0, delta: { images: [IMAGES[0]] } }] },
      { choices: [{ index: 0, delta: { images: [IMAGES[1]] }, finish_reason: 'stop' }] },
      { choices: [], usage: USAGE },
    ]),
  ),
)('images of a streamed chat are handed on as they come: %s', async (_, pieces) => {
  const core = createCoreGateway(createReplayTransport({ pieces }), { models: painter(BY_IMAGE) });
  const chunks = chunksOf(await readFrames(await core.chat({ ...ASKED, stream: true })).rest());
  const images = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta['images'] ?? []));
  expect(images).toEqual(IMAGES);
  expect(chunks.at(-1)?.usage).toMatchObject({ cost: 10 * 0.000001 + 5 * 0.000002 + 2 * 0.03 });
  expect(core.store.appended[0]?.record.generation).toMatchObject({ num_media_completion: 2 });
});

test('a budget holds what the images of a chat may cost before it begins', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream, { models: painter(BY_IMAGE), account: { creditsUsd: 0.1 } });
  expect((await core.chat({ ...ASKED, max_tokens: 10 })).status).toBe(402);
  expect((await core.chat({ ...ASKED, modalities: ['text'], max_tokens: 10 })).status).toBe(200);
});
