import type { ChatChunk } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { settle } from '../support/async/virtual-platform.ts';
import { chatCompletionsFormat } from '../support/chat-formats/chat-completions.ts';
import { addressOf, type ChatFormat } from '../support/chat-formats/chat-format.ts';
import { completionsFormat } from '../support/chat-formats/completions.ts';
import { geminiFormat } from '../support/chat-formats/gemini.ts';
import { messagesFormat } from '../support/chat-formats/messages.ts';
import { ollamaFormat } from '../support/chat-formats/ollama.ts';
import { responsesFormat } from '../support/chat-formats/responses.ts';
import { scripts } from '../support/gateways/ask-wire.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import { chunkings, toEvent, toEventPieces } from '../support/upstreams/chunkings.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from '../support/upstreams/scripted-transport.ts';

const formats: readonly (readonly [string, ChatFormat])[] = [
  chatCompletionsFormat,
  messagesFormat,
  responsesFormat,
  completionsFormat,
  ollamaFormat,
  geminiFormat,
].map((format) => [format.name, format] as const);

const TEXT = 'Paris lies on the Seine.  Write to mail@example.com, and ask for the way to the old bridge. Bye.';

type Piece = string | Uint8Array;
type Cut = (pieces: readonly string[]) => readonly Piece[];
const CUTS: readonly (readonly [string, Cut])[] = chunkings([]).map(([name], index) => [
  name,
  (pieces) => chunkings(pieces)[index]?.[1] ?? [],
]);

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta, finish_reason }],
});
/** Text in pieces of a few characters, as tokens come. */
const textPieces = (text: string): object[] => (text.match(/[^]{1,4}/g) ?? []).map((content) => chunk({ content }));
const usage = (prompt: number, completion: number): object => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});

interface Script {
  /** The text of Acme before it breaks off. */
  readonly sent: string;
  /** Chunks before the text. */
  readonly before?: readonly object[];
  /** How it breaks off. */
  readonly end?: (exchange: ScriptedExchange) => void;
  /** What Beta says; default: the rest of the text. */
  readonly rest?: (prefill: string) => string;
  /** In place of Beta's completion. */
  readonly onBeta?: (exchange: ScriptedExchange) => void;
  readonly cut?: Cut;
}

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [field: string]: unknown;
}

const sentOf = ({ sent }: ScriptedExchange): Sent => sent as unknown as Sent;
const lastOf = (exchange: ScriptedExchange): Sent['messages'][number] =>
  sentOf(exchange).messages.at(-1) ?? { role: '', content: '' };
const breakOff = (exchange: ScriptedExchange): void => exchange.fail(connectionReset());

/** Acme sends a part of the text and breaks off; Beta sends what follows the text that it is given. */
function createBrokenUpstream({
  sent,
  before = [],
  end = breakOff,
  rest = (prefill) => TEXT.slice(prefill.length),
  onBeta,
  cut = (pieces) => pieces,
}: Script): ScriptedTransport {
  return createScriptedTransport((exchange) => {
    if (new URL(exchange.request.url).host === 'acme.example') {
      exchange.respond();
      for (const piece of cut([...before, ...textPieces(sent)].map(toEvent))) exchange.push(piece);
      end(exchange);
      return;
    }
    if (onBeta !== undefined) return onBeta(exchange);
    const { role, content } = lastOf(exchange);
    exchange.respond();
    const events = [...textPieces(rest(role === 'assistant' ? content : '')), chunk({}, 'stop'), usage(30, 7)];
    for (const piece of cut(toEventPieces(events))) exchange.push(piece);
    exchange.end();
  });
}

const PRICES = {
  acme: { prompt: '0.000001', completion: '0.000002' },
  beta: { prompt: '0.000003', completion: '0.000006' },
};

function openGateway(
  upstream: ScriptedTransport,
  options: Parameters<typeof createCoreGateway>[1] = {},
  prefill: 'continues' | 'prefix' | 'continue_final_message' | false = 'continues',
): CoreGateway {
  return createCoreGateway(upstream, {
    models: [
      {
        id: 'acme/chat',
        endpoints: [
          { provider: 'acme', providerModel: 'chat-1', pricing: PRICES.acme },
          { provider: 'beta', providerModel: 'chat-b', pricing: PRICES.beta, prefill },
        ],
      },
    ],
    account: { routing: { continueBrokenStreams: true } },
    logging: { inputOutput: true },
    ...options,
  });
}

const HELLO = [{ role: 'user', content: 'Hello' }];
const ask = (core: CoreGateway, format: ChatFormat, more: object = {}, key = API_KEY) => {
  const chat = { model: 'acme/chat', messages: HELLO, provider: { sort: 'price' }, stream: true, ...more };
  const headers = { authorization: `Bearer ${key}` };
  return core.post(addressOf(format, chat), format.toBody(chat), { headers });
};

const hosts = ({ exchanges }: ScriptedTransport): string[] =>
  exchanges.map(({ request: { url } }) => new URL(url).host.replace('.example', ''));
const cells = formats.flatMap(([, format]) => CUTS.map(([name, cut]) => [format.name, name, format, cut] as const));

describe.each(cells)('/%s, upstream %s', (_format, _chunking, format, cut) => {
  test.each([
    ['after its first token', 'Pari'],
    ['in the middle of a word', 'Paris lies on the Se'],
    ['at white space', 'Paris lies on the Seine.  '],
    ['in the middle of an address', 'Paris lies on the Seine.  Write to mail@exam'],
  ])('a stream that breaks off %s goes on at the other endpoint', async (_where, sent) => {
    const upstream = createBrokenUpstream({ sent, cut });
    const { content, finish, usage: counted } = await format.read(await ask(openGateway(upstream), format));
    expect({ content, finish }).toEqual({ content: TEXT, finish: 'stop' });
    expect(hosts(upstream)).toEqual(['acme', 'beta']);
    expect(lastOf(upstream.latest())).toEqual({ role: 'assistant', content: sent.trimEnd() });
    // Acme's part is estimated, because it has not come to its usage.
    expect(counted.prompt).toBeGreaterThan(30);
    expect(counted.completion).toBeGreaterThan(7);
  });

  test('what the other endpoint repeats does not come twice', async () => {
    const sent = TEXT.slice(0, 60);
    for (const rest of [(prefill: string) => TEXT.slice(prefill.length - 30), () => TEXT]) {
      const upstream = createBrokenUpstream({ sent, cut, rest });
      expect((await format.read(await ask(openGateway(upstream), format))).content).toBe(TEXT);
    }
  });

  test('a filter of completions redacts what stands on both sides of the break', async () => {
    const core = openGateway(createBrokenUpstream({ sent: 'Paris lies on the Seine.  Write to mail@exam', cut }));
    const { key } = await guardKey(core, {
      content_filter_builtins: [{ slug: 'email', action: 'redact', direction: 'both' }],
    });
    const { content } = await format.read(await ask(core, format, {}, key));
    expect(content).toBe(TEXT.replace('mail@example.com', '[EMAIL]'));
  });

  test('without the wish for it, the stream ends with the error', async () => {
    const upstream = createBrokenUpstream({ sent: 'Paris', cut });
    for (const [options, more] of [
      [{ account: {} }, {}],
      [{}, { provider: { sort: 'price', continue_broken_streams: false } }],
    ] as const) {
      const { text, message } = await format.readError(await ask(openGateway(upstream, options), format, more));
      expect([text, message]).toEqual(['Paris', 'Acme: the connection was reset']);
    }
    expect(hosts(upstream)).toEqual(['acme', 'acme']);
  });

  test('an endpoint that refuses to continue leaves the error of the first', async () => {
    const upstream = createBrokenUpstream({
      sent: 'Paris',
      cut,
      onBeta(exchange) {
        exchange.respond(400, { 'content-type': 'application/json' });
        exchange.push(JSON.stringify({ error: { message: 'the conversation must end with a user message' } }));
        exchange.end();
      },
    });
    const { text, message } = await format.readError(await ask(openGateway(upstream), format));
    expect([text, message]).toEqual(['Paris', 'Acme: the connection was reset']);
    expect(hosts(upstream)).toEqual(['acme', 'beta']);
  });
});

const chat = chatCompletionsFormat;

test('a text that breaks off anywhere is the text that does not', async () => {
  const texts = fc.oneof(
    fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    fc.constantFrom(TEXT, 'one\n\n  two\tthree\n', '#'.repeat(90)),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), fc.constantFrom(...CUTS.map(([, cut]) => cut)), async (text, place, cut) => {
      // A half of a pair is no text that could be sent.
      const characters = Array.from(text);
      const sent = characters.slice(0, place % (characters.length + 1)).join('');
      const before = [chunk({ role: 'assistant', content: '' })];
      const upstream = createBrokenUpstream({ sent, before, cut, rest: (prefill) => text.slice(prefill.length) });
      expect((await chat.read(await ask(openGateway(upstream), chat))).content).toBe(text);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['an error among the events', (exchange: ScriptedExchange) => exchange.push(toEvent({ error: { code: 503 } }))],
  ['no end', (exchange: ScriptedExchange) => exchange.end()],
  [
    'the finish reason error',
    (exchange: ScriptedExchange) => {
      for (const piece of [chunk({ content: ' ' }, 'error'), usage(11, 3)]) exchange.push(toEvent(piece));
      exchange.end();
    },
  ],
])('a stream that ends with %s goes on, too', async (_how, end) => {
  const upstream = createBrokenUpstream({ sent: 'Paris', end });
  expect((await chat.read(await ask(openGateway(upstream), chat))).content).toBe(TEXT);
});

test('what Acme has counted is believed, and usage and cost are the sum', async () => {
  const end = (exchange: ScriptedExchange): void => {
    for (const piece of [chunk({}, 'error'), usage(11, 3)]) exchange.push(toEvent(piece));
    exchange.end();
  };
  const upstream = createBrokenUpstream({ sent: 'Paris lies', end });
  const core = openGateway(upstream);
  const read = await chat.read(await ask(core, chat));
  const cost = 11e-6 + 3 * 2e-6 + 30 * 3e-6 + 7 * 6e-6;
  expect(read.usage).toMatchObject({ prompt: 41, completion: 10 });
  expect(read.usage.cost).toBeCloseTo(cost, 12);
  const { record, content } = core.store.appended[0] ?? {};
  expect(record).toMatchObject({
    costNanoUsd: Math.round(cost * 1e9),
    generation: {
      provider_name: 'Beta',
      finish_reason: 'stop',
      tokens_prompt: 41,
      tokens_completion: 10,
      provider_responses: [
        { provider_name: 'Acme', status: 200, broke_off_after: 10, error: { code: 502 } },
        { provider_name: 'Beta', status: 200 },
      ],
    },
  });
  expect(content).toMatchObject({ output: { completion: TEXT }, error: null });
  expect(core.store.appended).toHaveLength(1);
});

test('the routing metadata and the metrics show where the stream went on', async () => {
  const core = openGateway(createBrokenUpstream({ sent: 'Paris lies' }));
  const request = chat.toBody({ model: 'acme/chat', messages: HELLO, provider: { sort: 'price' }, stream: true });
  const headers = { authorization: `Bearer ${API_KEY}`, 'x-service-experimental-metadata': 'enabled' };
  const text = await readFrames(await core.post(chat.path, request, { headers })).rest();
  const [, found = ''] = /"attempts":(\[.*?\])/.exec(text) ?? [];
  expect(JSON.parse(found)).toEqual([
    { provider: 'Acme', model: 'acme/chat', status: 200, broke_off_after: 10 },
    { provider: 'Beta', model: 'acme/chat', status: 200 },
  ]);
  const { body: metrics } = await core.get('/metrics', MANAGEMENT_KEY);
  expect(metrics).toMatch(/continued_streams_total\{[^}]*provider="Acme"[^}]*\} 1/);
  expect(metrics).not.toMatch(/continued_streams_total\{[^}]*provider="Beta"[^}]*\} [^0]/);
});

test('explain shows which endpoints can continue a stream', async () => {
  const core = openGateway(createBrokenUpstream({ sent: '' }));
  const response = await core.post(
    '/admin/v1/explain',
    { model: 'acme/chat', messages: HELLO },
    { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } },
  );
  const { endpoints } = (jsonOf(response)['data'] ?? jsonOf(response)) as {
    endpoints: { provider: string; takes_prefill: boolean }[];
  };
  expect(Object.fromEntries(endpoints.map(({ provider, takes_prefill }) => [provider, takes_prefill]))).toEqual({
    acme: false,
    beta: true,
  });
});

test('the rest gets what the limits of the request leave, and no reasoning', async () => {
  const before = [chunk({ reasoning: 'They want to know where Paris lies.' })];
  const upstream = createBrokenUpstream({ sent: 'Paris lies on the Seine.', before });
  const core = openGateway(upstream);
  await chat.read(await ask(core, chat, { max_tokens: 100, reasoning: { effort: 'high' }, temperature: 0.5 }));
  const { messages, max_tokens, ...others } = sentOf(upstream.latest());
  expect(max_tokens).toBeLessThan(90);
  expect(max_tokens).toBeGreaterThan(70);
  expect(others).toMatchObject({ temperature: 0.5, stream: true });
  expect(others).not.toHaveProperty('reasoning_effort');
  expect(messages).toEqual([...HELLO, { role: 'assistant', content: 'Paris lies on the Seine.' }]);
});

test('a beginning that the caller gave itself stays the beginning', async () => {
  const upstream = createBrokenUpstream({ sent: 'lies on', rest: () => ' the Seine.' });
  const messages = [...HELLO, { role: 'assistant', content: 'Paris ' }];
  const { content } = await chat.read(await ask(openGateway(upstream), chat, { messages }));
  expect(content).toBe('lies on the Seine.');
  expect(sentOf(upstream.latest()).messages).toEqual([...HELLO, { role: 'assistant', content: 'Paris lies on' }]);
});

test.each([
  ['prefix', { messages: [...HELLO, { role: 'assistant', content: 'Paris', prefix: true }] }],
  ['continue_final_message', { continue_final_message: true, add_generation_prompt: false }],
] as const)('an endpoint with %s is asked in its own form', async (form, sent) => {
  const upstream = createBrokenUpstream({ sent: 'Paris' });
  expect((await chat.read(await ask(openGateway(upstream, {}, form), chat))).content).toBe(TEXT);
  expect(upstream.latest().sent).toMatchObject(sent);
  // The first call says nothing of the kind.
  expect(upstream.exchanges[0]?.sent).not.toHaveProperty('continue_final_message');
});

test('an endpoint that repeats the beginning that it was given repeats nothing to the caller', async () => {
  const upstream = createBrokenUpstream({ sent: 'Paris', rest: () => TEXT });
  expect((await chat.read(await ask(openGateway(upstream, {}, 'prefix'), chat))).content).toBe(TEXT);
});

test('nor does it repeat a beginning that the caller gave itself', async () => {
  const upstream = createBrokenUpstream({ sent: ' lies on', rest: () => 'Paris lies on the Seine.' });
  const messages = [...HELLO, { role: 'assistant', content: 'Paris' }];
  const { content } = await chat.read(await ask(openGateway(upstream, {}, 'prefix'), chat, { messages }));
  expect(content).toBe(' lies on the Seine.');
});

const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{' } };

test.each<[string, Partial<Script>, object]>([
  [
    'a tool is being called',
    { end: (exchange) => (exchange.push(toEvent(chunk({ tool_calls: [call] }))), breakOff(exchange)) },
    {},
  ],
  ['there is reasoning, and no text yet', { sent: '', before: [chunk({ reasoning: 'Hm' })] }, {}],
  ['a form is asked for', {}, { response_format: { type: 'json_object' } }],
  ['a tool must be called', {}, { tool_choice: 'required', tools: [{ type: 'function', function: { name: 'look' } }] }],
  ['the output limit is used up', {}, { max_tokens: 1 }],
  [
    'the caller is to blame',
    { end: (exchange) => exchange.push(toEvent({ error: { code: 400, message: 'no' } })) },
    {},
  ],
  ['no other provider may be asked', {}, { provider: { only: ['acme'] } }],
])('a stream does not go on where %s, and ends with its own error', async (_when, script, more) => {
  const upstream = createBrokenUpstream({ sent: 'Paris lies on', ...script });
  const { message } = await chat.readError(await ask(openGateway(upstream), chat, more));
  expect(message).toMatch(/^(Acme: the connection was reset|no)$/);
  expect(hosts(upstream)).toEqual(['acme']);
});

test('a stream that breaks off before its first output begins anew elsewhere, and is not taken for a continued one', async () => {
  const upstream = createBrokenUpstream({ sent: '' });
  const core = openGateway(upstream);
  expect((await chat.read(await ask(core, chat))).content).toBe(TEXT);
  expect(sentOf(upstream.latest()).messages).toEqual(HELLO);
  const { generation } = core.store.appended[0]?.record ?? {};
  expect(generation?.provider_responses).toMatchObject([
    { provider_name: 'Acme', error: { code: 502 } },
    { provider_name: 'Beta', status: 200 },
  ]);
  expect(generation?.provider_responses?.[0]).not.toHaveProperty('broke_off_after');
});

test('a text that had ended before its connection broke is not continued', async () => {
  const say = (content: string, finish_reason: 'stop' | null): ChatChunk => ({
    choices: [{ index: 0, delta: { content }, finish_reason, native_finish_reason: finish_reason }],
  });
  const acme = createScriptedProvider('acme', [[say('Paris', null)], [say('.', 'stop')]], () => {
    throw connectionReset();
  });
  const upstream = createBrokenUpstream({ sent: '' });
  const beta = createOpenAiProvider({ slug: 'beta', baseUrl: 'https://beta.example/v1', transport: upstream });
  const core = createCoreGateway([acme, beta], {
    models: [
      {
        id: 'acme/chat',
        endpoints: [
          { provider: 'acme', providerModel: 'm' },
          { provider: 'beta', providerModel: 'm', prefill: 'continues' },
        ],
      },
    ],
    account: { routing: { continueBrokenStreams: true } },
  });
  const { text } = await chat.readError(await ask(core, chat, { provider: { order: ['acme', 'beta'] } }));
  expect([text, hosts(upstream)]).toEqual(['Paris.', []]);
});

test('an endpoint that does not take a prefill is not asked', async () => {
  const upstream = createBrokenUpstream({ sent: 'Paris' });
  await chat.readError(await ask(openGateway(upstream, {}, false), chat));
  expect(hosts(upstream)).toEqual(['acme']);
});

test.each([
  ['that refuses to continue is not asked to again', 400, ['acme', 'beta', 'acme']],
  ['that was only down is asked to again', 503, ['acme', 'beta', 'acme', 'beta']],
])('an endpoint %s', async (_name, status, asked) => {
  const upstream = createBrokenUpstream({
    sent: 'Paris',
    onBeta(exchange) {
      exchange.respond(status, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify({ error: { message: 'not now' } }));
      exchange.end();
    },
  });
  const core = openGateway(upstream);
  const provider = { order: ['acme', 'beta'] };
  for (let call = 0; call < 2; call += 1) await chat.readError(await ask(core, chat, { provider }));
  expect(hosts(upstream)).toEqual(asked);
});

test('an endpoint that another one pays for is not asked, so that a call has one payer', async () => {
  const upstream = createBrokenUpstream({ sent: 'Paris' });
  // Endpoints that the caller pays itself come first.
  const providers = Object.entries({ acme: true, beta: false }).map(([slug, byok]) => {
    const baseUrl = `https://${slug}.example/v1`;
    return createOpenAiProvider({ slug, name: slug, baseUrl, transport: upstream, byok });
  });
  await chat.readError(await ask(openGateway(upstream, { providers }), chat));
  expect(hosts(upstream)).toEqual(['acme']);
});

test('the record of a stream that could not go on has the error of each endpoint in its place', async () => {
  const upstream = createBrokenUpstream({
    sent: 'Paris',
    onBeta(exchange) {
      exchange.respond(400, { 'content-type': 'application/json' });
      exchange.push(JSON.stringify({ error: { message: 'no prefill here' } }));
      exchange.end();
    },
  });
  const core = openGateway(upstream);
  await chat.readError(await ask(core, chat));
  expect(core.store.appended).toMatchObject([
    {
      record: {
        generation: {
          provider_name: 'Acme',
          finish_reason: 'error',
          provider_responses: [
            { provider_name: 'Acme', status: 200, broke_off_after: 5, error: { code: 502 } },
            { provider_name: 'Beta', status: 400, error: { code: 400 } },
          ],
        },
      },
      content: {
        output: { completion: 'Paris' },
        error: {
          message: 'Acme: the connection was reset',
          provider_name: 'Acme',
          previous_errors: [{ code: 400, provider_name: 'Beta' }],
        },
      },
    },
  ]);
});

test('the rest is reserved again, and a budget that it does not fit into ends the stream', async () => {
  const askWithin = async (limit: number): Promise<{ upstream: ScriptedTransport; core: CoreGateway }> => {
    const upstream = createBrokenUpstream({ sent: TEXT.repeat(20), rest: () => 'The end.' });
    const core = openGateway(upstream);
    const admin = { authorization: `Bearer ${MANAGEMENT_KEY}` };
    const made = jsonOf(await core.post('/api/v1/keys', { name: 'k', limit }, { headers: admin }));
    const response = await ask(core, chat, { max_tokens: 600 }, String(made['key']));
    expect(response.status).toBe(200);
    await readFrames(response).rest();
    return { upstream, core };
  };
  // At first $0.004 are held, for 600 tokens of output; then the text is a part of the prompt, each byte a token at most.
  const enough = await askWithin(0.1);
  expect(hosts(enough.upstream)).toEqual(['acme', 'beta']);
  expect(enough.core.store.appended[0]?.record.generation.finish_reason).toBe('stop');
  const scarce = await askWithin(0.005);
  expect(hosts(scarce.upstream)).toEqual(['acme']);
  expect(scarce.core.store.appended[0]?.record.generation.finish_reason).toBe('error');
});

test('a stream that goes on holds what its rest may cost beside what it has cost so far', async () => {
  const upstream = createBrokenUpstream({ sent: 'Paris lies' });
  const core = openGateway(upstream);
  const admin = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  // Both worst cases, of 600 tokens each, would exceed it together.
  const made = jsonOf(await core.post('/api/v1/keys', { name: 'k', limit: 0.006 }, { headers: admin }));
  const { content } = await chat.read(await ask(core, chat, { max_tokens: 600 }, String(made['key'])));
  expect([content, hosts(upstream)]).toEqual([TEXT, ['acme', 'beta']]);
});

test('what has been said goes on as the input filters leave it', async () => {
  const sent = 'Write to mail@example.com, and';
  const upstream = createBrokenUpstream({ sent, rest: () => ' wait.' });
  const core = openGateway(upstream);
  const { key } = await guardKey(core, {
    content_filter_builtins: [{ slug: 'email', action: 'redact', direction: 'both' }],
  });
  const { content } = await chat.read(await ask(core, chat, {}, key));
  expect(content).toBe('Write to [EMAIL], and wait.');
  expect(lastOf(upstream.latest()).content).toBe('Write to [EMAIL], and');
});

test('a client that leaves while the other endpoint is asked ends the call there', async () => {
  const upstream = createBrokenUpstream({ sent: 'Paris', onBeta: () => undefined });
  const core = openGateway(upstream);
  const reader = readFrames(await ask(core, chat));
  await reader.next();
  await reader.next();
  const waiting = reader.next();
  await settle();
  expect(hosts(upstream)).toEqual(['acme', 'beta']);
  await reader.leave();
  await waiting;
  await settle();
  expect(upstream.latest().isClosed).toBe(true);
  expect(core.store.appended).toMatchObject([{ record: { generation: { cancelled: true, finish_reason: null } } }]);
});

test('the limit for the whole of a call holds for all of its parts together', async () => {
  const exchanges: ScriptedExchange[] = [];
  const upstream = createBrokenUpstream({ sent: 'Paris', end: (exchange) => void exchanges.push(exchange) });
  const core = openGateway(upstream, { timeouts: { totalMs: 10_000 } });
  const reading = chat.read(await ask(core, chat));
  await core.platform.advance(4000);
  exchanges[0]?.fail(connectionReset());
  expect((await reading).content).toBe(TEXT);
  expect(upstream.exchanges.map(({ request }) => request.totalTimeoutMs)).toEqual([10_000, 6000]);
});

test('both endpoints’ health knows how they ended', async () => {
  const core = openGateway(createBrokenUpstream({ sent: 'Paris' }));
  await chat.read(await ask(core, chat));
  const response = await core.post(
    '/admin/v1/explain',
    { model: 'acme/chat', messages: HELLO },
    { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } },
  );
  const { endpoints } = (jsonOf(response)['data'] ?? jsonOf(response)) as {
    endpoints: { provider: string; health: { uptime_last_5m: number } }[];
  };
  expect(Object.fromEntries(endpoints.map(({ provider, health }) => [provider, health.uptime_last_5m]))).toEqual({
    acme: 0,
    beta: 100,
  });
});

const PREFILLED = scripts.flatMap(([wire, script]) =>
  formats.map(([name, format]) => [wire, name, script, format] as const),
);

test.each(PREFILLED)(
  'a stream of the wire %s that breaks off goes on for /%s',
  async (_wire, _format, script, format) => {
    const events = script.responses.text.events ?? [];
    const isOfText = (event: object): boolean => JSON.stringify(event).includes('Hello');
    const cut = events.slice(0, events.findIndex(isOfText) + 1);
    const first = script.createProvider(
      createScriptedTransport((exchange) => {
        exchange.respond();
        for (const event of cut) exchange.push(script.toEvent(event));
        breakOff(exchange);
      }),
    );
    const next = createScriptedTransport((exchange) => {
      exchange.respond();
      for (const piece of toEventPieces([...textPieces(' again.'), chunk({}, 'stop')])) exchange.push(piece);
      exchange.end();
    });
    const second = createOpenAiProvider({ slug: 'next', baseUrl: 'https://next.example/v1', transport: next });
    const core = createCoreGateway([first, second], {
      models: [
        {
          id: 'acme/chat',
          endpoints: [
            { provider: 'up', providerModel: script.model },
            { provider: 'next', providerModel: 'm', prefill: 'continues' },
          ],
        },
      ],
    });
    const provider = { order: ['up', 'next'], continue_broken_streams: true };
    const { content, finish } = await format.read(await ask(core, format, { provider }));
    expect(content).toMatch(/^Hello.* again\.$/);
    expect(finish).toBe('stop');
    expect(lastOf(next.latest()).content).toBe(content?.replace(' again.', '').trimEnd());
  },
);

test('an Anthropic model that takes a prefill goes on with what OpenAI’s wire has begun', async () => {
  const script = scripts.find(([wire]) => wire === 'anthropic')?.[1] as (typeof scripts)[number][1];
  const transport = createReplayTransport({
    pieces: (script.responses.text.events ?? []).map((event) => script.toEvent(event)),
  });
  const broken = createBrokenUpstream({ sent: 'Paris lies on the Seine. ' });
  const acme = createOpenAiProvider({ slug: 'acme', baseUrl: 'https://acme.example/v1', transport: broken });
  const core = createCoreGateway([acme, script.createProvider(transport)], {
    models: [
      {
        id: 'acme/chat',
        endpoints: [
          { provider: 'acme', providerModel: 'm' },
          { provider: 'up', providerModel: script.model },
        ],
      },
    ],
    account: { routing: { continueBrokenStreams: true } },
  });
  const provider = { order: ['acme', 'up'] };
  const { content } = await chat.read(await ask(core, chat, { provider, reasoning: { effort: 'high' } }));
  expect(content).toMatch(/^Paris lies on the Seine\. Hello/);
  const { messages, thinking } = sentOf(transport.latest());
  expect(thinking).toBeUndefined();
  expect(messages.at(-1)).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'Paris lies on the Seine.' }],
  });
});

test('a stream goes on twice at most, and each part is paid for', async () => {
  const upstream = createScriptedTransport((exchange) => {
    const at = lastOf(exchange).role === 'assistant' ? lastOf(exchange).content.length : 0;
    exchange.respond();
    for (const piece of textPieces(TEXT.slice(at, at + 20))) exchange.push(toEvent(piece));
    breakOff(exchange);
  });
  const slugs = ['a', 'b', 'c', 'd'];
  const core = createCoreGateway(
    slugs.map((slug) => createOpenAiProvider({ slug, baseUrl: `https://${slug}.example/v1`, transport: upstream })),
    {
      models: [
        {
          id: 'acme/chat',
          endpoints: slugs.map((provider) => ({
            provider,
            providerModel: 'm',
            pricing: PRICES.acme,
            prefill: 'continues',
          })),
        },
      ],
      account: { routing: { continueBrokenStreams: true } },
    },
  );
  const { text, message } = await chat.readError(await ask(core, chat, { provider: { order: slugs } }));
  expect(hosts(upstream)).toEqual(['a', 'b', 'c']);
  expect(TEXT.startsWith(text)).toBe(true);
  expect(text.length).toBeGreaterThanOrEqual(58);
  expect(message).toBe('c: the connection was reset');
  const { generation } = core.store.appended[0]?.record ?? {};
  expect(generation?.provider_responses?.map(({ broke_off_after: after }) => after)).toEqual([20, 40, undefined]);
  expect(generation?.tokens_completion).toBeGreaterThanOrEqual(15);
  expect(generation?.tokens_prompt).toBeGreaterThan(40);
});
