import { createFetchTransport, createGateway, type FilteredText, type FilterFunction } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { listen } from '@model-gateway/node/http';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import { chatCompletionsFormat } from '../support/chat-formats/chat-completions.ts';
import { type ChatBody, type ChatFormat, isStream, wholeOf } from '../support/chat-formats/chat-format.ts';
import { completionsFormat } from '../support/chat-formats/completions.ts';
import { messagesFormat } from '../support/chat-formats/messages.ts';
import { responsesFormat } from '../support/chat-formats/responses.ts';
import { JSON_TYPE, replayStreams, replayWhole } from '../support/gateways/ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf } from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import { createReplayTransport, type ScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { script } from '../support/wires/openai.ts';
import { TEXT } from '../support/wires/wire-script.ts';

const MODELS = [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: script.model }] }];
const CHAT: ChatBody = { model: 'test/model', messages: [{ role: 'user', content: 'Tell Bob the plan' }] };

const open = (transport: ScriptedTransport, ...filters: FilterFunction[]): CoreGateway =>
  createCoreGateway([script.createProvider(transport)], { models: MODELS, guardrails: { filters } });

const swap: FilterFunction = {
  name: 'names',
  input: (text) => (text.includes('Bob') ? { replace: text.replaceAll('Bob', 'X') } : undefined),
  output: async (text) => ({ replace: `${text} (checked)` }),
};
const refuse: FilterFunction = {
  name: 'judge',
  input: (text) => (text.includes('plan') ? { block: 'plans are secret' } : undefined),
};
const refuseOutput: FilterFunction = { name: 'judge', output: async () => ({ block: 'not fit to print' }) };

const stageOf = (filter: string, action: string) => ({
  type: 'guardrail',
  name: 'content-filter',
  data: { action, engines: ['function'], matched_entity_types: [filter] },
});

/** As it is asked whole, too. */
const chatFormat: ChatFormat = {
  ...chatCompletionsFormat,
  async read(response) {
    if (isStream(response)) return chatCompletionsFormat.read(response);
    const [choice] = wholeOf(response)['choices'] as { readonly message: { readonly content: string } }[];
    return { content: choice?.message.content ?? null } as Awaited<ReturnType<ChatFormat['read']>>;
  },
  async readError(response) {
    if (isStream(response)) return chatCompletionsFormat.readError(response);
    const { message } = jsonOf(response)['error'] as { readonly message: string };
    return { type: '', message, text: '' };
  },
};
const FORMATS: readonly ChatFormat[] = [chatFormat, messagesFormat, responsesFormat, completionsFormat];

describe.each(FORMATS.map((format) => [format.name, format] as const))('over /%s', (_, format) => {
  /** Whole, and streamed in each chunking. */
  const ways = (): (readonly [string, ScriptedTransport, boolean])[] => [
    ['whole', replayWhole(script.responses.text), false],
    ...replayStreams(script, script.responses.text.events ?? []).map(
      ([chunking, transport]) => [chunking, transport, true] as const,
    ),
  ];

  test('filters replace texts of requests and of completions, which the record shows', async () => {
    for (const [way, transport, stream] of ways()) {
      const core = open(transport, swap);
      const response = await core.post(format.path, format.toBody({ ...CHAT, stream }));
      const { content } = await format.read(response);
      expect({ way, content }).toEqual({ way, content: `${TEXT} (checked)` });
      expect(JSON.stringify(transport.latest().sent)).toContain('Tell X the plan');
      const { record, content: stored } = core.store.appended[0] ?? {};
      expect(record?.generation.pipeline).toMatchObject([stageOf('names', 'redacted'), stageOf('names', 'redacted')]);
      expect(JSON.stringify(stored)).toContain('(checked)');
      expect(JSON.stringify(stored)).not.toContain('Bob');
    }
  });

  test('a filter refuses a request with its reason, and nothing is sent', async () => {
    for (const stream of [false, true]) {
      const transport = replayWhole(script.responses.text);
      const core = open(transport, refuse);
      const response = await core.post(format.path, format.toBody({ ...CHAT, stream }));
      expect(response.status).toBe(403);
      expect((await format.readError(response)).message).toContain(
        'Request blocked by content filter: judge: plans are secret',
      );
      expect(transport.exchanges).toEqual([]);
    }
  });

  test('a filter refuses a completion, of which nothing is seen, and no other endpoint is asked', async () => {
    for (const [way, transport, stream] of ways()) {
      const core = open(transport, refuseOutput);
      const response = await core.post(format.path, format.toBody({ ...CHAT, stream }));
      const { message, text } = await format.readError(response);
      expect({ way, text: text ?? '' }).toEqual({ way, text: '' });
      expect(message).toContain('Response blocked by content filter: judge: not fit to print');
      expect(transport.exchanges.length).toBe(1);
      const { generation } = core.store.appended[0]?.record ?? {};
      expect(generation?.pipeline).toMatchObject([stageOf('judge', 'blocked')]);
      expect(generation?.tokens_completion).toBeGreaterThan(0);
    }
  });
});

test('a filter learns where a text stands and whose it is, and gets each text whole', async () => {
  const seen: [string, Pick<FilteredText, 'role' | 'isJson'>, string][] = [];
  const note = (text: string, { role, isJson, principal }: FilteredText): undefined => {
    seen.push([text, { role, isJson }, principal.name]);
  };
  for (const stream of [false, true]) {
    seen.length = 0;
    const response = script.responses.tools;
    const transport = stream ? replayStreams(script, response.events ?? [])[0]?.[1] : replayWhole(response);
    const core = open(transport ?? replayWhole(response), { name: 'note', input: note, output: note });
    const messages = [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'sunny' },
    ];
    const answer = await core.chat({ model: 'test/model', stream, messages });
    if (stream) for await (const _piece of answer.body as AsyncIterable<unknown>);
    expect(seen).toEqual([
      ['Be kind', { role: 'system', isJson: false }, 'dev'],
      ['Hello', { role: 'user', isJson: false }, 'dev'],
      ['{"a":"b"}', { role: 'assistant', isJson: true }, 'dev'],
      ['sunny', { role: 'tool', isJson: false }, 'dev'],
      ['{"city":"Paris"}', { role: 'assistant', isJson: true }, 'dev'],
    ]);
  }
});

test('details of the reasoning pass a filter only where they repeat what it has seen', async () => {
  const signed = { type: 'reasoning.text', text: 'Hm. ', signature: 's', format: 'unknown', index: 0 };
  const summary = { type: 'reasoning.summary', summary: 'Well.', format: 'unknown', index: 1 };
  const sealed = { type: 'reasoning.encrypted', data: 'AA', format: 'unknown', index: 2 };
  const other = { type: 'reasoning.server_tool_call', tool_name: 'f', result: 'the plan', index: 3 };
  const ask = async (reasoning: string, details: readonly object[], filter: FilterFunction) => {
    const message = { role: 'assistant', content: 'Hi', reasoning, reasoning_details: details };
    const body = { id: 'up', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(body)] });
    const [choice] = jsonOf(await open(transport, filter).chat(CHAT))['choices'] as { message: object }[];
    return choice?.message;
  };
  const pass: FilterFunction = { name: 'pass', output: () => undefined };
  const all = [signed, summary, sealed, other];
  expect(await ask('Hm. \n\nWell.', all, pass)).toHaveProperty('reasoning_details', [signed, summary, sealed]);
  expect(await ask('Hm.', all, pass)).toHaveProperty('reasoning_details', [sealed]);
  expect(await ask('', [signed], pass)).not.toHaveProperty('reasoning_details');
  const input: FilterFunction = { name: 'input', input: () => undefined };
  expect(await ask('Hm.', all, input)).toHaveProperty('reasoning_details', all);
});

test('filters run in order over what is left, after those of guardrails', async () => {
  const transport = replayWhole(script.responses.text);
  const seen: string[] = [];
  const core = open(
    transport,
    { name: 'one', input: (text) => ({ replace: `${text}, one` }) },
    { name: 'two', input: (text) => void seen.push(text) },
  );
  const { headers } = await guardKey(core, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] });
  await core.chat({ model: 'test/model', messages: [{ role: 'user', content: 'to bob@example.com' }] }, { headers });
  expect(seen).toEqual(['to [EMAIL], one']);
});

const wrong = (decision: unknown): FilterFunction => ({ name: 'bad', input: () => decision as undefined });

test.each([
  ['throws', { name: 'bad', input: () => Promise.reject(new Error('down: hush')) }, 'Error: down: hush'],
  ['returns a text', wrong('ok'), 'TypeError: a filter returns nothing'],
  ['returns true', wrong(true), 'TypeError: a filter returns nothing'],
])('a filter that %s lets nothing pass', async (_, filter, reason) => {
  const transport = replayWhole(script.responses.text);
  const core = open(transport, filter);
  const response = await core.chat({ model: 'test/model' });
  expect(response.status).toBe(403);
  expect(JSON.stringify(jsonOf(response))).toContain('Request blocked: a guardrail is unavailable');
  expect(JSON.stringify(jsonOf(response))).not.toContain('hush');
  expect(core.logged).toMatchObject([
    { line: 'error a filter has failed', fields: { filter: 'bad', reason: expect.stringContaining(reason) } },
  ]);
  expect(transport.exchanges).toEqual([]);
});

test('a replacement of arguments has to be JSON', async () => {
  const transport = replayWhole(script.responses.tools);
  const core = open(transport, { name: 'bad', output: (text) => ({ replace: `${text}!` }) });
  const response = await core.chat({ model: 'test/model' });
  expect([response.status, JSON.stringify(jsonOf(response))]).toEqual([
    403,
    expect.stringContaining('Response blocked: a guardrail is unavailable'),
  ]);
});

const embed = async (filter: FilterFunction, input: unknown) => {
  const data = [0, 1].map((index) => ({ index, embedding: [1] }));
  const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify({ data })] });
  const architecture = { input_modalities: ['text'], output_modalities: ['embeddings'] };
  const core = createCoreGateway([script.createProvider(transport)], {
    models: [{ id: 'test/vectors', architecture, endpoints: [{ provider: 'up', providerModel: 'v' }] }],
    guardrails: { filters: [filter] },
  });
  return { response: await core.post('/api/v1/embeddings', { model: 'test/vectors', input }), transport };
};

test('texts of embeddings pass filters, too', async () => {
  const { response, transport } = await embed(swap, ['Bob', 'Eve']);
  expect(response.status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ input: ['X', 'Eve'] });
});

test('tokens of embeddings, which no filter can read, are refused where filters look at requests', async () => {
  const tokens = [
    [15339, 1917],
    [1, 2],
  ];
  const refused = await embed(swap, tokens);
  expect([refused.response.status, refused.transport.exchanges]).toEqual([403, []]);
  expect(JSON.stringify(jsonOf(refused.response))).toContain('content filters cannot read tokens in input');
  const { response, transport } = await embed(refuseOutput, tokens);
  expect(response.status).toBe(200);
  expect(transport.latest().sent).toMatchObject({ input: tokens });
});

test('a filter without a function, or a name, is refused when the gateway is made', () => {
  const transport = replayWhole(script.responses.text);
  expect(() => open(transport, { name: 'empty' })).toThrow('The filter "empty" needs a function');
  expect(() => open(transport, { name: '', input: () => undefined })).toThrow('needs a name');
});

test('over a real connection a stream is held until it is whole, and a client that leaves ends its filter', async () => {
  const up = await startScriptedUpstream();
  onTestFinished(() => up.close());
  const left = createDeferred<void>();
  const called = createDeferred<void>();
  const slow: FilterFunction = {
    name: 'slow',
    input: (text, { signal }) => {
      if (text !== 'wait') return undefined;
      signal.addEventListener('abort', () => left.resolve());
      called.resolve();
      return new Promise(() => undefined);
    },
    output: (text) => ({ replace: text.toUpperCase() }),
  };
  const gateway = createGateway({
    store: createMemoryStore(),
    providers: [createOpenAiProvider({ slug: 'up', baseUrl: up.baseUrl, transport: createFetchTransport() })],
    models: [{ id: 'test/text', endpoints: [{ provider: 'up', providerModel: 'text' }] }],
    bootstrapKeys: [{ key: 'sk-app', kind: 'api', name: 'app' }],
    guardrails: { filters: [slow] },
  });
  const { url, close } = await listen(gateway, { port: 0 });
  onTestFinished(() => close());
  const client = new OpenAI({ apiKey: 'sk-app', baseURL: `${url}/api/v1`, maxRetries: 0 });
  const ask = (content: string) => ({ model: 'test/text', messages: [{ role: 'user' as const, content }] });
  const whole = await client.chat.completions.create(ask('Hi'));
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...ask('Hi'), stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  expect(text).toBe(whole.choices[0]?.message.content);
  expect(text).toBe(text.toUpperCase());
  const leaving = new AbortController();
  const asking = client.chat.completions.create(ask('wait'), { signal: leaving.signal });
  await called.promise;
  leaving.abort();
  await expect(asking).rejects.toThrow('aborted');
  await left.promise;
});
