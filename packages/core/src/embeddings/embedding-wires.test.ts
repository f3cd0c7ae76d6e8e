import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { PRESETS } from '../providers/provider-presets.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const replay = (body: unknown, status = 200): ScriptedTransport =>
  createReplayTransport({ status, headers: JSON_TYPE, pieces: [JSON.stringify(body)] });

/** Makes the provider of a preset, as a config file does. */
function providerOf(name: string, transport: ScriptedTransport) {
  const preset = PRESETS[name];
  const settings = { slug: 'up', name: preset?.name ?? name, apiKey: 'key-of-up', transport };
  const baseUrl = preset?.baseUrl ?? '';
  return preset?.wire === 'google'
    ? createGoogleProvider({ ...settings, baseUrl })
    : createOpenAiProvider({ ...settings, baseUrl, dialect: preset?.wire === 'openai' ? preset.dialect : undefined });
}

async function embed(preset: string, transport: ScriptedTransport, request: object) {
  const models = [
    {
      id: 'test/vectors',
      architecture: { input_modalities: ['text', 'image', 'audio'], output_modalities: ['embeddings'] },
      endpoints: [{ provider: 'up', providerModel: 'vectors-1', pricing: { prompt: '0.000001' } }],
    },
  ];
  const core = createCoreGateway([providerOf(preset, transport)], { models });
  return core.post('/api/v1/embeddings', { model: 'test/vectors', ...request });
}

const vectorsOf = (response: Awaited<ReturnType<typeof embed>>): unknown[] =>
  (jsonOf(response)['data'] as { embedding: unknown }[]).map(({ embedding }) => embedding);

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const PARTS = [
  { type: 'text', text: 'a fox' },
  { type: 'image_url', image_url: { url: PIXEL } },
];

test('asks Google for one vector by embedContent, in its own words', async () => {
  const transport = replay({ embedding: { values: [0.25, -1] } });
  const response = await embed('google', transport, { input: 'fox', dimensions: 2, input_type: 'search_query' });
  expect(vectorsOf(response)).toEqual([[0.25, -1]]);
  expect(transport.latest().request.url).toBe(`${PRESETS['google']?.baseUrl}/models/vectors-1:embedContent`);
  expect(transport.latest().request.headers['x-goog-api-key']).toBe('key-of-up');
  expect(transport.latest().sent).toEqual({
    model: 'models/vectors-1',
    content: { parts: [{ text: 'fox' }] },
    taskType: 'RETRIEVAL_QUERY',
    outputDimensionality: 2,
  });
});

test('asks Google for several vectors by batchEmbedContents, and tells its tokens apart', async () => {
  const usageMetadata = {
    promptTokenCount: 260,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 2 },
      { modality: 'IMAGE', tokenCount: 258 },
    ],
  };
  const transport = replay({ embeddings: [{ values: [1] }, { values: [2] }], usageMetadata });
  const response = await embed('google', transport, { input: [{ content: PARTS }, { content: [PARTS[0]] }] });
  expect(vectorsOf(response)).toEqual([[1], [2]]);
  expect(jsonOf(response)['usage']).toMatchObject({
    prompt_tokens: 260,
    cost: 0.00026,
    cost_details: { upstream_inference_prompt_cost: 0.00026 },
    prompt_tokens_details: { text_tokens: 2, image_tokens: 258 },
  });
  expect(transport.latest().request.url).toMatch(/:batchEmbedContents$/);
  expect(transport.latest().sent).toMatchObject({
    requests: [
      { content: { parts: [{ text: 'a fox' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] } },
      { content: { parts: [{ text: 'a fox' }] } },
    ],
  });
});

test('asks Cohere at its own address, for texts, numbers or base64', async () => {
  const meta = { billed_units: { input_tokens: 4 } };
  const transport = replay({ id: 'co-1', embeddings: { float: [[0.5, 2]] }, meta });
  const response = await embed('cohere', transport, { input: 'fox', dimensions: 256 });
  expect(vectorsOf(response)).toEqual([[0.5, 2]]);
  expect(jsonOf(response)['usage']).toMatchObject({ prompt_tokens: 4, cost: 0.000004 });
  expect(transport.latest().request.url).toBe('https://api.cohere.ai/v2/embed');
  expect(transport.latest().sent).toEqual({
    model: 'vectors-1',
    input_type: 'search_document',
    embedding_types: ['float'],
    texts: ['fox'],
    output_dimension: 256,
  });
  const encoded = replay({ embeddings: { base64: ['AAAAPwAAAEA='] }, meta });
  expect(vectorsOf(await embed('cohere', encoded, { input: ['fox'], encoding_format: 'base64' }))).toEqual([
    'AAAAPwAAAEA=',
  ]);
  expect(encoded.latest().sent).toMatchObject({ embedding_types: ['base64'] });
});

test('sends pictures to Cohere as parts, and counts them apart', async () => {
  const meta = { billed_units: { input_tokens: 3, image_tokens: 100 } };
  const transport = replay({ embeddings: { float: [[1], [2]] }, meta });
  const input = [{ content: PARTS }, { content: [PARTS[0]] }];
  const response = await embed('cohere', transport, { input, input_type: 'search_query' });
  expect(jsonOf(response)['usage']).toMatchObject({
    prompt_tokens: 103,
    prompt_tokens_details: { text_tokens: 3, image_tokens: 100 },
  });
  expect(transport.latest().sent).toMatchObject({
    input_type: 'search_query',
    inputs: [{ content: PARTS }, { content: [{ type: 'text', text: 'a fox' }] }],
  });
});

test.each([
  ['mistral', { model: 'vectors-1', input: ['fox'], output_dimension: 8, encoding_format: 'base64' }],
  ['voyage', { model: 'vectors-1', input: ['fox'], output_dimension: 8, input_type: 'query' }],
  ['jina', { model: 'vectors-1', input: ['fox'], dimensions: 8, embedding_type: 'base64', task: 'retrieval.query' }],
  ['openai', { model: 'vectors-1', input: ['fox'], dimensions: 8, encoding_format: 'base64', user: 'u' }],
])('%s gets the fields of embeddings under its own names', async (preset, sent) => {
  const transport = replay({ data: [{ index: 0, embedding: [0.5, 2] }], usage: { total_tokens: 2 } });
  const response = await embed(preset, transport, {
    input: ['fox'],
    dimensions: 8,
    encoding_format: 'base64',
    input_type: 'query',
    user: 'u',
  });
  expect(vectorsOf(response)).toEqual(['AAAAPwAAAEA=']);
  expect(transport.latest().sent).toEqual(sent);
});

test.each([
  ['google', { taskType: 'CONSTRUCTOR' }],
  ['voyage', { input_type: 'constructor' }],
  ['jina', { task: 'constructor' }],
])(
  'a purpose that is a name of all objects reaches %s like any other that it has no word for',
  async (preset, sent) => {
    const transport = replay(preset === 'google' ? { embedding: { values: [1] } } : { data: [{ embedding: [1] }] });
    const response = await embed(preset, transport, { input: 'fox', input_type: 'constructor' });
    expect(response.status).toBe(200);
    expect(transport.latest().sent).toMatchObject(sent);
  },
);

test('parts that are texts alone reach every server as a text', async () => {
  const transport = replay({ data: [{ index: 0, embedding: [1] }] });
  const input = [
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  ];
  expect((await embed('openai', transport, { input })).status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ input: ['one\ntwo'] });
});

test.each([
  ['google', { input: [1, 2] }, 'tokens are those of another model'],
  ['cohere', { input: [[1, 2]] }, 'tokens are those of another model'],
  [
    'cohere',
    { input: [{ content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }] },
    'input.0.content.0.type: must be text or image_url',
  ],
  [
    'google',
    { input: [{ content: [{ type: 'image_url', image_url: { url: 'fox' } }] }] },
    'input.0.content.0.image_url',
  ],
  ['openai', { input: [{ content: [] }] }, 'input'],
  ['openai', { input: [{ content: [{ type: 'dance' }] }] }, 'input'],
])('%s: refuses %j, and says where', async (preset, request, message) => {
  const response = await embed(preset, replay({}), request);
  expect([response.status, JSON.stringify(jsonOf(response))]).toEqual([400, expect.stringContaining(message)]);
});

test.each([
  ['google', {}],
  ['google', { embeddings: [{ values: ['a'] }] }],
  ['cohere', { embeddings: {} }],
  ['cohere', { embeddings: { float: [[1], [2]] } }],
])('%s: a response that holds no such vectors is upstream’s failure: %j', async (preset, body) => {
  expect((await embed(preset, replay(body), { input: 'fox' })).status).toBe(502);
});

test('a refusal is told in the provider’s words', async () => {
  const google = await embed(
    'google',
    replay({ error: { code: 400, message: 'too long', status: 'INVALID_ARGUMENT' } }, 400),
    {
      input: 'fox',
    },
  );
  const cohere = await embed('cohere', replay({ message: 'too many texts' }, 400), { input: 'fox' });
  expect([google, cohere].map(({ status }) => status)).toEqual([400, 400]);
  expect(JSON.stringify([jsonOf(google), jsonOf(cohere)])).toMatch(/too long.*too many texts/);
});

test('takes a thousand texts that the client has made tokens of, as LangChain does', async () => {
  const input = Array.from({ length: 1000 }, (_, i) => Array.from({ length: 300 }, (_, at) => i + at));
  const transport = replay({
    data: input.map((_, index) => ({ object: 'embedding', index, embedding: [index] })),
    usage: { prompt_tokens: 300_000, total_tokens: 300_000 },
  });
  const { status } = await embed('openai', transport, { input });
  expect(status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ input });
});
