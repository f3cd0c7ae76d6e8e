import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { API_KEY, createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const CHAT = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }] };
const VIDEO = { model: 'acme/chat', prompt: 'A cat' };
const DESTINATION = { name: 'd', type: 's3', config: { bucketName: 'b', accessKeyId: 'a', secretAccessKey: 's' } };

const withContent = (part: object): object => ({
  ...CHAT,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, part] }],
});
const withName = (name: string): object => ({ type: 'function', function: { name } });

type Wrong = [
  path: string,
  expected: readonly string[],
  /** The text of a body, or what it is the JSON of; undefined for a GET. */
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
];

const WRONG: readonly Wrong[] = [
  ['/api/v1/chat/completions', ['body'], ''],
  ['/api/v1/chat/completions', ['body'], '{'],
  ['/api/v1/chat/completions', ['body'], []],
  ['/api/v1/chat/completions', ['body'], 'null'],
  ['/api/v1/chat/completions', ['messages', 'model'], { model: '' }],
  ['/api/v1/chat/completions', ['models'], { ...CHAT, models: ['a', 'b', 'c', 'd'] }],
  ['/api/v1/chat/completions', ['model'], { ...CHAT, model: undefined }],
  ['/api/v1/chat/completions', ['x-session-id'], CHAT, { 'x-session-id': 's'.repeat(257) }],
  [
    '/api/v1/chat/completions',
    ['reasoning_effort'],
    { ...CHAT, reasoning: { effort: 'low' }, reasoning_effort: 'high' },
  ],
  [
    '/api/v1/chat/completions',
    ['plugins.1.cost_tier'],
    {
      ...CHAT,
      model: 'openrouter/auto',
      plugins: [
        { id: 'moderation', enabled: false },
        { id: 'auto-router', cost_tier: 'x' },
      ],
    },
  ],
  [
    '/api/v1/chat/completions',
    ['messages.0.content.1.image_url.url'],
    withContent({ type: 'image_url', image_url: {} }),
  ],
  ['/api/v1/chat/completions', ['messages.0.content.1.type'], withContent({ type: 'smell' })],
  ['/api/v1/chat/completions', ['messages.0.content'], { ...CHAT, messages: [{ role: 'user', content: 7 }] }],
  ['/api/v1/chat/completions', ['tools.0.function'], { ...CHAT, tools: [{ type: 'function' }] }],
  ['/api/v1/chat/completions', ['tools.0.function.name'], { ...CHAT, tools: [withName('two words')] }],
  ['/api/v1/chat/completions', ['tools.0'], { ...CHAT, tools: ['web_search'] }],
  ['/api/v1/chat/completions', ['tool_choice.function'], { ...CHAT, tool_choice: { type: 'function' } }],
  ['/api/v1/chat/completions', ['tool_choice'], { ...CHAT, tool_choice: 'f' }],
  ['/api/v1/chat/completions', ['provider.sort.by'], { ...CHAT, provider: { sort: { by: 'name' } } }],
  [
    '/api/v1/chat/completions',
    ['provider.preferred_max_latency.p50'],
    { ...CHAT, provider: { preferred_max_latency: { p50: '1' } } },
  ],
  ['/admin/v1/explain', ['model'], { ...CHAT, model: '' }],
  ['/api/v1/embeddings', ['model', 'input'], { model: '' }],
  ['/api/v1/videos', ['model'], { ...VIDEO, model: '' }],
  ['/api/v1/videos', ['model'], VIDEO],
  ['/api/v1/models?sort=nicest&category=x', ['category', 'sort']],
  ['/api/v1/models?output_modalities=text,smell', ['output_modalities']],
  ['/api/v1/models?distillable=maybe&min_age_days=old', ['distillable', 'min_age_days']],
  ['/api/v1/models?min_age_days=&max_price=', ['max_price', 'min_age_days']],
  ['/api/v1/models?context=1e3&offset=', ['offset', 'context']],
  ['/api/v1/models?output_modalities=', ['output_modalities']],
  ['/api/v1/activity?date=2020-01-01', ['date']],
  ['/admin/v1/generations?unknown=x', ['unknown']],
  ['/admin/v1/generations?cursor=%25', ['cursor']],
  ['/admin/v1/generations?id=a&status=ok', ['id']],
  ['/admin/v1/generations/export?format=csv&content=true', ['content']],
  ['/admin/v1/generations/histogram?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', ['from']],
  ['/api/v1/keys', ['workspace_id'], { name: 'k', workspace_id: 'nowhere' }],
  ['/api/v1/workspaces', ['slug'], { name: 'again', slug: 'default' }],
  [
    '/api/v1/workspaces',
    ['name', 'slug', 'description'],
    { name: 'n'.repeat(101), slug: 's'.repeat(51), description: 'd'.repeat(501) },
  ],
  ['/api/v1/workspaces', ['default_text_model'], { name: 'n', slug: 's', default_text_model: '' }],
  ['/api/v1/observability/destinations', ['type'], DESTINATION],
  ['/admin/v1/session', ['body'], {}],
];

test.each<Wrong>(WRONG)('names what is wrong with %s: %j', async (path, expected, body, headers = {}) => {
  const { get, post } = createCoreGateway(createReplayTransport({ pieces: [] }), { broadcast: undefined });
  const key = /chat|embeddings|videos/.test(path) ? API_KEY : MANAGEMENT_KEY;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { headers: { authorization: `Bearer ${key}`, ...headers }, ...bodyOf(text) };
  const response = body === undefined ? await get(path, key) : await post(path, null, request);
  expect(response.status).toBe(400);
  const { metadata } = jsonOf(response)['error'] as { metadata: { issues: { path: string; message: string }[] } };
  expect(metadata.issues.map((issue) => issue.path)).toEqual(expected);
});

test.each<[object, string, string]>([
  [{ metadata: { ['k'.repeat(65)]: 'v' } }, `metadata.${'k'.repeat(65)}`, 'keys have at most 64 characters'],
  [
    { provider: { sort: 'name' } },
    'provider.sort',
    'must be one of price, throughput, latency, exacto, or { by, partition }',
  ],
  [
    { tools: [{ type: 'function', function: { name: 'two words' } }] },
    'tools.0.function.name',
    'must be 1 to 64 letters, digits, underscores or dashes',
  ],
])('says of %j what is wrong with %s: %s', async (fields, path, message) => {
  const { post } = createCoreGateway(createReplayTransport({ pieces: [] }));
  const response = await post('/api/v1/chat/completions', { ...CHAT, ...fields });
  expect(jsonOf(response)).toMatchObject({ error: { code: 400, metadata: { issues: [{ path, message }] } } });
});

test('takes workspaces as long as the public API allows, counted in characters', async () => {
  const { post } = createCoreGateway(createReplayTransport({ pieces: [] }));
  const workspace = { name: '😀'.repeat(100), slug: 's'.repeat(50), description: '😀'.repeat(500) };
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const response = await post('/api/v1/workspaces', workspace, { headers });
  expect(response.status).toBe(201);
  expect(jsonOf(response)).toMatchObject({ data: workspace });
});
