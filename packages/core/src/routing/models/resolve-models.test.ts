import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type CatalogModel, createCatalog } from '../../catalog/catalog.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { refuseField } from '../../wire/fields.ts';
import { resolveModel, resolveModels, type ResolvedRequest } from './resolve-models.ts';

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

const resolve = (request: Parameters<typeof resolveModels>[0], defaultModel?: string | null): ResolvedRequest =>
  resolveModels(request, { catalog, defaultModel, askRouter: () => [catalog.find('acme/code') as CatalogModel] });
const ids = (...query: Parameters<typeof resolve>): string[] =>
  resolve(...query).models.map(({ model, variants }) => [model.id, ...variants].join(' '));

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

test('requires a model when none is named and there is no default', () => {
  for (const defaultModel of [undefined, null, '']) {
    expect(() => ids({}, defaultModel)).toThrow(
      refuseField('model', 'name a model; this gateway has no default model'),
    );
  }
});

test.each([
  ['acme/none', 'GET /api/v1/models lists what there is'],
  ['acme/none:free', 'GET /api/v1/models lists what there is'],
  ['acme/none:online', 'GET /api/v1/models lists what there is'],
  ['acme/chat@preset/mine', 'presets are not available in this version'],
  ['@preset/mine', 'presets are not available in this version'],
  ['ACME/chat', 'GET /api/v1/models lists what there is'],
  ['constructor', 'GET /api/v1/models lists what there is'],
])('refuses %s and says what to do', (slug, advice) => {
  expect(() => ids({ model: 'acme/chat', models: [slug] })).toThrow(
    expect.objectContaining({
      code: 'unknown_model',
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

test.each([
  [{ model: 'acme/chat' }, 'direct', ['acme/chat']],
  [{ model: 'acme/chat:nitro' }, 'direct', ['acme/chat nitro']],
  [{ model: 'acme/chat-2026-01-01' }, 'alias', ['acme/chat']],
  [{ model: '~acme/code-latest:floor' }, 'latest', ['acme/code floor']],
  [{ model: 'acme/chat', models: ['acme/code'] }, 'fallback', ['acme/chat', 'acme/code']],
  [{ model: 'openrouter/auto' }, 'auto', ['acme/code']],
  [{ model: 'service/auto:nitro' }, 'auto', ['acme/code nitro']],
  [{ model: 'service/free' }, 'free', ['acme/code']],
  [{ models: ['acme/chat', 'openrouter/free'] }, 'fallback', ['acme/chat', 'acme/code']],
])('calls the strategy for %j "%s"', (request, strategy, expected) => {
  expect(resolve(request).strategy).toBe(strategy);
  expect(ids(request)).toEqual(expected);
});

test('says that a listed variant is not offered, which is no mistake in the name', () => {
  expect(() => resolve({ model: 'acme/code:free' })).toThrow(
    new GatewayError('not_found', 'model: acme/code:free is not offered; acme/code is'),
  );
});

test('takes three models to fall back to, and no more', () => {
  expect(ids({ models: ['acme/chat', 'acme/code', 'acme/chat:free'] })).toHaveLength(3);
  expect(() => resolve({ models: ['acme/chat', 'acme/code', 'acme/chat:free', 'local/llama3:8b'] })).toThrow(
    refuseField('models', 'must have 3 items or fewer'),
  );
});

test.each([
  [
    'what was created last',
    [
      ['fam/x-1', 9],
      ['fam/x-2', 5],
    ],
    'fam/x-1',
  ],
  [
    'the higher version of equals',
    [
      ['fam/x-4', 5],
      ['fam/x-4.5', 5],
      ['fam/x-3-9', 5],
    ],
    'fam/x-4.5',
  ],
  [
    'the higher date',
    [
      ['fam/x-2026-02-01', 0],
      ['fam/x-2026-01-31', 0],
    ],
    'fam/x-2026-02-01',
  ],
  [
    'ten after nine',
    [
      ['fam/x-9', 0],
      ['fam/x-10', 0],
    ],
    'fam/x-10',
  ],
  [
    'no other family',
    [
      ['fam/x-1', 1],
      ['fam/x-2-mini', 9],
      ['fam/xy-3', 9],
      ['other/x-4', 9],
    ],
    'fam/x-1',
  ],
  [
    'no variant',
    [
      ['fam/x-1', 1],
      ['fam/x-2:free', 9],
    ],
    'fam/x-1',
  ],
] as const)('takes for the latest of a family %s', (_name, models, expected) => {
  const family = createCatalog(
    [acme],
    models.map(([id, created]) => ({ ...modelOf(id), created })),
  );
  expect(resolveModel('~fam/x-latest', family).model.id).toBe(expected);
});

test('refuses an alias of a family that is not there', () => {
  for (const slug of ['~acme/none-latest', '~acme-latest', 'acme/chat-latest', '~acme/chat']) {
    expect(() => resolve({ model: slug })).toThrow(expect.objectContaining({ code: 'unknown_model' }));
  }
});
