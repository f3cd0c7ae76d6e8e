import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';
import { type CatalogModel, createCatalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { refuseField } from '../wire/fields.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import { PRESETS_ELSEWHERE } from './resolve-models.ts';
import { type ResolvedRequest, resolveModel, resolveModels } from './resolve-models.ts';

const endpoints = [{ provider: 'acme', providerModel: 'm' }];
const MODELS = ['anthropic/claude-opus-4.8', 'anthropic/claude-3.5-sonnet', 'acme/claude-like'].map((id) => ({
  id,
  endpoints,
}));

const openGateway = () => createCoreGateway(createTurnTransport([{ content: 'Hi' }]), { models: MODELS });

test.each([
  ['claude-opus-4-8', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-20260101', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-latest', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8[1m]', 'anthropic/claude-opus-4.8'],
  ['claude-opus-4-8-20260101[1m]', 'anthropic/claude-opus-4.8'],
  ['anthropic/claude-opus-4-8', 'anthropic/claude-opus-4.8'],
  ['claude-3-5-sonnet-20241022', 'anthropic/claude-3.5-sonnet'],
])('%s, as the API of Anthropic has it, is %s', async (model, meant) => {
  expect(jsonOf(await openGateway().chat({ model }))['model']).toBe(meant);
});

test.each(['claude-opus-4-9', 'claude-opus-4', 'claude-like', 'claude-', 'claude-opus-4-8-mini'])(
  '%s is no model, and is refused by name',
  async (model) => {
    const response = await openGateway().chat({ model });
    expect(response.status).toBe(400);
    expect(JSON.stringify(jsonOf(response))).toContain('is not a valid model ID');
  },
);

describe('resolve models', () => {
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
      modelOf('local/own:latest'),
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
    ['a name with the tag that clients of Ollama add', { model: 'acme/chat:latest' }, ['acme/chat']],
    ['a name that has that tag itself', { model: 'local/own:latest' }, ['local/own:latest']],
    ['that tag behind variants', { model: 'acme/chat:free:nitro:latest' }, ['acme/chat:free nitro']],
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
    ['acme/none', 'GET /api/v1/models lists the available models'],
    ['acme/none:free', 'GET /api/v1/models lists the available models'],
    ['acme/none:latest', 'GET /api/v1/models lists the available models'],
    ['acme/none:online', 'GET /api/v1/models lists the available models'],
    ['acme/chat@preset/mine', PRESETS_ELSEWHERE],
    ['@preset/mine', PRESETS_ELSEWHERE],
    ['ACME/chat', 'GET /api/v1/models lists the available models'],
    ['constructor', 'GET /api/v1/models lists the available models'],
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
    const known = fc.constantFrom(
      'acme/chat',
      'acme/chat:free',
      'acme/code',
      'local/llama3:8b',
      'acme/chat-2026-01-01',
    );
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
    const slugs = [
      '~acme/none-latest',
      '~acme-latest',
      '~acme/-latest',
      '~/chat-latest',
      '~-latest',
      'acme/chat-latest',
    ];
    for (const slug of [...slugs, '~acme/chat']) {
      expect(() => resolve({ model: slug })).toThrow(expect.objectContaining({ code: 'unknown_model' }));
    }
  });

  test('looks at a name of any length only once for an alias', () => {
    const slug = `~${'/'.repeat(1_000_000)}`;
    expect(() => resolve({ model: slug })).toThrow(expect.objectContaining({ code: 'unknown_model' }));
  });
});

describe('refuse other kind', () => {
  const modelOf = (id: string, outputs?: string[]): ModelDefinition => ({
    id,
    endpoints: endpointsAt({ acme: 1 }),
    ...(outputs && { architecture: { output_modalities: outputs } }),
  });
  const MODELS = [
    modelOf('a/chat', ['text']),
    modelOf('a/plain'),
    modelOf('a/film', ['video']),
    modelOf('a/vectors', ['embeddings']),
    modelOf('a/painter', ['image']),
    modelOf('a/smell', ['odour']),
  ];
  const messages = [{ role: 'user', content: 'q' }];

  test.each([
    ['a/film', 'model: a/film makes no text; it is called by POST /videos'],
    ['a/film:nitro', 'model: a/film makes no text; it is called by POST /videos'],
    ['a/vectors', 'model: a/vectors makes no text; it is called by POST /embeddings'],
    [
      'a/painter',
      'model: a/painter makes no text; it is called by POST /images; in a chat it needs modalities: ["image"]',
    ],
    ['a/smell', 'model: a/smell makes no text, and no operation of this gateway serves its output (odour)'],
  ])('a chat or its explanation that names %s is told: %s', async (model, message) => {
    const gateway = createRoutedGateway({ acme: {} }, MODELS);
    const management = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    const named = [{ model }, { model, stream: true }, { model: 'a/chat', models: [model] }];
    for (const body of named) {
      for (const response of [
        await gateway.ask(body),
        await gateway.post('/admin/v1/explain', { messages, ...body }, { headers: management }),
      ]) {
        expect(response.status).toBe(400);
        expect(jsonOf(response)).toMatchObject({
          error: { message, metadata: { issues: [{ path: 'model', message: message.slice('model: '.length) }] } },
        });
      }
    }
    expect(gateway.calls).toEqual([]);
    expect(gateway.store.appended).toEqual([]);
  });

  test('a chat may ask a model for what it makes beside text, and a model without declared output for text', async () => {
    const { askedFor } = createRoutedGateway({ acme: {} }, MODELS);
    expect(await askedFor({ model: 'a/painter', modalities: ['image'] })).toEqual(['acme']);
    expect(await askedFor({ model: 'a/painter', modalities: ['text', 'image'] })).toEqual(['acme']);
    expect(await askedFor({ model: 'a/painter', modalities: ['audio'] })).toEqual([]);
    expect(await askedFor({ model: 'a/plain' })).toEqual(['acme']);
  });
});
