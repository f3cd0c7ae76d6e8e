import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  API_KEY,
  chunksOf,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  parseFrames,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEvent } from '../../../../test/support/upstreams/chunkings.ts';
import {
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { generationSchema } from '../wire/generation.ts';

const piece = (content: string): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
const JSON_TYPE = { 'content-type': 'application/json' };
const CANCELLED = {
  code: 403,
  message: 'The operator of the gateway cancelled this call',
  metadata: { error_type: 'permission_denied', reason: 'cancelled_by_operator' },
};

const admin = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };
const cancel = ({ post }: CoreGateway, id: string) => post(`/admin/v1/generations/${id}/cancel`, {}, admin);

/** Resolves when so many calls have reached upstream; the first has to wait for the code of its route. */
async function reach({ exchanges }: ScriptedTransport, calls = 1): Promise<void> {
  while (exchanges.length < calls) await settle();
}

async function listRunning({ get }: CoreGateway) {
  const response = await get('/admin/v1/generations/running', MANAGEMENT_KEY);
  expect(response.status).toBe(200);
  return jsonOf(response) as unknown as {
    readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
    readonly total_count: number;
    readonly key_names: Readonly<Record<string, string>>;
  };
}

async function idOfOnly(core: CoreGateway): Promise<string> {
  const { data } = await listRunning(core);
  expect(data).toHaveLength(1);
  return data[0]?.id ?? '';
}

test('lists calls under way with model, key, time, tokens and cost so far, those that run longest first', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const streamed = core.chat({ stream: true, session_id: 's-1' });
  await reach(transport);
  await core.platform.advance(2000);
  const whole = core.chat();
  await reach(transport, 2);
  transport.exchanges[0]?.respond();
  transport.exchanges[0]?.push(toEvent(piece('Héllo')));
  await settle();
  await core.platform.advance(500);

  const { data, total_count, key_names } = await listRunning(core);
  expect(total_count).toBe(2);
  const [longest, latest] = data;
  expect(key_names).toEqual({ [String(longest?.['key_hash'])]: 'dev' });
  expect(longest).toMatchObject({
    id: (await streamed).headers['x-generation-id'],
    model: 'acme/chat',
    provider_name: 'Acme',
    api_type: 'completions',
    streamed: true,
    session_id: 's-1',
    state: 'responding',
    attempts: 1,
    elapsed_ms: 2500,
    tokens_prompt: 6,
    tokens_completion: 2,
    cost: 0.00001,
  });
  expect(latest).toMatchObject({ streamed: false, state: 'asked', attempts: 1, elapsed_ms: 500, tokens_completion: 0 });

  for (const { id } of data) expect((await cancel(core, id)).status).toBe(200);
  await whole;
  await settle();
  expect((await listRunning(core)).data).toEqual([]);
});

test('cancels a stream that waits for its first token: a proper error, upstream closed, one record', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat({ stream: true });
  await reach(transport);
  const response = await cancel(core, await idOfOnly(core));
  expect(response.status).toBe(200);
  expect(jsonOf(response)).toEqual({ cancelled: true });
  const refused = await pending;
  expect([refused.status, jsonOf(refused)]).toMatchObject([403, { error: CANCELLED }]);
  expect(transport.exchanges).toHaveLength(1);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(core.gateway.stats()).toEqual({ openCalls: 0, openStreams: 0 });
  expect(core.store.appended).toHaveLength(1);
  const { record, content } = core.store.appended[0] ?? {};
  expect(record?.generation).toMatchObject({ cancelled: true, cancelled_by: 'operator', finish_reason: null });
  expect(generationSchema.safeParse(record?.generation).error).toBeUndefined();
  expect(content?.error).toMatchObject({ status: 403, message: CANCELLED.message });
  expect(core.logged.map(({ line }) => line)).toEqual(['info a call was cancelled by the operator']);
});

test('cancels a stream whose client has got signs of life alone with an error within the stream', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = core.chat({ stream: true });
  await core.platform.advance(1000);
  const frames = readFrames(await pending);
  expect(await frames.next()).toContain(': ');
  await cancel(core, await idOfOnly(core));
  expect(chunksOf(await frames.rest())).toMatchObject([{ error: CANCELLED, choices: [{ finish_reason: 'error' }] }]);
});

test.each(chunkings([toEvent(piece('Hé')), toEvent(piece('llo'))]))(
  'cancels in the middle of a stream: what came, the error within the stream, the end, and the cost so far (%s)',
  async (_name, pieces) => {
    const transport = createScriptedTransport();
    const core = createCoreGateway(transport);
    const pending = core.chat({ stream: true });
    await reach(transport);
    transport.exchanges[0]?.respond();
    for (const bytes of pieces) transport.exchanges[0]?.push(bytes);
    const frames = readFrames(await pending);
    let seen = '';
    while (!seen.includes('llo')) seen += await frames.next();
    const rest = frames.rest();
    await settle();
    expect((await cancel(core, await idOfOnly(core))).status).toBe(200);
    const text = seen + (await rest);
    const chunks = chunksOf(text);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Héllo');
    expect(chunks.at(-1)).toMatchObject({ error: CANCELLED, choices: [{ finish_reason: 'error' }] });
    expect(parseFrames(text).at(-1)).toBe('done');
    expect(transport.exchanges[0]?.isClosed).toBe(true);
    expect(core.store.appended).toHaveLength(1);
    const { record, content } = core.store.appended[0] ?? {};
    expect(record?.generation).toMatchObject({ cancelled: true, cancelled_by: 'operator', usage_estimated: true });
    expect(content?.output.completion).toBe('Héllo');
    expect(record?.costNanoUsd).toBe(6 * 1000 + 2 * 2000);
  },
);

test('cancels a stream for a host that signals its clients alone', async () => {
  const transport = createScriptedTransport((exchange) => (exchange.respond(), exchange.push(toEvent(piece('Hi')))));
  const core = createCoreGateway(transport);
  const client = new AbortController();
  const abort = (reason: Error): void => client.abort(reason);
  const frames = readFrames(await core.chat({ stream: true }, { signal: client.signal, abort }));
  await frames.next();
  await cancel(core, await idOfOnly(core));
  expect(chunksOf(await frames.rest()).at(-1)).toMatchObject({ error: CANCELLED });
});

test.each<[string, (exchange: ReturnType<typeof createScriptedTransport>['exchanges'][number] | undefined) => void]>([
  ['before the response', () => undefined],
  ['in the middle of the response', (exchange) => (exchange?.respond(200, JSON_TYPE), exchange?.push('{"choices"'))],
])('cancels a whole response %s with 403', async (_name, respond) => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat();
  await reach(transport);
  respond(transport.exchanges[0]);
  await settle();
  await cancel(core, await idOfOnly(core));
  const response = await pending;
  expect([response.status, jsonOf(response)]).toMatchObject([403, { error: CANCELLED }]);
  expect(transport.exchanges).toHaveLength(1);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(core.store.appended.map(({ record }) => record.generation)).toMatchObject([
    { cancelled: true, cancelled_by: 'operator', provider_name: 'Acme' },
  ]);
});

test('cancels an unstreamed call of another kind with 403', async () => {
  const transport = createScriptedTransport();
  const models = [
    {
      id: 'acme/embed',
      architecture: { output_modalities: ['embeddings'] },
      endpoints: [{ provider: 'acme', providerModel: 'embed' }],
    },
  ];
  const core = createCoreGateway(transport, { models });
  const pending = core.post('/api/v1/embeddings', { model: 'acme/embed', input: 'Hello' });
  await reach(transport);
  const { data } = await listRunning(core);
  expect(data).toMatchObject([{ model: 'acme/embed', provider_name: 'Acme', api_type: 'embeddings', state: 'asked' }]);
  await cancel(core, data[0]?.id ?? '');
  const response = await pending;
  expect([response.status, jsonOf(response)]).toMatchObject([403, { error: CANCELLED }]);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(core.store.appended.map(({ record }) => record.generation.cancelled)).toEqual([true]);
});

test('asks no further endpoint when a call is cancelled between two of them', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat({ stream: true });
  await reach(transport);
  const id = await idOfOnly(core);
  transport.exchanges[0]?.respond(503);
  const cancelling = cancel(core, id);
  transport.exchanges[0]?.end();
  expect((await cancelling).status).toBe(200);
  expect((await pending).status).toBe(403);
  expect(transport.exchanges).toHaveLength(1);
  expect(core.store.appended).toHaveLength(1);
});

test('cancels a call that went on to a second endpoint because the first limited its rate', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat();
  await reach(transport);
  transport.exchanges[0]?.respond(429, { ...JSON_TYPE, 'retry-after': '30' });
  transport.exchanges[0]?.end();
  await reach(transport, 2);
  const { data } = await listRunning(core);
  expect(data).toMatchObject([{ provider_name: 'Beta', attempts: 2, state: 'asked' }]);
  await cancel(core, data[0]?.id ?? '');
  expect((await pending).status).toBe(403);
  expect(transport.exchanges[1]?.isClosed).toBe(true);
  expect(core.store.appended.map(({ record }) => record.generation)).toMatchObject([
    { cancelled: true, cancelled_by: 'operator', provider_responses: [{ status: 429 }, { status: null }] },
  ]);
});

test('does not count a cancelled call against the health of its endpoint', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  for (let index = 0; index < 10; index += 1) {
    const pending = core.chat();
    await reach(transport, index + 1);
    await cancel(core, await idOfOnly(core));
    await pending;
  }
  expect(transport.exchanges.map(({ request }) => new URL(request.url).host)).toEqual(
    Array.from({ length: 10 }, () => 'acme.example'),
  );
});

test('settles the reservation of a cancelled call, so that the next one finds the budget free', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const made = await core.post('/api/v1/keys', { name: 'small', limit: 0.002 }, admin);
  const { key } = jsonOf(made) as unknown as { readonly key: string };
  const own = { headers: { authorization: `Bearer ${key}` } };
  const first = core.chat({ max_tokens: 200 }, own);
  await reach(transport);
  // The worst case of the first holds most of the limit.
  expect((await core.chat({ max_tokens: 200 }, own)).status).toBe(402);
  await cancel(core, await idOfOnly(core));
  expect((await first).status).toBe(403);
  const second = core.chat({ max_tokens: 200 }, own);
  await reach(transport, 2);
  expect((await listRunning(core)).data).toHaveLength(1);
  await cancel(core, await idOfOnly(core));
  await second;
});

test('says of a call that has ended, or is being ended, that there is nothing to cancel', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat();
  await reach(transport);
  const id = await idOfOnly(core);
  const [one, other] = await Promise.all([cancel(core, id), cancel(core, id)]);
  expect([one.status, other.status]).toEqual([200, 409]);
  await pending;
  const after = await cancel(core, id);
  expect([after.status, jsonOf(after)]).toMatchObject([
    409,
    { error: { message: `Generation ${id} has ended, so there is nothing to cancel` } },
  ]);
  expect(core.store.appended).toHaveLength(1);
});

test('does not cancel a call that has ended and is being recorded', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond(200, JSON_TYPE);
    exchange.push(JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }));
    exchange.end();
  });
  const core = createCoreGateway(transport);
  const append = core.store.generations.append.bind(core.store.generations);
  let cancelling: Promise<number> | undefined;
  core.store.generations.append = async (record, content) => {
    cancelling = cancel(core, record.generation.id).then(({ status }) => status);
    await cancelling;
    return append(record, content);
  };
  expect((await core.chat()).status).toBe(200);
  expect(await cancelling).toBe(409);
  expect(core.store.appended.map(({ record }) => record.generation.cancelled)).toEqual([false]);
});

test('knows no call of an id that nobody has', async () => {
  const core = createCoreGateway(createScriptedTransport());
  const response = await cancel(core, 'gen-unknown');
  expect([response.status, jsonOf(response)]).toMatchObject([
    404,
    { error: { message: 'There is no generation gen-unknown' } },
  ]);
});

test('lets management alone see and cancel calls', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport);
  const pending = core.chat();
  await reach(transport);
  const id = await idOfOnly(core);
  expect((await core.get('/admin/v1/generations/running', API_KEY)).status).toBe(403);
  expect((await core.post(`/admin/v1/generations/${id}/cancel`, {})).status).toBe(403);
  expect(core.gateway.stats().openCalls).toBe(1);
  await cancel(core, id);
  await pending;
});
