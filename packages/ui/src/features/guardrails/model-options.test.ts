import type { Model } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toModelOptions, toOptionValues, toProviderOptions } from './model-options.ts';

const toModel = (id: string, more: object = {}): Model =>
  ({
    id,
    name: 'A model',
    canonical_slug: id,
    context_length: 128_000,
    pricing: { prompt: '0.000001', completion: '0.000002' },
    ...more,
  }) as Model;

test('shows what models cost and how much they read, each by the slug that guardrails keep', () => {
  const models = [
    toModel('acme/chat', { canonical_slug: 'acme/chat-2026' }),
    toModel('acme/chat:free', { canonical_slug: 'acme/chat-2026' }),
    toModel('acme/film', { context_length: null, pricing: { prompt: '0', completion: '0' } }),
  ];
  expect(toModelOptions(models).map(({ value, label, note }) => [value, label, note])).toEqual([
    ['acme/chat-2026', 'acme/chat', '$1.00 / $2.00 · 128K'],
    ['acme/film', 'acme/film', 'free'],
  ]);
});

test('finds models by id and providers by name, and leaves what it does not know', () => {
  const models = toModelOptions([toModel('acme/chat', { canonical_slug: 'acme/chat-2026' })]);
  expect(toOptionValues(['acme/chat', 'acme/chat-2026', 'gone/model'], models)).toEqual([
    'acme/chat-2026',
    'gone/model',
  ]);
  const providers = toProviderOptions([{ slug: 'acme', name: 'Acme' }]);
  expect(toOptionValues(['ACME', 'nobody'], providers)).toEqual(['acme', 'nobody']);
});
