import { expect, test } from 'vitest';

import { API_KEY, createCoreGateway, jsonOf } from '../../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../../test/support/gateways/guard-key.ts';
import { createScriptedTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { OPENAI_PRESETS } from '../../providers/openai/openai-presets.ts';
import { createOpenAiProvider } from '../../providers/openai/openai-provider.ts';

const PDF = `data:application/pdf;base64,${btoa('%PDF-1.7 pages')}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const PAGES = {
  pages: [
    { index: 1, markdown: 'second page', images: [] },
    { index: 0, markdown: '# First page', images: [] },
  ],
  model: 'mistral-ocr-2512',
  usage_info: { pages_processed: 2, doc_size_bytes: 14 },
};
const ASKING = {
  model: 'mistralai/chat',
  messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: PDF } }] }],
  plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }],
};
const COMPLETION = {
  id: 'up-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Two pages.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

interface SetUp {
  readonly status?: number;
  /** The status of completions. */
  readonly chatStatus?: number;
  readonly answer?: object;
  readonly models?: readonly object[];
}

function setUp({ status = 200, chatStatus = 200, answer = PAGES, models = [] }: SetUp = {}) {
  const transport = createScriptedTransport((exchange) => {
    const isOcr = exchange.request.url.endsWith('/ocr');
    exchange.respond(isOcr ? status : chatStatus, JSON_TYPE);
    exchange.push(JSON.stringify(isOcr ? answer : COMPLETION));
    exchange.end();
  });
  const { dialect, dataPolicy } = OPENAI_PRESETS.mistral;
  const baseUrl = 'https://api.mistral.example/v1';
  const shared = { baseUrl, apiKey: 'key-of-mistral', transport, dataPolicy };
  const chat = {
    id: 'mistralai/chat',
    endpoints: [
      { provider: 'mistral', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } },
    ],
  };
  const core = createCoreGateway([createOpenAiProvider({ ...shared, slug: 'mistral', name: 'Mistral', dialect })], {
    models: [chat, ...(models as (typeof chat)[])],
  });
  const ask = (changes: object = {}, key = API_KEY) => {
    const headers = { authorization: `Bearer ${key}`, 'x-service-experimental-metadata': 'enabled' };
    return core.post('/api/v1/chat/completions', { ...ASKING, ...changes }, { headers });
  };
  return { ...core, ask, exchanges: transport.exchanges };
}

test('has a PDF read by a provider, and charges its pages to the call', async () => {
  const { ask, exchanges, get } = setUp();
  const response = await ask();
  const [ocr, chat] = exchanges;
  expect(ocr?.request).toMatchObject({
    url: 'https://api.mistral.example/v1/ocr',
    headers: { authorization: 'Bearer key-of-mistral' },
  });
  expect(ocr?.sent).toEqual({
    model: 'mistral-ocr-latest',
    document: { type: 'document_url', document_url: PDF },
    include_image_base64: false,
  });
  const text = '<file name="a.pdf">\n# First page\n\nsecond page\n</file>';
  expect(chat?.sent['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text }] }]);
  expect(jsonOf(response)).toMatchObject({
    choices: [{ message: { annotations: [{ type: 'file', file: { name: 'a.pdf', content: [{ text }] } }] } }],
    // Two pages at 0.002, ten tokens at a millionth and five at two.
    usage: { prompt_tokens: 10, completion_tokens: 5, cost: 0.00402 },
    service_metadata: {
      pipeline: [{ name: 'file-parser', data: { engine: 'mistral-ocr', provider: 'Mistral', pages: 2 } }],
    },
  });
  const { id } = jsonOf(response) as { id: string };
  expect(jsonOf(await get(`/api/v1/generation?id=${id}`))).toMatchObject({ data: { total_cost: 0.00402 } });
});

test('charges the pages that were read also where no provider completes the call', async () => {
  const { ask, get, store } = setUp({ chatStatus: 503 });
  expect((await ask()).status).toBe(503);
  const [record] = (await store.generations.page({ limit: 1 })).records;
  expect(record).toMatchObject({ costNanoUsd: 4_000_000, generation: { total_cost: 0.004, cost_known: true } });
  expect(jsonOf(await get('/api/v1/key'))).toMatchObject({ data: { usage: 0.004 } });
});

test('takes the model and the price of the configuration where there are any', async () => {
  const own = { provider: 'mistral', providerModel: 'mistral-ocr-2512', pricing: { request: '0.01' } };
  const { ask, exchanges } = setUp({ models: [{ id: 'mistralai/ocr', endpoints: [own] }] });
  expect(jsonOf(await ask())).toMatchObject({ usage: { cost: 0.02002 } });
  expect(exchanges[0]?.sent).toMatchObject({ model: 'mistral-ocr-2512' });
});

test.each<[string, object, string]>([
  ['the data policy that the caller demands', { provider: { zdr: true } }, 'permission_denied'],
])('sends no file to a provider that is excluded by %s', async (_, changes) => {
  const { ask, exchanges } = setUp();
  const response = await ask(changes);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(exchanges).toEqual([]);
});

test('sends no file to a model that a guardrail does not allow', async () => {
  const core = setUp();
  const { key } = await guardKey(core, { allowed_models: ['mistralai/chat'] });
  const response = await core.ask({}, key);
  expect(response.status).toBe(403);
  expect(jsonOf(response)).toMatchObject({
    error: { message: expect.stringContaining('No provider may read this file') as string },
  });
  expect(core.exchanges).toEqual([]);
});

test.each([
  [400, { message: 'no document', type: 'invalid_request_file' }, 400],
  [500, { message: 'down' }, 502],
  [200, { object: 'error' }, 502],
])('passes on what the provider answers with status %i', async (status, answer, expected) => {
  const { ask } = setUp({ status, answer });
  expect((await ask()).status).toBe(expected);
});
