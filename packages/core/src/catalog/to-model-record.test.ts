import { expect, test } from 'vitest';

import type { ModelDefinition } from '../wire/model-definition.ts';
import { modelEndpointSchema, modelSchema } from '../wire/models.ts';
import { type CatalogModel, createCatalog } from './catalog.ts';
import { toEndpointRecord, toModelRecord } from './to-model-record.ts';

function modelOf(definition: Partial<ModelDefinition>): CatalogModel {
  const acme = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
  const endpoints = [{ provider: 'acme', providerModel: 'm' }];
  const model = createCatalog([acme], [{ id: 'acme/chat', endpoints, ...definition }]).find('acme/chat');
  if (model === undefined) throw new Error('The model is not there');
  return model;
}

test('shows a model of which little is known with every field that clients insist on', () => {
  const record = toModelRecord(modelOf({}));
  expect(modelSchema.parse(record)).toEqual(record);
  expect(record).toMatchInlineSnapshot(`
    {
      "architecture": {
        "input_modalities": [
          "text",
        ],
        "instruct_type": null,
        "modality": "text->text",
        "output_modalities": [
          "text",
        ],
        "tokenizer": "Other",
      },
      "canonical_slug": "acme/chat",
      "context_length": null,
      "created": 0,
      "default_parameters": null,
      "description": "",
      "expiration_date": null,
      "hugging_face_id": null,
      "id": "acme/chat",
      "knowledge_cutoff": null,
      "links": {
        "details": "/api/v1/models/acme/chat/endpoints",
      },
      "name": "acme/chat",
      "per_request_limits": null,
      "pricing": {
        "completion": "-1",
        "discount": 0,
        "image": "-1",
        "prompt": "-1",
        "request": "-1",
      },
      "supported_parameters": [],
      "supported_voices": null,
      "top_provider": {
        "context_length": null,
        "is_moderated": false,
        "max_completion_tokens": null,
      },
    }
  `);
});

test('shows all that is known, prices and limits from the first endpoint, parameters from all', () => {
  const record = toModelRecord(
    modelOf({
      name: 'Acme Chat',
      canonical_slug: 'acme/chat-2026',
      description: 'Talks',
      created: 5,
      context_length: 1e3,
      architecture: {
        input_modalities: ['text', 'image'],
        output_modalities: ['text'],
        tokenizer: 'GPT',
        instruct_type: 'chatml',
      },
      supported_voices: ['a'],
      default_parameters: { temperature: 1 },
      expiration_date: '2027-01-01',
      knowledge_cutoff: '2025-01-01',
      per_request_limits: {
        prompt_tokens: 5,
        completion_tokens: 6,
      },
      endpoints: [
        {
          provider: 'acme',
          providerModel: 'm',
          context_length: 500,
          max_completion_tokens: 50,
          pricing: {
            prompt: '0.1',
            completion: '0.2',
            image: '0.3',
            request: undefined,
          },
          supported_parameters: ['seed', 'tools'],
        },
        {
          provider: 'acme',
          providerModel: 'n',
          pricing: {
            prompt: '9',
            completion: '9',
          },
          supported_parameters: ['tools', 'stop'],
        },
      ],
    }),
  );
  expect(modelSchema.parse(record)).toEqual(record);
  expect(record).toMatchObject({
    name: 'Acme Chat',
    canonical_slug: 'acme/chat-2026',
    description: 'Talks',
    created: 5,
    context_length: 1e3,
    architecture: {
      modality: 'text+image->text',
      tokenizer: 'GPT',
      instruct_type: 'chatml',
    },
    top_provider: {
      context_length: 500,
      max_completion_tokens: 50,
    },
    supported_parameters: ['seed', 'tools', 'stop'],
    supported_voices: ['a'],
    default_parameters: { temperature: 1 },
    expiration_date: '2027-01-01',
    knowledge_cutoff: '2025-01-01',
    per_request_limits: {
      prompt_tokens: 5,
      completion_tokens: 6,
    },
  });
  expect(record.pricing).toEqual({ prompt: '0.1', completion: '0.2', image: '0.3', request: '0', discount: 0 });
});

test('takes the length of the context from the endpoint where the model names none', () => {
  const model = modelOf({ endpoints: [{ provider: 'acme', providerModel: 'm', context_length: 77 }] });
  expect(toModelRecord(model).context_length).toBe(77);
});

test('shows an endpoint with every field that the official client insists on', () => {
  const model = modelOf({
    name: 'Acme Chat',
    endpoints: [
      { provider: 'acme', providerModel: 'm' },
      {
        provider: 'acme',
        providerModel: 'n',
        tag: 'turbo',
        quantization: 'fp8',
        context_length: 10,
        max_completion_tokens: 5,
        max_prompt_tokens: 4,
        supported_parameters: ['tool_choice'],
        supports_implicit_caching: true,
      },
    ],
  });
  const [bare, full] = model.endpoints.map((endpoint) => toEndpointRecord(model, endpoint));
  expect(modelEndpointSchema.parse(bare)).toEqual(bare);
  expect(bare).toMatchObject({
    name: 'Acme: Acme Chat',
    model_id: 'acme/chat',
    model_name: 'Acme Chat',
    provider_name: 'Acme',
    tag: 'acme',
    context_length: 0,
    quantization: null,
    status: 0,
    uptime_last_30m: null,
    supports_tool_choice: {
      auto: false,
      function: false,
      none: false,
      required: false,
    },
    pricing: {
      prompt: '-1',
      completion: '-1',
      request: '-1',
      image: '-1',
    },
  });
  expect(full).toMatchObject({
    tag: 'acme/turbo',
    quantization: 'fp8',
    context_length: 10,
    max_completion_tokens: 5,
    max_prompt_tokens: 4,
    supports_implicit_caching: true,
    supported_parameters: ['tool_choice'],
    supports_tool_choice: {
      auto: true,
      function: true,
      none: true,
      required: true,
    },
  });
});

test.each<[string, string[], Record<string, string> | undefined, Record<string, string>]>([
  ['a model without prices', ['text'], undefined, { prompt: '-1', completion: '-1', request: '-1', image: '-1' }],
  ['a model with a part of its prices', ['text'], { image: '0.1' }, { prompt: '-1', completion: '-1', request: '0' }],
  ['a chat model', ['text'], { prompt: '1', completion: '2' }, { request: '0', image: '0' }],
  ['a model for vectors', ['embeddings'], { prompt: '1' }, { prompt: '1', completion: '0', request: '0', image: '0' }],
  ['a model for videos', ['video'], { video: '1' }, { prompt: '0', completion: '0', request: '0', image: '0' }],
  ['a model for videos without prices', ['video'], {}, { prompt: '-1', completion: '-1', request: '-1', image: '-1' }],
])('shows four prices of %s, whatever is known', (_name, output_modalities, pricing, shown) => {
  const model = modelOf({
    architecture: { output_modalities },
    endpoints: [{ provider: 'acme', providerModel: 'm', ...(pricing && { pricing }) }],
  });
  expect(toModelRecord(model).pricing).toEqual({ ...toModelRecord(model).pricing, ...shown, ...pricing });
  expect(Object.keys(toModelRecord(model).pricing)).toEqual(
    expect.arrayContaining(['prompt', 'completion', 'request', 'image']),
  );
});
