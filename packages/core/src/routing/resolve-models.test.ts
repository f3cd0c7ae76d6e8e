import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createCatalog } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import { resolveModel, resolveModels } from './resolve-models.ts';

const acme = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
const modelOf = (id: string, canonical_slug?: string): Parameters<typeof createCatalog>[1][number] => ({
  id,
  endpoints: [
    {
      provider: 'acme',
      providerModel: 'm',
    },
  ],
  ...(canonical_slug !== undefined && { canonical_slug }),
});
const catalog = createCatalog(
  [acme],
  [
    modelOf('acme/chat', 'acme/chat-2026-01-01'),
    modelOf('acme/chat:free'),
    modelOf('acme/code'),
    modelOf('local/llama3:8b'),
  ],
);

const ids = (request: Parameters<typeof resolveModels>[0], defaultModel?: string | null): string[] =>
  resolveModels(request, catalog, defaultModel).map(({ model, variants }) => [model.id, ...variants].join(' '));

test.each([
  ['model alone', { model: 'acme/chat' }, ['acme/chat']],
  ['models alone', { models: ['acme/code', 'acme/chat'] }, ['acme/code', 'acme/chat']],
  ['model before models', { model: 'acme/chat', models: ['acme/code'] }, ['acme/chat', 'acme/code']],
  [
    'a model named twice',
    { model: 'acme/chat', models: ['acme/chat', 'acme/code', 'acme/chat'] },
    ['acme/chat', 'acme/code'],
  ],
  ['two names of one model', { models: ['acme/chat', 'acme/chat-2026-01-01', 'acme/chat:nitro'] }, ['acme/chat']],
  ['a variant that is a model of its own', { model: 'acme/chat:free' }, ['acme/chat:free']],
  ['a colon within a name', { model: 'local/llama3:8b' }, ['local/llama3:8b']],
  ['a virtual variant', { model: 'acme/chat:nitro' }, ['acme/chat nitro']],
  ['stacked variants', { model: 'acme/chat:free:floor:exacto' }, ['acme/chat:free floor exacto']],
  ['the default', { model: null, models: null }, ['acme/code']],
  ['the default for empty names', { model: '', models: [] }, ['acme/code']],
])('resolves %s', (_name, request, expected) => {
  expect(ids(request, 'acme/code')).toEqual(expected);
});

test('asks for a model when none is named and there is no default', () => {
  for (const defaultModel of [undefined, null, '']) {
    expect(() => ids({}, defaultModel)).toThrow(
      new GatewayError('invalid_request', 'model: name a model; this gateway has no default model'),
    );
  }
});

test.each([
  ['acme/none', 'GET /api/v1/models lists what there is'],
  ['acme/none:free', 'GET /api/v1/models lists what there is'],
  ['acme/chat:online', 'the :online variant is not available in this version'],
  ['acme/chat@preset/mine', 'presets are not available in this version'],
  ['@preset/mine', 'presets are not available in this version'],
  ['ACME/chat', 'GET /api/v1/models lists what there is'],
  ['constructor', 'GET /api/v1/models lists what there is'],
])('refuses %s and says what to do', (slug, advice) => {
  expect(() => ids({ model: 'acme/chat', models: [slug] })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: `model: ${slug} is not a valid model ID; ${advice}`,
      metadata: { issues: [{ path: 'model', message: `${slug} is not a valid model ID` }] },
    }),
  );
});

test('cuts an endless name in its refusal', () => {
  expect(() => ids({ model: 'x'.repeat(100_000) })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{200,300}$/) as string }),
  );
});

test('finds every model under every stack of variants, and nothing else', () => {
  const known = fc.constantFrom('acme/chat', 'acme/chat:free', 'acme/code', 'local/llama3:8b', 'acme/chat-2026-01-01');
  const variants = fc.array(fc.constantFrom('nitro', 'floor', 'exacto'), { maxLength: 4 });
  fc.assert(
    fc.property(known, variants, (slug, asked) => {
      const found = resolveModel([slug, ...asked].join(':'), catalog);
      expect(found.model).toBe(catalog.find(slug));
      expect(found.variants).toEqual(asked);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(catalog.find(text) === undefined);
      expect(() => resolveModel(text, catalog)).toThrow(GatewayError);
    }),
  );
});
