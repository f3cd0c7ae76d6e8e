import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf } from '../../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../../test/support/gateways/guard-key.ts';
import { createTurnTransport } from '../../../../../test/support/upstreams/scripted-turns.ts';
import { type ServerTool, ToolFailure } from './server-tools/server-tool.ts';

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

/** A tool that returns JSON, as the gateway's own do, with the secret at the beginning of a line. */
const askJson = async (rule: object, content: object, direction: 'input' | 'output' = 'input') => {
  const upstream = createTurnTransport([{ calls: [['page', {}]] }, { content: 'done' }]);
  const run = () => ({ content: JSON.stringify(content) });
  const page: ServerTool = { ...leak, name: 'page', open: () => ({ run }) };
  const core = createCoreGateway(upstream, { serverTools: [page] });
  const filter = { pattern: '\\blaunch code \\d+', label: '[CODE "1"]', direction, ...rule };
  const { headers } = await guardKey(core, { content_filters: [filter] });
  const response = await core.chat({ tools: [{ type: 'service:page' }] }, { headers });
  return { response, upstream };
};
const resultSentIn = ({ upstream }: Awaited<ReturnType<typeof askJson>>) =>
  (upstream.latest().sent['messages'] as { role: string; content: string }[]).find(({ role }) => role === 'tool')
    ?.content ?? '';

interface ToolDetail {
  readonly type: string;
  readonly result?: string;
}
const resultShownIn = ({ response }: Awaited<ReturnType<typeof askJson>>) => {
  const [{ message }] = jsonOf(response)['choices'] as [{ message: { reasoning_details?: ToolDetail[] } }];
  return message.reasoning_details?.find(({ type }) => type === 'reasoning.server_tool_call')?.result ?? '';
};

test('reads the JSON that a tool returns with its escapes decoded, and keeps it JSON', async () => {
  const content = { note: 'Hello\nlaunch code 42\n"quoted"' };
  const blocked = await askJson({ action: 'block' }, content);
  expect(resultSentIn(blocked)).toContain('a guardrail has withheld the result');
  const redacted = await askJson({ action: 'redact' }, content);
  expect(JSON.parse(resultSentIn(redacted))).toEqual({ note: 'Hello\n[CODE "1"]\n"quoted"' });
});

test('filters what a tool returns before it is cut', async () => {
  const long = { note: 'Hello\nlaunch code 42', filler: '\n'.repeat(200_000) };
  const sent = resultSentIn(await askJson({ action: 'redact' }, long));
  expect(sent).toHaveLength(200_000);
  expect(sent).toMatch(/^{"note":"Hello\\n\[CODE \\"1\\"\]"/);
});

test.each([
  ['whole', 10],
  ['cut', 200_000],
])('redacts the JSON of a tool that callers are shown, %s', async (_, length) => {
  const content = { note: 'Hello\nlaunch code 42', filler: 'x'.repeat(length) };
  const shown = resultShownIn(await askJson({ action: 'redact' }, content, 'output'));
  expect(shown).toMatch(/^{"note":"Hello\\n\[CODE \\"1\\"\]","filler":"xxx/);
});

test('redacts a result that is no JSON as it stands', async () => {
  const upstream = createTurnTransport([CALL, { content: 'done' }]);
  const run = () => ({ content: String.raw`[see] C:\badger` });
  const core = createCoreGateway(upstream, { serverTools: [{ ...leak, open: () => ({ run }) }] });
  const { headers } = await guardKey(core, {
    content_filters: [{ pattern: 'badger', action: 'redact', label: '[B]', direction: 'both' }],
  });
  const response = await core.chat({ tools: [{ type: 'service:leak' }] }, { headers });
  expect(JSON.stringify(upstream.latest().sent['messages'])).not.toContain('badger');
  expect(JSON.stringify(jsonOf(response))).not.toContain('badger');
});

test('filters why a tool has failed', async () => {
  const upstream = createTurnTransport([CALL, { content: 'done' }]);
  const run = () => Promise.reject(new ToolFailure('the address returned launch code 42'));
  const core = createCoreGateway(upstream, { serverTools: [{ ...leak, open: () => ({ run }) }] });
  const { headers } = await guardKey(core, filterOf('redact'));
  await core.chat({ tools: [{ type: 'service:leak' }] }, { headers });
  expect(JSON.stringify(upstream.latest().sent['messages'])).toContain('the address returned [CODE]');
});
