import { expect, test } from 'vitest';

import { readModelTraits } from './models.ts';

test.each([
  ['claude-3-haiku-20240307', 'none', 'by-default', 'free', 'unknown', 4096],
  ['claude-3-5-sonnet-20241022', 'none', 'by-default', 'free', 'unknown', 8192],
  ['claude-3-7-sonnet-20250219', 'budget', 'by-default', 'free', 'unknown', 8192],
  ['claude-sonnet-4-20250514', 'budget', 'by-default', 'free', 'unknown', 32_000],
  ['claude-opus-4-1-20250805', 'budget', 'by-default', 'one', 'known', 32_000],
  ['claude-haiku-4-5', 'budget', 'by-default', 'one', 'known', 32_000],
  ['anthropic/claude-4.5-opus', 'budget', 'by-default', 'one', 'known', 32_000],
  ['claude-opus-4-6', 'either', 'by-default', 'one', 'known', 32_000],
  ['claude-sonnet-4.6@20260217', 'either', 'by-default', 'one', 'known', 32_000],
  ['claude-opus-4-7', 'adaptive', 'by-default', 'none', 'known', 32_000],
  ['claude-opus-5', 'adaptive', 'on-request', 'none', 'known', 32_000],
  ['claude-sonnet-5-20260601', 'adaptive', 'on-request', 'none', 'known', 32_000],
  ['claude-opus-5-5', 'adaptive', 'never', 'none', 'known', 32_000],
  ['claude-haiku-5-5', 'adaptive', 'on-request', 'none', 'known', 32_000],
  ['claude-5.5-haiku', 'adaptive', 'on-request', 'none', 'known', 32_000],
  ['claude-fable-5', 'adaptive', 'never', 'none', 'known', 32_000],
  ['claude-mythos-preview', 'adaptive', 'never', 'none', 'known', 32_000],
  ['claude-opus-12-1', 'adaptive', 'never', 'none', 'known', 32_000],
  ['glm-5', 'budget', 'by-default', 'free', 'unsure', 8192],
])('knows the request parameters of %s', (model, thinking, thinkingOff, sampling, outputFormat, defaultMaxTokens) => {
  expect(readModelTraits(model)).toMatchObject({
    thinking,
    thinkingOff,
    sampling,
    outputFormat,
    defaultMaxTokens,
  });
});

test.each([
  ['claude-opus-4-5', []],
  ['claude-sonnet-4-6', ['low', 'medium', 'high', 'max']],
  ['claude-opus-4-7', ['low', 'medium', 'high', 'xhigh', 'max']],
  ['claude-opus-4-8', ['low', 'medium', 'high', 'xhigh', 'max']],
])('knows the efforts of %s', (model, efforts) => {
  expect(readModelTraits(model).efforts).toEqual(efforts);
});

test.each([
  ['claude-3-haiku-20240307', true],
  ['claude-sonnet-4-20250514', true],
  ['claude-opus-4-5-20251101', true],
  ['claude-opus-4-6', false],
  ['claude-haiku-5-5', false],
  ['claude-mythos-preview', false],
  // Nothing is known of other vendors' servers.
  ['glm-5', false],
])('knows whether %s continues a completion that has begun', (model, takesPrefill) => {
  expect(readModelTraits(model).takesPrefill).toBe(takesPrefill);
});
