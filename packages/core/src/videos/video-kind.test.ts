import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parsePrices } from '../catalog/prices.ts';
import { VIDEO_ASPECT_RATIOS, VIDEO_RESOLUTIONS } from '../wire/video-capabilities.ts';
import type { VideoRequest } from '../wire/videos.ts';
import { toVideoSize, videoCostNanoUsd } from './video-kind.ts';

const ask = (fields: Partial<VideoRequest>) => toVideoSize({ model: 'acme/film', ...fields });

test.each([
  ['720p', '16:9', '1280x720'],
  ['720p', '9:16', '720x1280'],
  ['480p', '16:9', '854x480'],
  ['768p', '16:9', '1366x768'],
  ['1080p', '21:9', '2520x1080'],
  ['480p', '4:3', '640x480'],
  ['360p', '1:1', '360x360'],
  ['2K', '3:2', '2160x1440'],
  ['4K', '16:9', '3840x2160'],
] as const)('%s with %s is %s, and the other way round', (resolution, aspectRatio, size) => {
  expect(ask({ resolution, aspect_ratio: aspectRatio })).toEqual({ resolution, aspectRatio, size });
  expect(ask({ size })).toEqual({ resolution, aspectRatio, size });
});

test('takes both ways beside each other when they mean the same', () => {
  const inPixels = VIDEO_RESOLUTIONS.filter((resolution) => resolution !== '1K');
  fc.assert(
    fc.property(fc.constantFrom(...inPixels), fc.constantFrom(...VIDEO_ASPECT_RATIOS), (resolution, ratio) => {
      const { size } = ask({ resolution, aspect_ratio: ratio });
      expect(ask({ resolution, aspect_ratio: ratio, size })).toEqual({ resolution, aspectRatio: ratio, size });
    }),
  );
  expect(ask({ resolution: '1K', aspect_ratio: '1:1' })).toEqual({ resolution: '1K', aspectRatio: '1:1' });
});

test.each([
  [
    { size: '1280x720', resolution: '1080p' },
    'resolution: contradicts size 1280x720, which is 720p; send one of the two',
  ],
  [
    { size: '1280x720', aspect_ratio: '9:16' },
    'aspect_ratio: contradicts size 1280x720, which is 16:9; send one of the two',
  ],
  [
    { size: '1000x999', resolution: '720p' },
    'resolution: contradicts size 1000x999, which is no standard one; send one of the two',
  ],
] as const)('refuses %o', (fields, message) => {
  expect(() => ask(fields)).toThrow(message);
});

test('leaves open what was not said', () => {
  expect(ask({})).toEqual({});
  expect(ask({ resolution: '720p' })).toEqual({ resolution: '720p' });
  expect(ask({ aspect_ratio: '1:1' })).toEqual({ aspectRatio: '1:1' });
  expect(ask({ size: '1000x500' })).toMatchObject({ size: '1000x500' });
});

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
