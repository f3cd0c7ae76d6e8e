import { expect, test } from 'vitest';

import { toFirstTokenMs } from '../first-token.ts';
import { toSpeed } from './to-speed.ts';

const STREAMED = { streamed: true, tokens_completion: 100, generation_time: 1500, latency: 500 };

test('tells the speed of a stream from its first token on, and of a whole response over all of its time', () => {
  expect(toSpeed(STREAMED)).toBe(100);
  expect(toSpeed({ ...STREAMED, streamed: false, generation_time: 1001, latency: 1000 })).toBeCloseTo(99.9);
  expect(toSpeed({ ...STREAMED, tokens_completion: null })).toBeNull();
});

test('tells the time to the first token of streams that had one, and of nothing else', () => {
  expect(toFirstTokenMs(STREAMED)).toBe(500);
  expect(toFirstTokenMs({ ...STREAMED, streamed: false })).toBeNull();
  expect(toFirstTokenMs({ ...STREAMED, tokens_completion: null })).toBeNull();
});
