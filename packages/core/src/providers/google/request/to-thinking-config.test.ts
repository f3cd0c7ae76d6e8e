import { expect, test } from 'vitest';

import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../../wire/chat-request.ts';
import { readGeminiTraits } from '../models.ts';
import { toThinkingConfig } from './to-google-request.ts';

const requestOf = (body: object): ChatCompletionRequest =>
  chatCompletionRequestSchema.parse({ messages: [{ role: 'user', content: 'Hi' }], ...body });
const configOf = (model: string, body: object = {}): unknown =>
  toThinkingConfig(requestOf(body), readGeminiTraits(model, null).thinking);

const effort = (level: string): object => ({ reasoning: { effort: level } });

test.each([
  ['gemini-2.5-flash', effort('high'), { thinkingBudget: 24_576 }],
  ['gemini-2.5-flash', effort('minimal'), { thinkingBudget: 6553 }],
  ['gemini-2.5-pro', effort('high'), { thinkingBudget: 32_768 }],
  ['gemini-2.5-pro', { reasoning_effort: 'low' }, { thinkingBudget: 13_107 }],
  ['gemini-2.5-flash', { ...effort('high'), max_tokens: 10_000 }, { thinkingBudget: 8000 }],
  ['gemini-2.5-flash', { ...effort('max'), max_tokens: 10_000 }, { thinkingBudget: 9500 }],
  ['gemini-2.5-flash', { ...effort('low'), max_completion_tokens: 2000 }, { thinkingBudget: 1024 }],
  ['gemini-2.5-flash', { reasoning: { enabled: true }, max_tokens: 10_000 }, { thinkingBudget: 5000 }],
  ['gemini-2.5-flash', { reasoning: { max_tokens: 100 } }, { thinkingBudget: 100 }],
  ['gemini-2.5-flash-lite', { reasoning: { max_tokens: 100 } }, { thinkingBudget: 512 }],
  ['gemini-2.5-pro', { reasoning: { max_tokens: 99_999 } }, { thinkingBudget: 32_768 }],
  ['gemini-3-pro-preview', effort('high'), { thinkingLevel: 'HIGH' }],
  ['gemini-3-pro-preview', effort('medium'), { thinkingLevel: 'HIGH' }],
  ['gemini-3-pro-preview', effort('minimal'), { thinkingLevel: 'LOW' }],
  ['gemini-3.1-pro-preview', effort('medium'), { thinkingLevel: 'MEDIUM' }],
  ['gemini-3-flash-preview', effort('minimal'), { thinkingLevel: 'MINIMAL' }],
  ['gemini-3.8-flash', effort('minimal'), { thinkingLevel: 'LOW' }],
  ['gemini-flash-latest', effort('xhigh'), { thinkingLevel: 'HIGH' }],
  ['models/gemini-4-argon', effort('low'), { thinkingLevel: 'LOW' }],
  ['gemini-3-flash-preview', { reasoning: { max_tokens: 6000 } }, { thinkingLevel: 'MINIMAL' }],
  ['gemini-3-flash-preview', { reasoning: { max_tokens: 1500 }, max_tokens: 10_000 }, { thinkingLevel: 'LOW' }],
  ['gemini-3-flash-preview', { reasoning: { max_tokens: 9000 }, max_tokens: 10_000 }, { thinkingLevel: 'HIGH' }],
  ['gemini-3-flash-preview', {}, {}],
  ['gemini-2.5-pro', { reasoning: { max_tokens: 0 } }, {}],
])('requests from %s for %j the config %j, with the thoughts', (model, body, expected) => {
  expect(configOf(model, body)).toEqual({ includeThoughts: true, ...expected });
});

test.each([
  [{ reasoning: { exclude: true } }, undefined],
  [{ include_reasoning: false }, undefined],
  [{ reasoning: { exclude: true, effort: 'low' } }, { thinkingBudget: 13_107 }],
  [{ reasoning: { effort: 'none' } }, { thinkingBudget: 0 }],
  [{ reasoning_effort: 'none' }, { thinkingBudget: 0 }],
  [{ reasoning: { enabled: false } }, { thinkingBudget: 0 }],
])('requests no thoughts with %j', (body, expected) => {
  expect(configOf('gemini-2.5-flash', body)).toEqual(expected);
});

test.each([
  'gemini-2.0-flash',
  'gemini-1.5-pro',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-preview-tts',
  'gemini-3-pro-image-preview',
  'gemini-embedding-001',
  'gemini-2.5-computer-use-preview',
  'gemma-3-27b-it',
  'chat-1',
])('sends no thinking parameters to %s, whatever the request', (model) => {
  expect(configOf(model, effort('high'))).toBeUndefined();
  expect(configOf(model, effort('none'))).toBeUndefined();
});

test('sends levels to an unknown model that can reason according to the catalog', () => {
  const { thinking } = readGeminiTraits('chat-1', new Set(['reasoning']));
  expect(toThinkingConfig(requestOf(effort('medium')), thinking)).toEqual({
    includeThoughts: true,
    thinkingLevel: 'MEDIUM',
  });
  expect(readGeminiTraits('chat-1', new Set(['tools'])).thinking).toEqual({ kind: 'none' });
});

test.each([
  ['gemini-2.5-pro', effort('none'), 'reasoning.effort'],
  ['gemini-3-flash-preview', { reasoning: { enabled: false } }, 'reasoning.effort'],
  ['gemini-2.5-flash', { reasoning: { max_tokens: 500 }, max_tokens: 500 }, 'reasoning.max_tokens'],
  ['gemini-2.5-flash', { ...effort('low'), max_tokens: 1024 }, 'max_tokens'],
])('refuses what %s cannot do of %j, and names %s', (model, body, path) => {
  expect(() => configOf(model, body)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringMatching(`^${path}: `) as string,
    }) as Error,
  );
});
