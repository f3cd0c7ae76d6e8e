import type { ModelDefinition, Provider, Transport } from '@model-gateway/core';
import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createBedrockProvider } from '@model-gateway/core/providers/bedrock';
import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'anthropic/claude',
    endpoints: [
      { provider: 'cloud', providerModel: 'anthropic.claude-sonnet-4-5' },
      { provider: 'anthropic', providerModel: 'claude-sonnet-4-5' },
    ],
  },
  { id: 'amazon/nova', endpoints: [{ provider: 'cloud', providerModel: 'amazon.nova-pro-v1:0' }] },
];

const MESSAGE = {
  id: 'msg_1',
  content: [{ type: 'text', text: 'A fox' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};
const replay = () =>
  createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(MESSAGE)] });

const bedrock = (transport: Transport) =>
  createBedrockProvider({
    slug: 'cloud',
    name: 'Bedrock',
    baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    apiKey: 'key',
    transport,
  });
const vertex = (transport: Transport) =>
  createAnthropicProvider({
    slug: 'cloud',
    name: 'Vertex AI',
    baseUrl: 'https://vertex.example/v1/publishers/anthropic',
    platform: 'vertex',
    apiKey: 'key',
    transport,
  });
const CLOUDS = [
  ['Bedrock', bedrock],
  ['Vertex AI', vertex],
] as const;

function createGateway(cloud: Provider, anthropic: Transport = replay()) {
  const own = { slug: 'anthropic', name: 'Anthropic', baseUrl: 'https://anthropic.example/v1', apiKey: 'key' };
  return createCoreGateway([cloud, createAnthropicProvider({ ...own, transport: anthropic })], { models: MODELS });
}

const ADDRESS = 'https://pictures.example/fox.png';
const image = { type: 'image', source: { type: 'url', url: ADDRESS } };
const pdf = { type: 'document', source: { type: 'url', url: 'https://files.example/a.pdf' } };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [image] };
const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const turnOf = (content: object) => ({ messages: [{ role: 'user', content: [content] }] });
const CALLS = [
  ['/api/v1/chat/completions', 'an image', turnOf({ type: 'image_url', image_url: { url: ADDRESS } })],
  ['/api/v1/chat/completions', 'a file', turnOf({ type: 'file', file: { file_data: 'https://files.example/a.pdf' } })],
  ['/api/v1/messages', 'an image', { max_tokens: 10, ...turnOf(image) }],
  ['/api/v1/messages', 'a file', { max_tokens: 10, ...turnOf(pdf) }],
  [
    '/api/v1/messages',
    'an image in a result',
    {
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [result] },
      ],
    },
  ],
] as const;

test.each(
  CLOUDS.flatMap(([name, create]) => CALLS.map(([path, what, body]) => [name, what, path, body, create] as const)),
)(
  '%s fetches no addresses, so a call with %s at one, by %s, goes to Anthropic',
  async (_name, _what, path, body, create) => {
    const [cloud, anthropic] = [replay(), replay()];
    const core = createGateway(create(cloud), anthropic);
    const request = { model: 'anthropic/claude', provider: { order: ['cloud', 'anthropic'] }, ...body };
    expect((await core.post(path, request)).status).toBe(200);
    expect([cloud.exchanges.length, anthropic.exchanges.length]).toEqual([0, 1]);
  },
);

test.each(['anthropic/claude', 'amazon/nova'])('says so where %s has no other endpoint', async (model) => {
  const core = createGateway(bedrock(replay()));
  const body = turnOf({ type: 'image_url', image_url: { url: ADDRESS } });
  const response = await core.post('/api/v1/chat/completions', { model, provider: { only: ['cloud'] }, ...body });
  expect(response.status).toBe(400);
  expect(JSON.stringify(jsonOf(response))).toContain('images must be data URLs for this provider');
});

test('leaves what is in the body as it is', async () => {
  const cloud = replay();
  const core = createGateway(vertex(cloud));
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const body = turnOf({ type: 'image_url', image_url: { url } });
  expect(
    (await core.post('/api/v1/chat/completions', { model: 'anthropic/claude', provider: { only: ['cloud'] }, ...body }))
      .status,
  ).toBe(200);
  expect(cloud.latest().sent).toMatchObject({
    messages: [{ content: [{ source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }] }],
  });
});
