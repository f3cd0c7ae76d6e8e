import { expect, test } from 'vitest';

import { estimateCost } from './estimate-cost.ts';

const pricing = { prompt: '0.000001', completion: '0.000002', request: '0', image: '0' };
const request = { messages: [{ role: 'user' as const, content: 'x'.repeat(400) }] };

test('estimates by the length of the texts, and by how long the completion before was', () => {
  expect(estimateCost(request, pricing, 200)).toEqual({
    promptTokens: 104,
    completionTokens: 200,
    usd: expect.closeTo(0.000504, 9),
    hasMedia: false,
    fittedTokens: null,
  });
  expect(estimateCost(request, pricing, null).completionTokens).toBe(500);
  expect(estimateCost({ ...request, max_tokens: 50 }, pricing, null).completionTokens).toBe(50);
  expect(estimateCost(request, { ...pricing, request: '0.5' }, 0).usd).toBeCloseTo(0.500104, 6);
});

test('says when a price is not known, and when something is not counted', () => {
  expect(estimateCost(request, undefined, null).usd).toBeNull();
  expect(estimateCost(request, { ...pricing, completion: '-1' }, null).usd).toBeNull();
  const content = [
    { type: 'text' as const, text: 'x' },
    { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
  ];
  expect(estimateCost({ messages: [{ role: 'user', content }] }, pricing, null).hasMedia).toBe(true);
});
