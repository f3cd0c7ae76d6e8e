import { expect, test } from 'vitest';

import { fitInto, type Allowance } from './fit-to-limit.ts';

const pricing = { prompt: '0.000015', completion: '0.000075', request: '0', image: '0' };
const LARGE = { context_length: 200_000, max_completion_tokens: 128_000, pricing };
const request = { model: 'acme/large', messages: [{ role: 'user' as const, content: 'Hello!' }] };
const allowanceOf = (leftUsd: number, ...endpoints: Allowance['endpoints']): Allowance => ({ leftUsd, endpoints });

test('asks for a completion that half of what the key has left pays for', () => {
  const fitted = fitInto(allowanceOf(1, LARGE), request);
  expect(fitted.max_tokens).toBe(6600);
  expect(Number(fitted.max_tokens) * 0.000075).toBeLessThan(0.5);
});

test('shares what is left among the columns, and goes down with it', () => {
  expect(fitInto(allowanceOf(1, LARGE), request, 4).max_tokens).toBe(1600);
  expect(fitInto(allowanceOf(0.05, LARGE), request).max_tokens).toBe(310);
});

test.each([
  ['the key has no limit', null, request],
  ['the allowance is not known yet', undefined, request],
  ['the longest completion fits', allowanceOf(100, LARGE), request],
  ['completions cost nothing', allowanceOf(1, { ...LARGE, pricing: { ...pricing, completion: '0' } }), request],
  ['the price is not known', allowanceOf(1, { ...LARGE, pricing: { ...pricing, completion: '-1' } }), request],
  ['nothing is left, which the gateway says better', allowanceOf(0, LARGE), request],
  ['the user has set it', allowanceOf(1, LARGE), { ...request, max_tokens: 100_000 }],
  ['the user has set it by its other name', allowanceOf(1, LARGE), { ...request, max_completion_tokens: 9 }],
])('leaves a request as it is where %s', (_, allowance, given) => {
  expect(fitInto(allowance, given)).toBe(given);
});

test('goes by the dearest endpoint and the dearest price that may apply', () => {
  const dearer = { ...LARGE, pricing: { ...pricing, internal_reasoning: '0.00015' } };
  const later = {
    ...LARGE,
    pricing: { ...pricing, overrides: [{ utc_start: 0, utc_end: 100, completion: '0.0003' }] },
  };
  expect(fitInto(allowanceOf(1, LARGE, dearer), request).max_tokens).toBe(3300);
  expect(fitInto(allowanceOf(1, LARGE, dearer, later), request).max_tokens).toBe(1600);
});

test('counts the prompt by its bytes, images and files by the most that they may need', () => {
  const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } };
  const file = { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } };
  const of = (content: string | (typeof image | typeof file)[]): number | null | undefined =>
    fitInto(allowanceOf(10, LARGE), { ...request, messages: [{ role: 'user', content }] }).max_tokens;
  expect(of('x'.repeat(100_000))).toBe(46_000);
  expect(of([image])).toBe(56_000);
  expect(of([file])).toBe(26_000);
});
