import type { Model } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { chooseModel, toConnectedModel, toKeyName } from './connected-model.ts';

const toModel = (id: string, change: object = {}): Model =>
  ({
    id,
    context_length: 128_000,
    top_provider: { max_completion_tokens: 16_000 },
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    supported_parameters: ['tools', 'temperature'],
    pricing: { prompt: '0.000001', completion: '0.000002' },
    ...change,
  }) as unknown as Model;

const UNKNOWN_PRICE = { pricing: { prompt: '-1', completion: '-1' } };
const MODELS = [
  toModel('acme/video', { architecture: { input_modalities: ['text'], output_modalities: ['video'] } }),
  toModel('acme/unpriced', UNKNOWN_PRICE),
  toModel('acme/no-tools', { supported_parameters: ['temperature'] }),
  toModel('acme/chat'),
];

test('a tool begins with what worked last, then the default, then a model with tools and a price', () => {
  expect(chooseModel(MODELS, { lastUsed: 'acme/no-tools', accountDefault: 'acme/unpriced' })).toBe('acme/no-tools');
  expect(chooseModel(MODELS, { lastUsed: 'acme/video', accountDefault: 'acme/unpriced' })).toBe('acme/unpriced');
  expect(chooseModel(MODELS, { lastUsed: 'acme/gone' })).toBe('acme/chat');
  expect(chooseModel(MODELS.slice(0, 3), {})).toBe('acme/no-tools');
  expect(chooseModel(MODELS.slice(0, 2), {})).toBe('acme/unpriced');
  expect(chooseModel(MODELS.slice(0, 1), {})).toBeUndefined();
});

test('tools are told what the gateway knows of a model, and careful guesses of all others', () => {
  expect(toConnectedModel('acme/chat', MODELS[3])).toEqual({
    id: 'acme/chat',
    contextTokens: 128_000,
    outputTokens: 16_000,
    readsImages: true,
    callsTools: true,
  });
  expect(toConnectedModel('my-own', undefined)).toMatchObject({ contextTokens: 32_000, outputTokens: 8000 });
  const small = toModel('acme/small', { context_length: 4096, top_provider: { max_completion_tokens: null } });
  expect(toConnectedModel('acme/small', small)).toMatchObject({ contextTokens: 4096, outputTokens: 4096 });
  const bare = toModel('acme/bare', { context_length: null, supported_parameters: [] });
  expect(toConnectedModel('acme/bare', bare)).toMatchObject({ contextTokens: 32_000, callsTools: true });
});

test('a second key of the same tool has a number', () => {
  expect(toKeyName('Zed', ['zed', 'opencode'])).toBe('Zed');
  expect(toKeyName('Zed', ['Zed', 'Zed 2'])).toBe('Zed 3');
});
