import { expect, test } from 'vitest';

import type { ConfiguredModel, ModelDefinition } from '../wire/model-definition.ts';
import { findIncompleteParts, overrideModels, pickServedModels } from './override-models.ts';

const BUILT_IN: ModelDefinition[] = [
  {
    id: 'acme/large',
    name: 'Large',
    context_length: 1000,
    architecture: { input_modalities: ['text', 'image'], tokenizer: 'GPT' },
    endpoints: [
      { provider: 'one', providerModel: 'large-1', pricing: { prompt: '1', completion: '2', image: '3' } },
      { provider: 'two', providerModel: 'acme-large', max_completion_tokens: 50 },
      { provider: 'two', providerModel: 'acme-large-fast', tag: 'fast' },
    ],
  },
  { id: 'acme/small', endpoints: [{ provider: 'one', providerModel: 'small-1' }] },
];

const providers = [
  { slug: 'mine', preset: 'one' },
  { slug: 'two', preset: 'two' },
];
const served = pickServedModels(BUILT_IN, providers);

const override = (...configured: ConfiguredModel[]): readonly ModelDefinition[] => overrideModels(served, configured);

test('serves a built-in model at the providers of its presets, under their slugs', () => {
  const at = (...list: { slug: string; preset: string | null }[]): unknown =>
    pickServedModels(BUILT_IN, list).map(({ id, endpoints }) => [
      id,
      ...endpoints.map(({ provider, providerModel }) => `${provider}:${providerModel}`),
    ]);
  expect(at()).toEqual([]);
  expect(at({ slug: 'two', preset: 'two' })).toEqual([['acme/large', 'two:acme-large', 'two:acme-large-fast']]);
  expect(at({ slug: 'a', preset: 'one' }, { slug: 'b', preset: 'one' })).toEqual([
    ['acme/large', 'a:large-1', 'b:large-1'],
    ['acme/small', 'a:small-1', 'b:small-1'],
  ]);
});

test('serves nothing built in at an address that no preset stands for, whatever its slug', () => {
  expect(pickServedModels(BUILT_IN, [{ slug: 'one', preset: null }])).toEqual([]);
});

test('lays the fields of a configured model over those of the built-in one', () => {
  const [large] = override({ id: 'acme/large', name: 'Ours', architecture: { tokenizer: 'Other' } });
  expect(large).toEqual({
    ...served[0],
    name: 'Ours',
    architecture: { input_modalities: ['text', 'image'], tokenizer: 'Other' },
  });
});

test('lays an endpoint over the one of the same provider and tag, its prices as a whole', () => {
  const [large] = override({
    id: 'acme/large',
    endpoints: [
      { provider: 'mine', pricing: { prompt: '0.5', completion: '1' } },
      { provider: 'two', tag: 'fast', max_completion_tokens: 9 },
    ],
  });
  expect(large?.endpoints).toEqual([
    { provider: 'mine', providerModel: 'large-1', pricing: { prompt: '0.5', completion: '1' } },
    { provider: 'two', providerModel: 'acme-large', max_completion_tokens: 50 },
    { provider: 'two', providerModel: 'acme-large-fast', tag: 'fast', max_completion_tokens: 9 },
  ]);
});

test('adds endpoints that are not built in behind those that are', () => {
  const local = { provider: 'local', providerModel: 'l' };
  const second = { provider: 'mine', providerModel: 'large-2' };
  const [large] = override({ id: 'acme/large', endpoints: [local, { provider: 'mine', region: 'eu' }, second] });
  expect(large?.endpoints.map(({ providerModel, region }) => [providerModel, region])).toEqual([
    ['large-1', 'eu'],
    ['acme-large', undefined],
    ['acme-large-fast', undefined],
    ['l', undefined],
    ['large-2', undefined],
  ]);
});

test('puts configured models first, in their order, and no model twice', () => {
  const own = { id: 'own/model', endpoints: [{ provider: 'local', providerModel: 'x' }] };
  expect(override(own, { id: 'acme/small' }).map(({ id }) => id)).toEqual(['own/model', 'acme/small', 'acme/large']);
  expect(override(own)[0]).toEqual(own);
});

test.each<[string, ConfiguredModel, ReturnType<typeof findIncompleteParts>]>([
  ['a model of its own without endpoints', { id: 'own/model' }, [{ field: 'endpoints', endpoint: null }]],
  ['a built-in model without endpoints', { id: 'acme/large' }, []],
  [
    'an endpoint that is built in elsewhere only',
    { id: 'acme/small', endpoints: [{ provider: 'mine' }, { provider: 'two' }] },
    [{ field: 'providerModel', endpoint: 1 }],
  ],
  [
    'a second endpoint at one provider',
    { id: 'acme/small', endpoints: [{ provider: 'mine' }, { provider: 'mine' }] },
    [{ field: 'providerModel', endpoint: 1 }],
  ],
])('%s lacks %j', (_name, model, missing) => {
  const builtIn = served.find(({ id }) => id === model.id);
  expect(findIncompleteParts(builtIn, model)).toEqual(missing);
  if (missing.length > 0) expect(() => override(model)).toThrow(RangeError);
  else expect(override(model).every(({ endpoints }) => endpoints.length > 0)).toBe(true);
});
