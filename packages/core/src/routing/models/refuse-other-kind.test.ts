import { expect, test } from 'vitest';

import { jsonOf, MANAGEMENT_KEY } from '../../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../../wire/model-definition.ts';

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
  ['a/painter', 'model: a/painter makes no text; in a chat it needs modalities: ["image"]'],
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

test.each([
  ['videos', { prompt: 'a fox' }, 'video'],
  ['embeddings', { input: 'a fox' }, 'embeddings'],
])('POST /%s refuses a chat model, and names the operation that it is for', async (path, body, output) => {
  const { post } = createRoutedGateway({ acme: {} }, MODELS);
  const response = await post(`/api/v1/${path}`, { model: 'a/chat', ...body });
  expect([response.status, jsonOf(response)]).toEqual([
    400,
    {
      error: expect.objectContaining({
        message: `model: a/chat makes no ${output}; it is called by POST /chat/completions`,
      }),
    },
  ]);
});
