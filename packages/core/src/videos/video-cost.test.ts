import { expect, test } from 'vitest';

import { parsePrices } from '../catalog/prices.ts';
import { videoCostNanoUsd } from './video-cost.ts';

test.each([
  [{ video_second: '0.1' }, { durationSeconds: 4, videos: 1 }, 400_000_000],
  [{ video_second: '0.1' }, { durationSeconds: 4.125, videos: 2 }, 825_000_000],
  [{ video: '0.25' }, { durationSeconds: undefined, videos: 3 }, 750_000_000],
  [{ video_token: '0.000002' }, { durationSeconds: 4, videos: 1, tokens: 108_900 }, 217_800_000],
  [{ video: '0.01', video_second: '0.1' }, { durationSeconds: 8, videos: 1 }, 810_000_000],
  [{ video: '0' }, { durationSeconds: 8, videos: 1 }, 0],
  // A price for something that was not measured is none.
  [{ video_second: '0.1' }, { durationSeconds: undefined, videos: 1 }, null],
  [{ video_token: '0.1' }, { durationSeconds: 4, videos: 1 }, null],
  [{ prompt: '1', completion: '1' }, { durationSeconds: 4, videos: 1 }, null],
])('%o makes %o cost %s billionths of a dollar', (pricing, measure, expected) => {
  expect(videoCostNanoUsd(parsePrices(pricing), measure)).toBe(expected);
});
