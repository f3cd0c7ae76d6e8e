import type { VideoModel } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { estimatePrice, toVideoBody, toVideoDraft } from './video-draft.ts';

const MODEL: VideoModel = {
  id: 'acme/film',
  name: 'Film',
  description: '',
  supported_resolutions: null,
  supported_aspect_ratios: null,
  supported_sizes: ['640x360'],
  supported_durations: [4, 8],
  supported_frame_images: ['first_frame'],
  generate_audio: false,
  seed: false,
  canonical_slug: 'acme/film',
  created: 1_767_225_600,
  hugging_face_id: null,
  creativity: null,
  upscale_factor: null,
  allowed_passthrough_parameters: [],
  pricing_skus: { video_second: '0.05' },
};

test('requests only what the draft states, and no sound of a model that makes none', () => {
  expect(toVideoBody(MODEL, toVideoDraft(MODEL, 'a fox'))).toEqual({
    model: 'acme/film',
    user: 'playground',
    prompt: 'a fox',
    duration: 4,
  });
});

test('puts into the request what was chosen', () => {
  const draft = { ...toVideoDraft(MODEL), size: '640x360', seed: '7', firstFrame: 'data:image/png;base64,AA==' };
  expect(toVideoBody({ ...MODEL, generate_audio: true }, { ...draft, callbackUrl: ' https://a.example ' })).toEqual({
    model: 'acme/film',
    user: 'playground',
    duration: 4,
    size: '640x360',
    generate_audio: false,
    seed: 7,
    frame_images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, frame_type: 'first_frame' }],
    callback_url: 'https://a.example',
  });
});

test.each([
  [{ video_second: '0.05' }, '8', 0.4],
  [{ video: '1', video_second: '0.05' }, '4', 1.2],
  [{ video: '1' }, '', 1],
  [{ video_second: '0.05' }, '', null],
  [{ video_token: '0.00001', video: '1' }, '4', null],
  [{}, '4', null],
])('estimates the price by %j for %s seconds as %d', (prices, duration, price) => {
  const draft = { ...toVideoDraft(MODEL), duration };
  expect(estimatePrice({ ...MODEL, pricing_skus: prices }, draft)).toEqual(
    price === null ? null : expect.closeTo(price),
  );
});
