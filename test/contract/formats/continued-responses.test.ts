import type { ChatCompletionRequest, GatewayOptions } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { toStoredExchange } from '../../../packages/core/src/api/stored-response.ts';
import { readEvents } from '../../support/chat-formats/chat-format.ts';
import { createWireGateway, JSON_TYPE, replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';
import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../support/gateways/core-gateway.ts';
import { guardKey } from '../../support/gateways/guard-key.ts';
import type { RecordingStore } from '../../support/stores/recording-store.ts';
import { storeImplementations } from '../../support/stores/store-implementations.ts';
import { createReplayTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import type { WireScript } from '../../support/wires/wire-script.ts';

type Messages = Pick<ChatCompletionRequest, 'messages'>;
type Json = Readonly<Record<string, unknown>>;

const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } };
const FIRST = { model: 'test/model', input: 'Weather?', instructions: 'Be brief', tools: [TOOL] };

const respond = async (core: CoreGateway, body: object, request: object = {}): Promise<Json> =>
  jsonOf(await core.post('/api/v1/responses', body, request));

const sentBy = (transport: ScriptedTransport): string => String(transport.latest().request.body);

/** The last response of a stream. */
async function readLast(response: Parameters<typeof readEvents>[0]): Promise<Json> {
  const datas = (await readEvents(response)).map(({ data }) => data).filter((data) => data !== '[DONE]');
  return (JSON.parse(datas.at(-1) ?? '') as { response: Json }).response;
}

const resultOf = ({ output }: Json): Json => {
  const call = (output as Json[]).find(({ type }) => type === 'function_call');
  return { type: 'function_call_output', call_id: call?.['call_id'], output: 'It is 21 degrees' };
};

const wireOf = (name: string): WireScript => {
  const found = scripts.find(([wire]) => wire === name);
  if (found === undefined) throw new Error(`There is no wire ${name}`);
  return found[1];
};

describe.each(scripts)('over the wire %s', (_, script) => {
  test('a chain of responses sends each turn once, without the earlier instructions', async () => {
    const transport = replayWhole(script.responses.tools);
    const core = createWireGateway(script, transport);
    const first = await respond(core, FIRST);
    const second = { model: 'test/model', tools: [TOOL], previous_response_id: first['id'], input: [resultOf(first)] };
    const continued = await respond(core, { ...second, instructions: 'Be long' });
    expect(continued).toMatchObject({ previous_response_id: first['id'], instructions: 'Be long', store: true });
    for (const said of ['Weather?', 'get_weather', 'It is 21 degrees', 'Be long']) {
      expect(sentBy(transport)).toContain(said);
    }
    expect(sentBy(transport)).not.toContain('Be brief');

    await respond(core, { model: 'test/model', previous_response_id: continued['id'], input: 'And tomorrow?' });
    for (const said of ['Weather?', 'It is 21 degrees', 'And tomorrow?']) {
      expect(sentBy(transport).split(said)).toHaveLength(2);
    }
    expect(sentBy(transport)).not.toMatch(/previous_response_id|Be long/);
  });

  test('a stream is continued by a stream, in any chunking', async () => {
    for (const [chunking, transport] of replayStreams(script, script.responses.tools.events ?? [])) {
      const core = createWireGateway(script, transport);
      const ask = async (body: object) => readLast(await core.post('/api/v1/responses', { ...body, stream: true }));
      const first = await ask(FIRST);
      const next = { model: 'test/model', previous_response_id: first['id'], input: [resultOf(first)] };
      const second = await ask({ ...next, tools: [TOOL] });
      expect({ chunking, second }).toMatchObject({ chunking, second: { previous_response_id: first['id'] } });
      for (const said of ['Weather?', 'It is 21 degrees']) expect(sentBy(transport)).toContain(said);
    }
  });

  test('its reasoning is sent back as the provider needs it, though the caller did not ask for that', async () => {
    const transport = replayWhole(script.responses.reasoning);
    const core = createWireGateway(script, transport);
    const asked = { model: 'test/model', input: 'Think', store: true, reasoning: { effort: 'low' } };
    const first = await respond(core, asked);
    expect(JSON.stringify(first)).not.toContain('encrypted_content');
    await respond(core, { ...asked, previous_response_id: first['id'], input: 'Again' });
    const sealed = /"(signature|encrypted_content|thoughtSignature)":"[^"]+"/.exec(
      JSON.stringify(script.responses.reasoning),
    );
    if (sealed !== null) expect(sentBy(transport)).toContain(sealed[0]);
    expect(sentBy(transport).split('Think"')).toHaveLength(2);
    for (const [, streaming] of replayStreams(script, script.responses.reasoning.events ?? [])) {
      const streamed = createWireGateway(script, streaming);
      const frames = readFrames(await streamed.post('/api/v1/responses', { ...asked, stream: true }));
      const [text, id] = [await frames.rest(), streamed.store.appended[0]?.record.generation.id];
      expect(text).not.toContain('encrypted_content');
      await streamed.post('/api/v1/responses', { ...asked, stream: true, previous_response_id: id, input: 'Again' });
      if (sealed !== null) expect(sentBy(streaming)).toContain(sealed[0]);
    }
  });
});

const HELLO = { choices: [{ index: 0, message: { content: 'Hello there' }, finish_reason: 'stop' }] };

interface Setting {
  readonly recordingStore?: RecordingStore;
  readonly onRequest?: GatewayOptions['onRequest'];
  readonly logging?: GatewayOptions['logging'];
}

function createCore(setting: Setting = {}): { readonly core: CoreGateway; readonly transport: ScriptedTransport } {
  const transport = replayWhole({ whole: HELLO });
  return { core: createCoreGateway(transport, setting), transport };
}

const HI = { model: 'acme/chat', input: 'Hi' };

test('over an upstream of the same form a first call is sent as it came, unless it is to be stored', async () => {
  const script = wireOf('openai-responses');
  const transport = replayWhole(script.responses.text);
  const core = createWireGateway(script, transport);
  const asked = { model: 'test/model', input: 'Hi', reasoning: { effort: 'low' }, novelty: 1 };
  await respond(core, asked);
  expect(transport.latest().sent).toEqual({ ...asked, model: script.model, store: false });
  await respond(core, { ...asked, store: true });
  const include = ['reasoning.encrypted_content'];
  expect(transport.latest().sent).toEqual({ ...asked, model: script.model, store: false, include });
});

test('another model continues what one has begun', async () => {
  const [claude, gpt] = [wireOf('anthropic'), wireOf('openai')];
  const first = createWireGateway(claude, replayWhole(claude.responses.reasoning));
  const begun = await respond(first, { ...HI, model: 'test/model' });
  const { core, transport } = createCoreOver(first.store, gpt);
  await core.platform.advance(1000);
  const continued = await respond(core, { model: 'acme/chat', input: 'And?', previous_response_id: begun['id'] });
  expect(continued).toMatchObject({ status: 'completed', previous_response_id: begun['id'] });
  const { messages } = transport.latest().sent as unknown as Messages;
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

function createCoreOver(store: RecordingStore, script: WireScript): ReturnType<typeof createCore> {
  const transport = replayWhole(script.responses.text);
  return { core: createCoreGateway(transport, { recordingStore: store }), transport };
}

test('what cannot be continued is refused with the reason', async () => {
  const { core, transport } = createCore();
  const begun = await respond(core, { ...HI, store: false });
  const calls = transport.exchanges.length;
  const refused: readonly (readonly [object, number, string])[] = [
    [{ previous_response_id: 'gen-1-none' }, 400, 'There is no response gen-1-none'],
    [{ previous_response_id: begun['id'] }, 400, 'was made with store: false'],
    [{ previous_response_id: 7 }, 400, 'previous_response_id'],
    [{ previous_response_id: '' }, 400, 'previous_response_id'],
    [{ previous_response_id: begun['id'], input: [{ type: 'function_call' }] }, 400, 'input.0.'],
    [{ conversation: 'conv_1' }, 400, 'previous_response_id'],
    [{ background: true }, 400, 'background'],
  ];
  for (const [body, status, message] of refused) {
    expect(await respond(core, { ...HI, ...body })).toMatchObject({
      error: { code: status, message: expect.stringContaining(message) },
    });
  }
  expect(transport.exchanges).toHaveLength(calls);
});

test('only who may read a response may continue it: its key, and others of the same owner', async () => {
  const { core, transport } = createCore();
  const createKey = async (user: string): Promise<object> => {
    const made = await core.post('/api/v1/keys', { name: 'k', external: { user } }, byKey(MANAGEMENT_KEY));
    return byKey(String(jsonOf(made)['key']));
  };
  const [first, second, stranger] = [await createKey('ann'), await createKey('ann'), await createKey('ben')];
  const begun = await respond(core, HI, first);
  const next = { ...HI, input: 'And?', previous_response_id: begun['id'] };
  expect(await respond(core, next, second)).toMatchObject({ status: 'completed', previous_response_id: begun['id'] });
  const calls = transport.exchanges.length;
  const message = `There is no response ${String(begun['id'])}`;
  expect(await respond(core, next, stranger)).toMatchObject({
    error: { code: 400, message: expect.stringContaining(message) },
  });
  expect(transport.exchanges).toHaveLength(calls);
});

const byKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

test('a response that has failed is found, and not continued', async () => {
  const events = ['data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n', 'data: {"error":{"code":500}}\n\n'];
  const core = createCoreGateway(createReplayTransport({ pieces: events }));
  const failed = await readLast(await core.post('/api/v1/responses', { ...HI, stream: true }));
  expect(failed).toMatchObject({ status: 'failed' });
  expect(jsonOf(await core.get(`/api/v1/responses/${String(failed['id'])}`))).toEqual(failed);
  const next = await respond(core, { ...HI, previous_response_id: failed['id'] });
  expect(next).toMatchObject({ error: { code: 400, message: expect.stringContaining('has failed') } });
});

test('a deleted response is not continued, and what continued it before is', async () => {
  const { core, transport } = createCore();
  const first = await respond(core, { ...HI, input: 'One' });
  const second = await respond(core, { ...HI, input: 'Two', previous_response_id: first['id'] });
  await core.post(`/api/v1/responses/${String(first['id'])}`, undefined, { method: 'DELETE', ...bodyOf() });
  const refused = await respond(core, { ...HI, previous_response_id: first['id'] });
  expect(refused).toMatchObject({
    error: { code: 400, message: expect.stringContaining(`Response ${String(first['id'])} was deleted`) },
  });
  await respond(core, { ...HI, input: 'Three', previous_response_id: second['id'] });
  for (const said of ['One', 'Two', 'Three']) expect(sentBy(transport)).toContain(said);
});

test('what continues without being stored is sent whole, and is not found', async () => {
  const { core, transport } = createCore();
  const first = await respond(core, { ...HI, input: 'One' });
  const second = await respond(core, { ...HI, input: 'Two', previous_response_id: first['id'], store: false });
  expect(second).toMatchObject({ store: false, previous_response_id: first['id'] });
  expect(sentBy(transport)).toContain('One');
  expect((await core.get(`/api/v1/responses/${String(second['id'])}`)).status).toBe(404);
});

test('what a guardrail has redacted stays so in the turns that follow', async () => {
  const { core, transport } = createCore();
  const { headers } = await guardKey(core, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] });
  const first = await respond(core, { ...HI, input: 'I am ann@acme.example' }, { headers });
  await respond(core, { ...HI, previous_response_id: first['id'] }, { headers });
  expect(sentBy(transport)).toContain('I am ');
  expect(sentBy(transport)).not.toContain('ann@acme.example');
});

test('a guardrail reads the turns before, too', async () => {
  const { core } = createCore();
  const { headers, patch } = await guardKey(core, {});
  const first = await respond(core, { ...HI, input: 'I am ann@acme.example' }, { headers });
  await patch({ content_filter_builtins: [{ slug: 'email', action: 'block' }] });
  const next = await respond(core, { ...HI, previous_response_id: first['id'] }, { headers });
  expect(next).toMatchObject({ error: { code: 403 } });
});

test('a request that the host has changed is continued as changed', async () => {
  const { core, transport } = createCore({
    onRequest: (call) =>
      call.kind === 'chat' && JSON.stringify(call.request.messages).includes('Hi')
        ? {
            ...call.request,
            messages: [
              { role: 'system', content: 'Rules' },
              { role: 'user', content: 'Changed' },
            ],
          }
        : undefined,
  });
  const first = await respond(core, HI);
  expect(await respond(core, { ...HI, input: 'And?', previous_response_id: first['id'] })).toMatchObject({
    store: true,
  });
  const { messages } = transport.latest().sent as unknown as Messages;
  expect(messages.map(({ content }) => content)).toEqual(['Changed', 'Hello there', 'And?']);
});

test('a conversation that has become too long to be stored cannot be continued', async () => {
  const { core } = createCore({ logging: { maxContentMb: 0.01 } });
  const first = await respond(core, { ...HI, input: 'x'.repeat(4000) });
  const second = await respond(core, { ...HI, input: 'y'.repeat(8000), previous_response_id: first['id'] });
  const third = await respond(core, { ...HI, previous_response_id: second['id'] });
  expect(third).toMatchObject({ error: { code: 400, message: expect.stringContaining('too long') } });
});

test('a continued call can be sent again by itself', async () => {
  const { core, transport } = createCore();
  const first = await respond(core, { ...HI, input: 'One' });
  const second = await respond(core, { ...HI, input: 'Two', previous_response_id: first['id'] });
  const before = sentBy(transport);
  const headers = { authorization: 'Bearer sk-test-management' };
  const path = `/admin/v1/generations/${String(second['id'])}/resend`;
  expect((await core.post(path, {}, { headers })).status).toBe(200);
  expect(sentBy(transport)).toBe(before);
});

test('a continued call becomes a fixture that needs no other', async () => {
  const { core } = createCore();
  const first = await respond(core, { ...HI, input: 'One' });
  const second = await respond(core, { ...HI, input: 'Two', previous_response_id: first['id'] });
  const { record, content } = core.store.appended[1] ?? {};
  if (record === undefined || !content) throw new Error('Nothing is stored');
  const exchange = toStoredExchange(record.generation, content);
  expect(exchange).toMatchObject({ path: '/responses', status: 200, whole: { output: second['output'] } });
  expect(JSON.stringify(exchange?.body)).toMatch(/One.*Hello there.*Two/);
  expect(exchange?.body).not.toHaveProperty('previous_response_id');
});

describe.each(storeImplementations)('in the store $name', ({ createPlace, isDurable }) => {
  test('a conversation goes on from where it is stored', async () => {
    const place = await createPlace();
    const long = 'A text that is long enough to become a block of its own. '.repeat(200);
    const whole = { choices: [{ index: 0, message: { content: long }, finish_reason: 'stop' }] };
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(whole)] });
    let store = await place.open();
    const ids: unknown[] = [];
    for (const turn of [0, 1, 2, 3]) {
      if (isDurable && turn > 0) {
        await store.close();
        store = await place.open();
      }
      const core = createCoreGateway(transport, { recordingStore: store as RecordingStore });
      // Ids begin with the second.
      await core.platform.advance(1000 * turn);
      const previous_response_id = ids.at(-1) ?? null;
      ids.push((await respond(core, { ...HI, input: `${turn} ${long}`, previous_response_id }))['id']);
    }
    const { messages } = transport.latest().sent as unknown as Messages;
    const turns = [0, 1, 2, 3].flatMap((turn) => [`${turn} ${long}`, long]).slice(0, -1);
    expect(messages).toHaveLength(turns.length);
    expect(messages.map(({ content }) => content === turns.shift())).toEqual(messages.map(() => true));
    await store.close();
    await place.remove?.();
  });
});
