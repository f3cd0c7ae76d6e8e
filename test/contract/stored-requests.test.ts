import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { StoredRequestReport } from '../../packages/core/src/wire/stored-request.ts';
import { chatArbitrary, type MadeChat, SECRET } from '../support/formats/chats.ts';
import { writeMessages, writeOllama, writeResponses } from '../support/formats/write-chats.ts';
import { writeGemini } from '../support/formats/write-gemini.ts';
import { createWireGateway, JSON_TYPE, scripts } from '../support/gateways/ask-wire.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import { createReplayTransport } from '../support/upstreams/scripted-transport.ts';

/** With 28 pairs of a format and a wire: 1,764 calls. */
const CALLS = 63;
/** Chats that are made for them: what a wire cannot say is refused. */
const MADE = 2000;

const FORMATS = [
  ['chat', '/api/v1/chat/completions', (chat: MadeChat): object => chat],
  ['messages', '/api/v1/messages', writeMessages],
  ['responses', '/api/v1/responses', writeResponses],
  ['completions', '/api/v1/completions', ({ messages }: MadeChat): object => ({ prompt: JSON.stringify(messages[0]) })],
  ['ollama-chat', '/api/chat', writeOllama],
  ['ollama-generate', '/api/generate', ({ messages }: MadeChat): object => ({ prompt: JSON.stringify(messages[0]) })],
  ['gemini', '/v1beta/models/test/model:generateContent', writeGemini],
] as const;

const pairs = scripts.flatMap(([wire, script]) => FORMATS.map((format) => [format[0], wire, script, format] as const));

type Core = ReturnType<typeof createCoreGateway>;

async function requestOf(core: Core, id: string): Promise<StoredRequestReport> {
  const response = await core.get(`/admin/v1/generations/${id}/request`, MANAGEMENT_KEY);
  return (jsonOf(response) as { data: StoredRequestReport }).data;
}

test.each(pairs)(
  'what %s sends over the wire %s is stored, and makes the same bytes again',
  async (_format, wire, script, [name, path, write]) => {
    const { whole } = script.responses.text;
    const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(whole)] });
    const core = createWireGateway(script, upstream);
    for (const chat of fc.sample(chatArbitrary, { numRuns: MADE, seed: 36 })) {
      if (upstream.exchanges.length === CALLS) break;
      const asked = JSON.stringify({ model: 'test/model', max_tokens: 64, ...write(chat), stream: false });
      const before = upstream.exchanges.length;
      // The ids of one second are not many with random numbers that are counted.
      await core.platform.advance(1000);
      const response = await core.post(path, JSON.parse(asked), { headers: { authorization: 'Bearer sk-test-api' } });
      const id = response.headers['x-generation-id'];
      if (id === undefined || upstream.exchanges.length === before) continue;
      const stored = await requestOf(core, id);
      expect(JSON.stringify(stored.body)).toBe(asked);
      expect(stored).toMatchObject({ format: name, routing_rule: null, preset_id: null, narrowed_by: null });
      const sent = upstream.exchanges.slice(before).map(({ request }) => String(request.body));
      expect(stored.attempts.map(({ body }) => JSON.stringify(body))).toEqual(sent);
      for (const attempt of stored.attempts) expect(attempt).toMatchObject({ endpoint: `up:${script.model}`, wire });
    }
    expect(upstream.exchanges).toHaveLength(CALLS);
  },
);

const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
const answer = () => createReplayTransport({ headers: JSON_TYPE, pieces: [WHOLE] });

test('no header is stored that may be a credential, and those are that a call is served by', async () => {
  const core = createCoreGateway(answer());
  const secrets = {
    authorization: 'Bearer sk-test-api',
    cookie: 'session=1',
    'x-api-key': 'sk-test-api',
    'x-portkey-key': 'secret',
  };
  const { headers } = await core.chat(
    {},
    { headers: { ...secrets, 'user-agent': 'tool/1', 'anthropic-beta': 'one,two', 'x-session-id': 's-1' } },
  );
  const stored = await requestOf(core, headers['x-generation-id'] ?? '');
  expect(stored.headers).toEqual({ 'user-agent': 'tool/1', 'anthropic-beta': 'one,two', 'x-session-id': 's-1' });
});

test('the attempts of a call are stored with their endpoints, also those that failed', async () => {
  const upstream = createReplayTransport(
    { status: 500, headers: JSON_TYPE, pieces: ['{}'] },
    { headers: JSON_TYPE, pieces: [WHOLE] },
  );
  const core = createCoreGateway(upstream);
  const { headers } = await core.chat({ provider: { sort: 'price' } });
  const { attempts } = await requestOf(core, headers['x-generation-id'] ?? '');
  expect(attempts.map(({ endpoint, body }) => [endpoint, (body as { model: string }).model])).toEqual([
    ['acme:chat-1', 'chat-1'],
    ['beta:chat-b', 'chat-b'],
  ]);
});

test.each(FORMATS.filter(([name]) => !/completions|generate/.test(name)))(
  'what a guardrail takes out of %s is stored nowhere',
  async (_name, path, write) => {
    const core = createCoreGateway(answer());
    const { headers: authorization } = await guardKey(core, {
      content_filters: [{ pattern: SECRET, action: 'redact' }],
    });
    let redacted = 0;
    for (const chat of fc.sample(chatArbitrary, { numRuns: 200, seed: 7 })) {
      const body = { model: 'acme/chat', max_tokens: 64, ...write(chat), stream: false };
      // One address has the model.
      const address = path.replace('test/model', 'acme/chat');
      const { headers } = await core.post(address, body, { headers: authorization });
      const id = headers['x-generation-id'];
      if (id === undefined || !JSON.stringify(body).includes(SECRET)) continue;
      redacted += 1;
      expect(JSON.stringify(await requestOf(core, id))).not.toContain(SECRET);
      expect(JSON.stringify(core.store.appended.at(-1)?.content)).not.toContain(SECRET);
    }
    expect(redacted).toBeGreaterThan(0);
  },
);

test('a call whose contents are not stored has no request, and says why', async () => {
  const core = createCoreGateway(answer(), { logging: { inputOutput: false } });
  const { headers } = await core.chat();
  const response = await core.get(`/admin/v1/generations/${headers['x-generation-id']}/request`, MANAGEMENT_KEY);
  expect(response.status).toBe(404);
  expect(jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining('No content is stored') } });
});

test('a request is gone with its content', async () => {
  const core = createCoreGateway(answer());
  const { headers } = await core.chat();
  const id = headers['x-generation-id'] ?? '';
  expect((await core.get(`/admin/v1/generations/${id}/request`, MANAGEMENT_KEY)).status).toBe(200);
  await core.store.generations.deleteContent(id);
  expect((await core.get(`/admin/v1/generations/${id}/request`, MANAGEMENT_KEY)).status).toBe(404);
});

test('the credentials of remote servers are sent upstream, and stored nowhere', async () => {
  const [, script] = scripts.find(([wire]) => wire === 'anthropic') ?? [];
  if (script === undefined) throw new Error('There is no such wire');
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(script.responses.text.whole)] });
  const core = createWireGateway(script, upstream);
  const of = (token: string) => [{ type: 'url', url: 'https://mcp.example', name: 'm', authorization_token: token }];
  const body = { model: 'test/model', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
  const headers = { authorization: 'Bearer sk-test-api', 'anthropic-beta': 'mcp-client-2025-04-04' };
  const response = await core.post('/api/v1/messages', { ...body, mcp_servers: of('open sesame') }, { headers });
  expect(String(upstream.exchanges[0]?.request.body)).toContain('open sesame');
  const stored = await requestOf(core, response.headers['x-generation-id'] ?? '');
  expect(stored.body).toEqual({ ...body, mcp_servers: of('[SECRET]') });
  expect(stored.attempts[0]?.body).toMatchObject({ mcp_servers: of('[SECRET]') });
  expect(JSON.stringify(core.store.appended)).not.toContain('open sesame');
});
