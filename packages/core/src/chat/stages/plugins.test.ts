import { expect, test } from 'vitest';

import {
  API_KEY,
  chunksOf,
  createCoreGateway,
  jsonOf,
  MODELS,
  readFrames,
} from '../../../../../test/support/gateways/core-gateway.ts';
import { toEventPieces } from '../../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { createTurnTransport } from '../../../../../test/support/upstreams/scripted-turns.ts';
import { TransportError } from '../../foundation/transport.ts';
import type { SearchEngine, SearchQuery } from '../web/web-access.ts';

const METADATA = { headers: { authorization: `Bearer ${API_KEY}`, 'x-service-experimental-metadata': 'enabled' } };
const JSON_OBJECT = { response_format: { type: 'json_object' } };
const HEALING = { plugins: [{ id: 'response-healing' }] };

const contentOf = (response: Parameters<typeof jsonOf>[0]): unknown =>
  (jsonOf(response)['choices'] as { message: { content: unknown } }[])[0]?.message.content;

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

test('repairs the JSON of an unstreamed completion, and reports it', async () => {
  const { chat, store } = createCoreGateway(createTurnTransport([{ content: '```json\n{a: 1,}\n```' }]));
  const response = await chat({ ...JSON_OBJECT, ...HEALING }, METADATA);
  expect(contentOf(response)).toBe('{"a":1}');
  expect(jsonOf(response)).toMatchObject({
    service_metadata: { pipeline: [{ type: 'response_healing', name: 'response-healing' }] },
  });
  expect(store.appended[0]).toMatchObject({
    record: { generation: { pipeline: [{ type: 'response_healing' }] } },
    content: { output: { completion: '{"a":1}' } },
  });
});

test.each<[string, object, string]>([
  ['without the plugin', JSON_OBJECT, 'stop'],
  ['with the plugin switched off', { ...JSON_OBJECT, plugins: [{ id: 'response-healing', enabled: false }] }, 'stop'],
  ['where no JSON was asked for', HEALING, 'stop'],
  ['where the completion was cut off', { ...JSON_OBJECT, ...HEALING }, 'length'],
])('leaves a completion unchanged %s', async (_, body, finish) => {
  const { chat } = createCoreGateway(createTurnTransport([{ content: '{a: 1', finish }]));
  expect(contentOf(await chat(body as Record<string, unknown>))).toBe('{a: 1');
});

test('never mends a stream', async () => {
  const pieces = toEventPieces([{ choices: [{ index: 0, delta: { content: '{a: 1' }, finish_reason: 'stop' }] }]);
  const { chat } = createCoreGateway(createReplayTransport({ pieces }));
  const chunks = chunksOf(await readFrames(await chat({ ...JSON_OBJECT, ...HEALING, stream: true })).rest());
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('{a: 1');
});

const small = (context_length: number) => ({
  models: [{ ...MODELS[0], id: 'acme/chat', context_length, endpoints: MODELS[0]?.endpoints.slice(0, 1) ?? [] }],
});
const LONG = Array.from({ length: 40 }, (_, index) => ({ role: 'user', content: `${index} ${'word '.repeat(200)}` }));

test('shortens a prompt for an endpoint of little room by itself, and says so', async () => {
  const upstream = createTurnTransport([{ content: 'short' }]);
  const { chat } = createCoreGateway(upstream, small(8192));
  const response = await chat({ messages: LONG, max_tokens: 100 }, METADATA);
  const { messages } = upstream.latest().sent as unknown as Sent;
  expect(messages.length).toBeLessThan(LONG.length);
  expect(messages[0]).toEqual(LONG[0]);
  expect(messages.at(-1)).toEqual(LONG.at(-1));
  expect(jsonOf(response)).toMatchObject({
    service_metadata: {
      pipeline: [
        {
          type: 'context_compression',
          data: { engine: 'middle-out', original_count: 40, compressed_count: messages.length },
        },
      ],
    },
  });
});

test.each<[string, number, object, number]>([
  ['at 8,192 tokens when it is switched off', 8192, { plugins: [{ id: 'context-compression', enabled: false }] }, 400],
  ['at 8,192 tokens when the older field leaves it out', 8192, { transforms: [] }, 400],
  ['above that by itself', 8193, {}, 400],
  ['when the plugin asks for it', 8193, { plugins: [{ id: 'context-compression' }] }, 200],
  ['when the older field asks for it', 8193, { transforms: ['middle-out'] }, 200],
])('decides on shortening %s', async (_, contextLength, body, status) => {
  const { chat } = createCoreGateway(createTurnTransport([{ content: 'short' }]), small(contextLength));
  // Too long by any count.
  expect((await chat({ messages: [...LONG, ...LONG], ...body })).status).toBe(status);
});

test('refuses a request that a moderator flags before any call, with the categories', async () => {
  const upstream = createTurnTransport([{ content: 'never' }]);
  const moderator = {
    name: 'Careful',
    moderate: (text: string) => ({ isFlagged: text.includes('bad'), reasons: ['violence'] }),
  };
  const { chat } = createCoreGateway(upstream, { moderator });
  const body = { plugins: [{ id: 'moderation' }], messages: [{ role: 'user', content: `bad ${'x'.repeat(200)} end` }] };
  const response = await chat(body, METADATA);
  expect(response.status).toBe(403);
  const { error, service_metadata } = jsonOf(response) as Record<string, { metadata: { flagged_input: string } }>;
  expect(error).toMatchObject({
    code: 403,
    metadata: { reasons: ['violence'], provider_name: 'Careful', model_slug: 'acme/chat' },
  });
  expect(error?.metadata.flagged_input).toMatch(/^bad x+\.\.\.x+ end$/);
  expect(error?.metadata.flagged_input).toHaveLength(100);
  expect(service_metadata).toMatchObject({ attempt: 0, pipeline: [{ type: 'guardrail', name: 'moderation' }] });
  expect(upstream.exchanges).toHaveLength(0);
  expect((await chat({ ...body, messages: [{ role: 'user', content: 'good' }] })).status).toBe(200);
  expect((await chat({ ...body, plugins: [] })).status).toBe(200);
});

test('lets nothing past a moderator that fails', async () => {
  const moderate = (): Promise<never> => Promise.reject(new Error('down'));
  const { chat } = createCoreGateway(createTurnTransport([{}]), { moderator: { name: 'Down', moderate } });
  expect((await chat({ plugins: [{ id: 'moderation' }] })).status).toBe(403);
});

const engineOf = (
  search: (query: SearchQuery) => Promise<readonly { url: string; title: string; snippet: string }[]>,
) => {
  const queries: SearchQuery[] = [];
  const searchEngine: SearchEngine = {
    name: 'test',
    search: (query) => {
      queries.push(query);
      return search(query);
    },
  };
  return { queries, web: { searchEngine } };
};
const FOUND = [
  { url: 'https://docs.example/trees', title: 'Trees', snippet: 'They are green.' },
  { url: 'https://other.example/', title: 'Other', snippet: 'No.' },
];

test.each<[string, object]>([
  ['the plugin', { plugins: [{ id: 'web', include_domains: ['docs.example'] }] }],
  ['the variant', { model: 'acme/chat:online' }],
])('searches the web first for %s, and names its sources', async (kind, body) => {
  const { queries, web } = engineOf(() => Promise.resolve(FOUND));
  const upstream = createTurnTransport([{ content: 'Green.' }]);
  const { chat, store } = createCoreGateway(upstream, { web });
  const response = await chat({ ...body, messages: [{ role: 'user', content: 'What colour are trees?' }] });
  expect(queries).toMatchObject([{ query: 'What colour are trees?', maxResults: 5 }]);
  const { messages } = upstream.latest().sent as unknown as Sent;
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(messages[0]?.content).toMatch(/\d{4}-\d\d-\d\d.*https:\/\/docs\.example\/trees/s);
  const count = kind === 'the plugin' ? 1 : 2;
  expect(store.appended[0]?.record.generation).toMatchObject({
    num_search_results: count,
    web_search_engine: 'test',
    pipeline: [{ type: 'plugin', name: 'web', data: { status: 'completed', results: count } }],
  });
  const annotations = FOUND.slice(0, count).map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { url, title },
  }));
  expect(jsonOf(response)).toMatchObject({
    model: 'acme/chat',
    choices: [{ message: { content: 'Green.', annotations } }],
  });
});

test('streams the sources with the beginning of a completion', async () => {
  const { web } = engineOf(() => Promise.resolve(FOUND));
  const { chat } = createCoreGateway(createTurnTransport([{ content: 'Green it is.' }]), { web });
  const chunks = chunksOf(await readFrames(await chat({ plugins: [{ id: 'web' }], stream: true })).rest());
  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ content: 'Green ', annotations: [{}, {}] });
  expect(chunks.slice(1).every(({ choices }) => choices[0]?.delta['annotations'] === undefined)).toBe(true);
});

test('completes without a search that has failed', async () => {
  const { web } = engineOf(() => Promise.reject(new TransportError('reset', { phase: 'connect', requestSent: false })));
  const { chat } = createCoreGateway(createTurnTransport([{ content: 'Green.' }]), { web });
  const response = await chat({ plugins: [{ id: 'web' }] }, METADATA);
  expect(jsonOf(response)).toMatchObject({
    service_metadata: { pipeline: [{ type: 'plugin', name: 'web', data: { status: 'failed' } }] },
  });
  expect(contentOf(response)).toBe('Green.');
});

test.each<[object, string]>([
  [{ plugins: [{ id: 'web' }] }, 'no search engine is set up'],
  [{ model: 'acme/chat:online' }, 'no search engine is set up'],
  [{ plugins: [{ id: 'moderation' }] }, 'no moderator is set up'],
  [{ plugins: [{ id: 'file-parser' }] }, 'no PDF reader is set up'],
  [{ plugins: [{ id: 'fusion' }] }, 'not available in this version'],
])('refuses what is not set up rather than leaving it undone: %j', async (body, reason) => {
  const { chat } = createCoreGateway(createTurnTransport([{}]));
  const response = await chat(body as Record<string, unknown>);
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining(reason) as string } });
});
