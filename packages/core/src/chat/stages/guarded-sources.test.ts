import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../../test/support/gateways/guard-key.ts';
import { createTurnTransport } from '../../../../../test/support/upstreams/scripted-turns.ts';
import type { ServerTool } from './server-tools/server-tool.ts';

const SECRET = 'the launch code 42';
const filterOf = (action: 'block' | 'redact') => ({
  content_filters: [{ pattern: 'launch code \\d+', action, label: '[CODE]' }],
});

const leak: ServerTool = {
  name: 'leak',
  description: 'Tells too much.',
  inputSchema: { type: 'object' },
  open: () => ({ run: () => ({ content: SECRET }) }),
};
const web = {
  readPdf: () => Promise.resolve([SECRET]),
  searchEngine: {
    name: 'test',
    search: () => Promise.resolve([{ url: 'https://a.example/', title: 'A', snippet: SECRET }]),
  },
};
const CALL = { calls: [['leak', {}]] } as const;

const setUp = async (action: 'block' | 'redact') => {
  const upstream = createTurnTransport([CALL, { content: 'done' }]);
  const core = createCoreGateway(upstream, { web, serverTools: [leak] });
  const { headers } = await guardKey(core, filterOf(action));
  const metadata = { ...headers, 'x-service-experimental-metadata': 'enabled' };
  return {
    upstream,
    ask: (body: Record<string, unknown>) => core.chat(body, { headers: metadata }),
    sent: () => JSON.stringify(upstream.exchanges.map((exchange) => exchange.sent['messages'])),
  };
};
const FILE = { type: 'file', file: { file_data: `data:application/pdf;base64,${btoa('%PDF-')}` } };
const WITH_FILE = {
  messages: [{ role: 'user', content: [FILE] }],
  plugins: [{ id: 'file-parser', pdf: { engine: 'pdf-text' } }],
};

test.each<[string, Record<string, unknown>]>([
  ['a tool', { tools: [{ type: 'service:leak' }] }],
  ['a search', { plugins: [{ id: 'web' }] }],
  ['a file', WITH_FILE],
])('redacts what %s brings into a request, as it does what its caller wrote', async (_, body) => {
  const { ask, sent } = await setUp('redact');
  const response = await ask(body);
  expect(response.status).toBe(200);
  expect(sent()).toContain('the [CODE]');
  expect(sent()).not.toContain('launch code');
  expect(JSON.stringify(jsonOf(response)['service_metadata'])).toContain('"action":"redacted"');
});

test('keeps what a guardrail blocks from the model: of a tool, that it was withheld; of a search, nothing', async () => {
  const { ask, sent, upstream } = await setUp('block');
  expect((await ask({ tools: [{ type: 'service:leak' }] })).status).toBe(200);
  expect(sent()).toContain('a guardrail has withheld the result');
  expect((await ask({ plugins: [{ id: 'web' }] })).status).toBe(200);
  expect(upstream.latest().sent['messages']).toHaveLength(1);
  expect(sent()).not.toContain('launch code');
});

test('refuses a request whose file a guardrail blocks', async () => {
  const { ask, upstream } = await setUp('block');
  const response = await ask(WITH_FILE);
  expect(response.status).toBe(403);
  expect(jsonOf(response)).toMatchObject({ error: { message: 'Request blocked by content filter: [CODE]' } });
  expect(upstream.exchanges).toHaveLength(0);
});
