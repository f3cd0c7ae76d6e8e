import { GatewayError, type HookedCall, type ModelDefinition, type RequestHook } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import { settle } from '../support/async/virtual-platform.ts';
import { addressOf, type ChatBody, type ChatFormat } from '../support/chat-formats/chat-format.ts';
import { completionsFormat } from '../support/chat-formats/completions.ts';
import { geminiFormat } from '../support/chat-formats/gemini.ts';
import { messagesFormat } from '../support/chat-formats/messages.ts';
import { ollamaFormat } from '../support/chat-formats/ollama.ts';
import { responsesFormat } from '../support/chat-formats/responses.ts';
import { replayStreams, replayWhole } from '../support/gateways/ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf } from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import { createReplayTransport, type ScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import { createScriptedVideos } from '../support/videos/scripted-videos.ts';
import { script } from '../support/wires/anthropic.ts';

const CHAT: ChatBody = { model: 'test/asked', messages: [{ role: 'user', content: 'Hello to bob@example.com' }] };
const MODELS: readonly ModelDefinition[] = [
  { id: 'test/asked', endpoints: [{ provider: 'up', providerModel: 'claude-asked' }] },
  { id: 'test/amended', endpoints: [{ provider: 'up', providerModel: 'claude-amended' }] },
];
const VECTORS: ModelDefinition = {
  id: 'acme/vectors',
  architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
  endpoints: [{ provider: 'acme', providerModel: 'vectors-1' }],
};
const FILM: ModelDefinition = {
  id: 'acme/film',
  architecture: { input_modalities: ['text'], output_modalities: ['video'] },
  endpoints: [{ provider: 'film', providerModel: 'film-1' }],
};

const open = (transport: ScriptedTransport, onRequest: RequestHook): CoreGateway =>
  createCoreGateway([script.createProvider(transport)], { models: MODELS, onRequest });

/** Turns the call to another model, within the request or by a new one. */
const toAmended: RequestHook = (call) =>
  call.kind === 'chat' ? { ...call.request, model: 'test/amended' } : undefined;

const JSON_TYPE = { 'content-type': 'application/json' };
const whole = (): ScriptedTransport => replayWhole(script.responses.text);

const CHAT_FORMAT = { name: 'chat', path: '/api/v1/chat/completions', toBody: (chat: ChatBody) => chat };
const FORMATS: readonly Pick<ChatFormat, 'name' | 'path' | 'pathOf' | 'toBody'>[] = [
  CHAT_FORMAT,
  messagesFormat,
  responsesFormat,
  completionsFormat,
  ollamaFormat,
  geminiFormat,
];

describe.each(FORMATS.map((format) => [format.name, format] as const))('a chat over /%s', (name, format) => {
  test('is shown to the host’s hook with its caller, and goes on as the hook says', async () => {
    const seen: HookedCall[] = [];
    const transport = whole();
    const core = open(transport, async (call) => {
      seen.push(call);
      await settle();
      return toAmended(call);
    });
    const response = await core.post(addressOf(format, CHAT), format.toBody(CHAT));
    expect(response.status).toBe(200);
    expect(seen).toMatchObject([
      { kind: 'chat', format: name, request: { model: 'test/asked' }, principal: { name: 'dev' } },
    ]);
    expect(seen[0]?.headers['authorization']).toMatch(/^Bearer /);
    expect(transport.latest().sent).toMatchObject({ model: 'claude-amended' });
    expect(core.store.appended[0]?.record.generation).toMatchObject({ model: 'test/amended' });
  });

  test('is streamed as the hook says, in any chunking', async () => {
    for (const [chunking, transport] of replayStreams(script, script.responses.text.events ?? [])) {
      const core = open(transport, toAmended);
      const response = await core.post(
        addressOf(format, { ...CHAT, stream: true }),
        format.toBody({ ...CHAT, stream: true }),
      );
      let text = '';
      for await (const piece of response.body as AsyncIterable<Uint8Array | string>) {
        text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
      }
      expect({ chunking, isStream: /^(event|data): |^\{.*\}\n\{/m.test(text) }).toEqual({ chunking, isStream: true });
      expect(transport.latest().sent).toMatchObject({ model: 'claude-amended' });
    }
  });

  test('is refused in the format of the caller where the hook refuses it', async () => {
    const transport = whole();
    const core = open(transport, () => {
      throw new GatewayError('permission_denied', 'Not on Sundays');
    });
    const response = await core.post(addressOf(format, CHAT), format.toBody(CHAT));
    expect(response.status).toBe(403);
    expect(JSON.stringify(jsonOf(response))).toContain('Not on Sundays');
    expect(transport.exchanges).toEqual([]);
    expect(core.logged).toEqual([]);
  });

  test('meets guardrails with what the hook has put in', async () => {
    const transport = whole();
    const core = open(transport, (call) =>
      call.kind === 'chat'
        ? { ...call.request, messages: [...call.request.messages, { role: 'user', content: 'and to eve@example.com' }] }
        : undefined,
    );
    const { headers } = await guardKey(core, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] });
    expect((await core.post(addressOf(format, CHAT), format.toBody(CHAT), { headers })).status).toBe(200);
    const sent = JSON.stringify(transport.latest().sent);
    expect(sent).toContain('and to');
    expect(sent).not.toMatch(/bob@|eve@/);
  });
});

test.each([
  ['throws', () => Promise.reject(new TypeError('of the host')), 'of the host'],
  ['returns what is no chat', () => ({ model: 'test/asked', messages: 'none' }) as never, 'messages'],
  ['returns what is no object', () => 'text' as never, 'body'],
])('a hook that %s is a failure of the host, which the log explains', async (_, hook: RequestHook, reason) => {
  const transport = whole();
  const core = open(transport, hook);
  const response = await core.post(CHAT_FORMAT.path, CHAT);
  expect(response.status).toBe(500);
  expect(JSON.stringify(jsonOf(response))).not.toContain('of the host');
  expect(core.logged).toMatchObject([
    { line: 'error a request failed', fields: { reason: expect.stringContaining(reason) as string } },
  ]);
  expect(transport.exchanges).toEqual([]);
});

test('a change within the request that the hook is shown has no effect by itself', async () => {
  const transport = whole();
  const core = open(transport, ({ request }) => {
    (request as { model: string }).model = 'test/amended';
  });
  await core.post(CHAT_FORMAT.path, CHAT);
  expect(transport.latest().sent).toMatchObject({ model: 'claude-asked' });
});

test('a request in an upstream’s own form stays untranslated unless the hook makes another one', async () => {
  const native = { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } };
  const sentBy = async (hook: RequestHook): Promise<unknown> => {
    const transport = whole();
    await open(transport, hook).post(messagesFormat.path, { max_tokens: 100, ...CHAT, ...native });
    return transport.latest().sent;
  };
  expect(await sentBy(() => undefined)).toMatchObject(native);
  expect(await sentBy(({ request }) => request)).not.toHaveProperty('context_management');
});

test('a hook cannot turn a completion into a stream, which its client does not read', async () => {
  const core = open(whole(), (call) => (call.kind === 'chat' ? { ...call.request, stream: true } : undefined));
  const response = await core.post(CHAT_FORMAT.path, CHAT);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
});

test('a call ends when its client leaves, whatever the hook waits for', async () => {
  const leaving = new AbortController();
  const never = createDeferred<undefined>();
  const core = open(whole(), () => never.promise);
  const responding = core.post(CHAT_FORMAT.path, CHAT, { signal: leaving.signal });
  await settle();
  leaving.abort(new GatewayError('client_closed_request', 'The client has left'));
  expect((await responding).status).toBe(499);
});

test('embeddings are shown to the hook, and go on as it says', async () => {
  const vector = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }] };
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(vector)] });
  const core = createCoreGateway(upstream, {
    models: [VECTORS],
    onRequest: (call) => (call.kind === 'embeddings' ? { ...call.request, input: 'amended' } : undefined),
  });
  const response = await core.post('/api/v1/embeddings', { model: 'acme/vectors', input: 'asked' });
  expect(response.status).toBe(200);
  expect(upstream.latest().sent).toMatchObject({ input: 'amended' });
});

test('a video is shown to the hook once for all requests with its idempotency key', async () => {
  const film = createScriptedVideos();
  let shown = 0;
  const core = createCoreGateway([film.provider], {
    models: [FILM],
    onRequest: (call) => {
      shown += 1;
      return call.kind === 'video' ? { ...call.request, prompt: `${call.request.prompt}, in rain` } : undefined;
    },
  });
  const ask = async (): Promise<unknown> => {
    const key = { 'idempotency-key': 'one', authorization: 'Bearer sk-test-api' };
    const response = await core.post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox' }, { headers: key });
    expect(response.status).toBe(202);
    return jsonOf(response)['id'];
  };
  expect(await ask()).toBe(await ask());
  expect(shown).toBe(1);
  expect(film.starts.map(({ order }) => order.prompt)).toEqual(['a fox, in rain']);
});

test('every attempt is reported in order once its call has been recorded, and a listener that fails changes nothing', async () => {
  const heard: unknown[] = [];
  const upstream = createReplayTransport(
    { status: 503, headers: JSON_TYPE, pieces: ['{}'] },
    {
      headers: JSON_TYPE,
      pieces: [JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })],
    },
  );
  const core = createCoreGateway(upstream, {
    onAttempt({ index, attempt, record }) {
      heard.push([index, attempt.provider_name, attempt.status, record.generation.id, core.store.appended.length]);
      throw new Error('of the embedder');
    },
  });
  const { status, headers } = await core.chat();
  const id = headers['x-generation-id'];
  expect(status).toBe(200);
  expect(heard).toEqual([
    [0, 'Acme', 503, id, 1],
    [1, 'Beta', 200, id, 1],
  ]);
  const failures = core.logged.filter(({ line }) => line === 'error a listener to generations failed');
  expect(failures).toHaveLength(2);
});
