import type { GatewayOptions } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { readEvents } from '../../support/chat-formats/chat-format.ts';
import { createWireGateway, replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
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
import { createScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import type { ResponseCase, WireScript } from '../../support/wires/wire-script.ts';

type Json = Readonly<Record<string, unknown>>;

const LONG = 'A text that is long enough to become a block of its own. '.repeat(200);
const ENDPOINT = { provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0', completion: '0' } };
const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } };
const CASES: readonly ResponseCase[] = ['text', 'tools', 'reasoning', 'length'];
const ASKED = {
  model: 'test/model',
  input: 'Weather?',
  instructions: 'Be brief',
  tools: [TOOL],
  metadata: { a: 'b' },
  temperature: 0.5,
};

const get = async (core: CoreGateway, id: unknown, query = ''): Promise<Json> =>
  jsonOf(await core.get(`/api/v1/responses/${String(id)}${query}`));

/** The last response of a stream. */
async function readLast(response: Parameters<typeof readEvents>[0]): Promise<Json> {
  const datas = (await readEvents(response)).map(({ data }) => data).filter((data) => data !== '[DONE]');
  return (JSON.parse(datas.at(-1) ?? '') as { response: Json }).response;
}

describe.each(scripts.filter(([wire]) => wire !== 'google'))('over the wire %s', (_, script: WireScript) => {
  test.each(CASES)('%s: a response is found again as it was sent', async (kind) => {
    const core = createWireGateway(script, replayWhole(script.responses[kind]));
    const sent = jsonOf(await core.post('/api/v1/responses', ASKED));
    expect(sent).toMatchObject({ store: true, previous_response_id: null });
    expect(await get(core, sent['id'])).toEqual(sent);
  });

  test.each(CASES)('%s: a streamed one is, too, in any chunking', async (kind) => {
    for (const [chunking, transport] of replayStreams(script, script.responses[kind].events ?? [])) {
      const core = createWireGateway(script, transport);
      const sent = await readLast(await core.post('/api/v1/responses', { ...ASKED, stream: true }));
      expect({ chunking, response: await get(core, sent['id']) }).toEqual({ chunking, response: sent });
    }
  });
});

interface Setting {
  readonly recordingStore?: RecordingStore;
  readonly logging?: GatewayOptions['logging'];
  readonly regions?: GatewayOptions['regions'];
}

const HELLO = { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] };

const createCore = (setting: Setting = {}): CoreGateway => createCoreGateway(replayWhole({ whole: HELLO }), setting);

const respond = async (core: CoreGateway, body: object = {}, request: object = {}): Promise<Json> =>
  jsonOf(await core.post('/api/v1/responses', { model: 'acme/chat', input: 'Hi', ...body }, request));

const byKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

async function createKey(core: CoreGateway, user?: string): Promise<string> {
  const made = { name: 'k', ...(user !== undefined && { external: { user } }) };
  return jsonOf(await core.post('/api/v1/keys', made, byKey(MANAGEMENT_KEY)))['key'] as string;
}

const OPERATIONS = [
  ['GET', ''],
  ['GET', '/input_items'],
  ['DELETE', ''],
  ['POST', '/cancel'],
] as const;

/** The status and the reason of every operation on a response. */
async function tryAll(core: CoreGateway, id: unknown, request: object = {}): Promise<readonly (readonly unknown[])[]> {
  const tried = OPERATIONS.map(async ([method, end]) => {
    const path = `/api/v1/responses/${String(id)}${end}`;
    const response = await core.post(path, undefined, { method, ...bodyOf(), ...request });
    return [response.status, (jsonOf(response)['error'] as Json | undefined)?.['message']] as const;
  });
  return Promise.all(tried);
}

test('for those who may not read its generation a response does not exist', async () => {
  const core = createCore();
  const [owner, other] = [await createKey(core, 'ann'), await createKey(core, 'ben')];
  const { id } = await respond(core, {}, byKey(owner));
  const missing = (name: unknown) => OPERATIONS.map(() => [404, `There is no response ${String(name)}`]);
  expect(await tryAll(core, id, byKey(other))).toEqual(missing(id));
  expect(await tryAll(core, 'gen-1-none', byKey(other))).toEqual(missing('gen-1-none'));
  const own = await tryAll(core, id, byKey(owner));
  expect(own.map(([status]) => status)).toEqual([200, 200, 200, 400]);
});

test('a response that was not to be stored is not found, and says so', async () => {
  const core = createCore();
  const { id, store } = await respond(core, { store: false });
  expect(store).toBe(false);
  expect((await tryAll(core, id))[0]).toEqual([404, `Response ${String(id)} was made with store: false`]);
  // What the account stores of calls is another matter.
  expect((await core.get(`/api/v1/generation/content?id=${String(id)}`)).status).toBe(200);
});

test('where contents are not stored no response is, and a wish for it is refused by the setting', async () => {
  const settings: readonly (readonly [Setting, object, string])[] = [
    [{ logging: { inputOutput: false } }, {}, 'logging.inputOutput'],
    [{ regions: [{ name: 'eu', hosts: ['eu.example'] }] }, { baseUrl: 'https://eu.example' }, 'region'],
  ];
  for (const [setting, request, reason] of settings) {
    const script = { ...setting, models: [{ id: 'acme/chat', endpoints: [{ ...ENDPOINT, region: 'eu' }] }] };
    const core = createCore(script);
    const { id, store } = await respond(core, {}, request);
    expect(store).toBe(false);
    expect(String((await tryAll(core, id))[0]?.[1])).toContain('is not stored');
    const refused = await respond(core, { store: true }, request);
    expect(refused).toMatchObject({ error: { code: 400, message: expect.stringContaining(reason) } });
  }
});

test('store: true is refused as in the public API, and taken where the configuration says so', async () => {
  const refused = await respond(createCore({ logging: { acceptStore: false } }), { store: true });
  expect(refused).toMatchObject({
    error: {
      code: 400,
      message: expect.stringContaining('logging.acceptStore'),
      metadata: { issues: [{ path: 'store' }] },
    },
  });
  expect(await respond(createCore(), { store: true })).toMatchObject({ store: true });
});

test('a response whose client has left is found as cancelled', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(200, { 'content-type': 'text/event-stream' });
    exchange.push('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
  });
  const core = createCoreGateway(transport);
  const frames = readFrames(await core.post('/api/v1/responses', { model: 'acme/chat', input: 'Hi', stream: true }));
  const [, id] = /"id":"(gen-[^"]+)"/.exec((await frames.next()) ?? '') ?? [];
  await frames.leave();
  await core.platform.advance(0);
  expect(await get(core, id)).toMatchObject({ id, status: 'cancelled', output: [], error: null });
});

test('what a guardrail redacts of a completion is stored as redacted', async () => {
  const whole = {
    choices: [{ index: 0, message: { content: `Ask ann@acme.example. ${LONG}` }, finish_reason: 'stop' }],
  };
  const core = createCoreGateway(replayWhole({ whole }));
  const { headers } = await guardKey(core, {
    content_filter_builtins: [{ slug: 'email', action: 'redact', direction: 'both' }],
  });
  const sent = await respond(core, {}, { headers });
  const found = jsonOf(
    await core.post(`/api/v1/responses/${String(sent['id'])}`, undefined, { method: 'GET', ...bodyOf(), headers }),
  );
  expect(found).toEqual(sent);
  expect(JSON.stringify(found)).not.toContain('ann@acme.example');
});

test('reasoning is shown in a form that can be sent back to those who ask for it', async () => {
  for (const [wire, script] of scripts) {
    const core = createWireGateway(script, replayWhole(script.responses.reasoning));
    const { id } = await respond(core, { model: 'test/model', store: true, reasoning: { effort: 'low' } });
    for (const [query, isShown] of [
      ['', false],
      ['?include[]=reasoning.encrypted_content', true],
      ['?include=reasoning.encrypted_content', true],
    ] as const) {
      const hasSeal = JSON.stringify(await get(core, id, query)).includes('"encrypted_content":"');
      // What is only a text needs no more than that.
      if (wire !== 'openai') expect([wire, query, hasSeal]).toEqual([wire, query, isShown]);
    }
  }
});

test('what upstream sends beside texts counts for the limit of a content', async () => {
  const script = scripts.find(([wire]) => wire === 'openai-responses')?.[1];
  if (script === undefined) throw new Error('There is no such wire');
  const picture = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'A'.repeat(20_000) };
  const whole = { ...script.responses.text.whole, output: [picture, ...outputOf(script)] };
  for (const [maxContentMb, status] of [
    [0.01, 404],
    [1, 200],
  ] as const) {
    const core = createCoreGateway([script.createProvider(replayWhole({ whole }))], {
      models: [{ id: 'acme/chat', endpoints: [{ ...ENDPOINT, provider: 'up', providerModel: script.model }] }],
      logging: { maxContentMb },
    });
    const { id } = await respond(core);
    expect((await core.get(`/api/v1/responses/${String(id)}`)).status).toBe(status);
  }
});

const outputOf = ({ responses }: WireScript): readonly object[] =>
  (responses.text.whole as { readonly output: readonly object[] }).output;

test('when the content of its generation is deleted, a response is, too', async () => {
  const core = createCore();
  const { id } = await respond(core);
  const path = `/admin/v1/generations/${String(id)}`;
  await core.post(path, undefined, { method: 'DELETE', ...bodyOf(), ...byKey(MANAGEMENT_KEY) });
  expect((await tryAll(core, id))[0]).toEqual([404, expect.stringContaining('was deleted, or was too long')]);
});

test('a generation of another format is no response', async () => {
  const core = createCore();
  const { headers } = await core.chat();
  const id = headers['x-generation-id'];
  expect((await tryAll(core, id))[0]).toEqual([404, `Generation ${id} is no response: it was made in another format`]);
});

test('a deleted response is not found any more, and its generation stays', async () => {
  const core = createCore();
  const { id } = await respond(core);
  const deleted = await core.post(`/api/v1/responses/${String(id)}`, undefined, { method: 'DELETE', ...bodyOf() });
  expect(jsonOf(deleted)).toEqual({ id, object: 'response', deleted: true });
  expect((await tryAll(core, id))[0]).toEqual([404, `Response ${String(id)} was deleted`]);
  expect((await core.get(`/api/v1/generation/content?id=${String(id)}`)).status).toBe(200);
});

test('nothing can be cancelled, as nothing runs in the background', async () => {
  const core = createCore();
  const { id } = await respond(core);
  const [, , , cancelled] = await tryAll(core, id);
  expect(cancelled).toEqual([400, expect.stringContaining('close the connection to end a response')]);
});

test('the items of an input are listed page by page, the last one first', async () => {
  const core = createCore();
  const input = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Two' },
    { role: 'user', content: [{ type: 'input_text', text: 'Three' }] },
  ];
  const { id, output } = await respond(core, { input });
  const path = `/api/v1/responses/${String(id)}/input_items`;
  const listed = jsonOf(await core.get(path))['data'] as readonly { readonly id: string }[];
  const ids = [...listed, ...(output as typeof listed)].map((item) => item.id);
  expect(new Set(ids).size).toBe(4);
  const first = jsonOf(await core.get(`${path}?limit=2`));
  expect(first).toMatchObject({
    object: 'list',
    data: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Three' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two' }] },
    ],
    has_more: true,
  });
  const rest = jsonOf(await core.get(`${path}?limit=2&after=${String(first['last_id'])}`));
  expect(rest).toMatchObject({ data: [{ content: [{ type: 'input_text', text: 'One' }] }], has_more: false });
  expect((await core.get(`${path}?after=none`)).status).toBe(400);
  expect((await core.get(`/api/v1/responses/${String(id)}?stream=true`)).status).toBe(400);
});

describe.each(storeImplementations)('in the store $name', ({ createPlace, isDurable }) => {
  test('a response is found, continued and deleted', async () => {
    const place = await createPlace();
    const long = { whole: { choices: [{ index: 0, message: { content: LONG }, finish_reason: 'stop' }] } };
    const transport = replayWhole(long);
    let store = await place.open();
    const open = () => createCoreGateway(transport, { recordingStore: store as RecordingStore });
    const sent = await respond(open(), { input: LONG });
    if (isDurable) {
      await store.close();
      store = await place.open();
    }
    const core = open();
    expect(await get(core, sent['id'])).toEqual(sent);
    await core.post(`/api/v1/responses/${String(sent['id'])}`, undefined, { method: 'DELETE', ...bodyOf() });
    expect((await tryAll(core, sent['id']))[0]?.[0]).toBe(404);
    await store.close();
    await place.remove?.();
  });
});
