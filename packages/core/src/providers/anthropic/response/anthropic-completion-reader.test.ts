import fc from 'fast-check';
import { expect, test } from 'vitest';

import { GatewayError } from '../../../foundation/errors.ts';
import type { ChatChunk } from '../../../wire/chat-chunk.ts';
import { createAnthropicCompletionReader } from './anthropic-completion-reader.ts';

const newReader = (): ReturnType<typeof createAnthropicCompletionReader> =>
  createAnthropicCompletionReader({ providerName: 'Acme', secrets: ['s3cr3t'], makeId: (number) => `made-${number}` });

/** The chunks of a stream of these events. */
function readEvents(events: readonly object[]): ChatChunk[] {
  const reader = newReader();
  const chunks = events.flatMap((event) => {
    const chunk = reader.readEvent(JSON.stringify(event));
    return chunk === undefined || chunk === 'done' ? [] : [chunk];
  });
  return [...chunks, reader.readEnd()];
}

const readWhole = (completion: unknown): ChatChunk => newReader().readWhole(JSON.stringify(completion));

interface Message {
  content: string;
  reasoning: string;
  details: Map<unknown, Record<string, unknown>>;
  calls: { id?: string | undefined; name?: string | undefined; arguments: string }[];
  annotations: unknown[];
  finish: unknown[];
  usage: unknown;
  facts: object;
}

/** Folds chunks as a client does. */
function fold(chunks: readonly ChatChunk[]): Message {
  const message: Message = {
    content: '',
    reasoning: '',
    details: new Map(),
    calls: [],
    annotations: [],
    finish: [],
    usage: undefined,
    facts: {},
  };
  for (const { choices, usage, ...facts } of chunks) {
    message.usage = usage ?? message.usage;
    message.facts = { ...message.facts, ...facts };
    for (const { delta, finish_reason, native_finish_reason } of choices) {
      message.content += delta.content ?? '';
      message.reasoning += delta.reasoning ?? '';
      message.annotations.push(...(delta.annotations ?? []));
      if (finish_reason !== null) message.finish.push([finish_reason, native_finish_reason]);
      for (const detail of delta.reasoning_details ?? []) {
        const known = message.details.get(detail['index']);
        const text = `${(known?.['text'] as string | undefined) ?? ''}${(detail['text'] as string | undefined) ?? ''}`;
        message.details.set(detail['index'], { ...known, ...detail, text });
      }
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        const known = message.calls[index];
        if (known !== undefined) known.arguments += called.arguments;
        else message.calls[index] = { id, name: called.name, arguments: called.arguments };
      }
    }
  }
  return message;
}

const USAGE = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1, service_tier: 'standard' };
const start = (message: object = {}): object => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', content: [], usage: USAGE, ...message },
});
const open = (index: number, content_block: object): object => ({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: object): object => ({ type: 'content_block_delta', index, delta });
const text = (index: number, value: string): object => piece(index, { type: 'text_delta', text: value });
const json = (index: number, value: string): object => piece(index, { type: 'input_json_delta', partial_json: value });
const close = (index: number): object => ({ type: 'content_block_stop', index });
const end = (stop_reason: string | null = 'end_turn', usage: object = { output_tokens: 9 }): object[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];
const emptyText = { type: 'text', text: '' };
const use = (id: string, input: object = {}): object => ({ type: 'tool_use', id, name: `f_${id}`, input });

const read = (...events: readonly object[]): Message => fold(readEvents([start(), ...events]));

test('reads text, what upstream alone knows, and the end with its usage', () => {
  expect(readEvents([start(), open(0, emptyText), text(0, 'Hi'), close(0), ...end()])).toEqual([
    { choices: [], upstreamId: 'msg_1', serviceTier: 'default' },
    { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null, native_finish_reason: null }] },
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'end_turn' }],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 9,
        total_tokens: 16,
        prompt_tokens_details: { cached_tokens: 2 },
      },
    },
  ]);
});

test.each([
  ['a ping', { type: 'ping' }],
  ['an event of tomorrow', { type: 'content_block_gift', gift: 1 }],
  ['an event without a type', {}],
  ['a delta without content', { type: 'content_block_delta', index: 0 }],
  ['a delta of tomorrow', piece(0, { type: 'smell_delta', smell: 'rose' })],
  ['an empty text', text(0, '')],
  ['a block without content', { type: 'content_block_start', index: 1 }],
  ['a start without a message', { type: 'message_start' }],
  ['the end of a block that never began', close(7)],
  ['arguments of a block that never began', json(7, '{}')],
  ['a thought of a block that never began', piece(7, { type: 'thinking_delta', thinking: 'hm' })],
])('finds nothing in %s', (_name, event) => {
  expect(newReader().readEvent(JSON.stringify(event))).toBeUndefined();
});

test('reads events that are padded with white space', () => {
  expect(
    newReader().readEvent(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}   }  `),
  ).toMatchObject({ choices: [{ delta: { content: 'a' } }] });
});

test('is complete with the last event and not before', () => {
  const reader = newReader();
  for (const event of [start(), ...end().slice(0, 1)]) reader.readEvent(JSON.stringify(event));
  expect(reader.readEnd).toThrow(
    new GatewayError('provider_unavailable', 'Acme ended its response before the end of the completion'),
  );
  expect(reader.readEvent('{"type":"message_stop"}')).toBe('done');
  expect(reader.readEnd()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
});

test('numbers tool calls separately, and returns id and name once with the first arguments', () => {
  const events = [
    open(0, emptyText),
    text(0, 'I look.'),
    close(0),
    open(1, use('a')),
    json(1, ''),
    json(1, '{"x":'),
    json(1, '1}'),
    close(1),
    open(2, use('b')),
    json(2, '{}'),
    close(2),
  ];
  const deltas = readEvents([start(), ...events, ...end('tool_use')]).flatMap(
    ({ choices }) => choices[0]?.delta.tool_calls ?? [],
  );
  expect(deltas).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'f_a', arguments: '{"x":' } },
    { index: 0, function: { arguments: '1}' } },
    { index: 1, id: 'b', type: 'function', function: { name: 'f_b', arguments: '{}' } },
  ]);
});

test('keeps blocks apart that are streamed at the same time', () => {
  const message = read(
    open(0, use('a')),
    open(1, use('b')),
    json(1, '{"y":'),
    json(0, '{"x":'),
    json(1, '2}'),
    json(0, '1}'),
    close(1),
    close(0),
    ...end('tool_use'),
  );
  expect(message.calls).toEqual([
    { id: 'b', name: 'f_b', arguments: '{"y":2}' },
    { id: 'a', name: 'f_a', arguments: '{"x":1}' },
  ]);
});

test.each([
  ['no arguments at all', [open(0, use('a')), close(0)], '{}'],
  ['one empty piece of arguments', [open(0, use('a')), json(0, ''), close(0)], '{}'],
  ['arguments given whole at the start', [open(0, use('a', { x: 1 })), close(0)], '{"x":1}'],
  ['arguments at the start and an empty piece', [open(0, use('a', { x: 1 })), json(0, ''), close(0)], '{"x":1}'],
  ['no input', [open(0, { type: 'tool_use', id: 'a', name: 'f_a' }), close(0)], '{}'],
  ['no end of its block', [open(0, use('a'))], '{}'],
])('reads a tool call with %s', (_name, events, expected) => {
  expect(read(...events, ...end('tool_use')).calls).toEqual([{ id: 'a', name: 'f_a', arguments: expected }]);
});

test('makes an id for a tool call that comes without', () => {
  const nameless = { type: 'tool_use', name: 'f', input: {} };
  expect(read(open(0, nameless), close(0), open(1, nameless), close(1), ...end()).calls).toMatchObject([
    { id: 'made-0' },
    { id: 'made-1' },
  ]);
});

test('returns thoughts with their signature, and encrypted ones, by the index of their block', () => {
  const message = read(
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    piece(0, { type: 'thinking_delta', thinking: 'h' }),
    piece(0, { type: 'thinking_delta', thinking: 'm' }),
    piece(0, { type: 'signature_delta', signature: 'si' }),
    piece(0, { type: 'signature_delta', signature: 'g' }),
    close(0),
    open(1, { type: 'redacted_thinking', data: 'AAAA' }),
    close(1),
    open(2, { type: 'thinking', thinking: '', signature: '' }),
    piece(2, { type: 'signature_delta', signature: 'alone' }),
    close(2),
    ...end(),
  );
  expect(message.reasoning).toBe('hm');
  const format = 'anthropic-claude-v1';
  expect([...message.details.values()]).toEqual([
    { type: 'reasoning.text', text: 'hm', signature: 'sig', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'AAAA', text: '', format, index: 1 },
    { type: 'reasoning.text', text: '', signature: 'alone', format, index: 2 },
  ]);
});

test('turns citations of pages into annotations of the text they stand by', () => {
  const citation = (url: string): object => ({
    type: 'web_search_result_location',
    url,
    title: 'T',
    cited_text: 'quoted',
    encrypted_index: 'AAAA',
  });
  const message = read(
    open(0, emptyText),
    text(0, 'Said: '),
    close(0),
    open(1, { type: 'text', text: '', citations: [] }),
    piece(1, { type: 'citations_delta', citation: citation('https://x.example') }),
    text(1, 'it rains'),
    piece(1, { type: 'citations_delta', citation: { type: 'char_location', document_index: 0, cited_text: 'q' } }),
    close(1),
    ...end(),
  );
  expect(message.annotations).toEqual([
    {
      type: 'url_citation',
      url_citation: { url: 'https://x.example', title: 'T', content: 'quoted', start_index: 6, end_index: 14 },
    },
  ]);
});

test('reads a citation of nothing as none', () => {
  const message = read(open(0, emptyText), text(0, 'Hi'), piece(0, { type: 'citations_delta' }), close(0), ...end());
  expect(message).toMatchObject({ content: 'Hi', annotations: [] });
});

test('passes over what ran on the server', () => {
  const message = read(
    open(0, { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} }),
    json(0, '{"query":"x"}'),
    close(0),
    open(1, { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] }),
    close(1),
    open(2, { type: 'compaction', content: 'secret summary' }),
    piece(2, { type: 'compaction_delta', content: 'more of it' }),
    close(2),
    open(3, { type: 'fallback', from: {}, to: {} }),
    close(3),
    open(4, emptyText),
    text(4, 'Found'),
    close(4),
    ...end('pause_turn'),
  );
  expect(message).toMatchObject({ content: 'Found', calls: [], finish: [['stop', 'pause_turn']] });
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
  ['never heard of', 'stop'],
  ['__proto__', 'stop'],
  [null, 'stop'],
])('maps the stop reason "%s" to %s and keeps the original', (native, reason) => {
  expect(read(...end(native)).finish).toEqual([[reason, native]]);
  expect(fold([readWhole({ content: [], stop_reason: native })]).finish).toEqual([[reason, native]]);
});

test('maps the end of a completion with tool calls to tool_calls, whatever upstream’s reason', () => {
  expect(read(open(0, use('a')), close(0), ...end('end_turn')).finish).toEqual([['tool_calls', 'end_turn']]);
  expect(read(open(0, use('a')), close(0), ...end('max_tokens')).finish).toEqual([['length', 'max_tokens']]);
});

test('reads a message that begins twice once', () => {
  const message = fold(readEvents([start(), start(), open(0, emptyText), text(0, 'Hi'), close(0), ...end()]));
  expect(message).toMatchObject({ content: 'Hi', finish: [['stop', 'end_turn']], usage: { total_tokens: 16 } });
});

test('goes on within a block when its message is merely announced again', () => {
  const message = read(open(0, use('a')), json(0, '{"x":'), start(), json(0, '1}'), close(0), ...end('tool_use'));
  expect(message.calls).toEqual([{ id: 'a', name: 'f_a', arguments: '{"x":1}' }]);
});

test('starts again when another message is spliced into the stream', () => {
  const message = read(
    open(0, emptyText),
    text(0, 'First, '),
    open(1, use('never-told')),
    json(1, ''),
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 500 } },
    start({ id: 'msg_2', usage: { input_tokens: 3, output_tokens: 1 } }),
    json(1, '{"lost":1}'),
    open(0, emptyText),
    text(0, 'second'),
    close(0),
    open(1, use('told')),
    close(1),
    ...end('tool_use', { output_tokens: 4 }),
  );
  expect(message).toMatchObject({
    content: 'First, second',
    calls: [{ id: 'told', arguments: '{}' }],
    finish: [['tool_calls', 'tool_use']],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    facts: { upstreamId: 'msg_2' },
  });
  expect(message.usage).not.toHaveProperty('prompt_tokens_details');
  const reason = read({ type: 'message_delta', delta: { stop_reason: 'max_tokens' } }, start({ id: 'msg_2' }), {
    type: 'message_stop',
  }).finish;
  expect(reason).toEqual([['stop', null]]);
});

test('takes a block that begins where another was open for the end of that', () => {
  const message = read(
    open(0, { type: 'thinking', thinking: 'hm', signature: 's' }),
    open(0, use('never-told')),
    open(0, { type: 'server_tool_use', id: 'srv' }),
    json(0, '{"not":"ours"}'),
    open(0, emptyText),
    text(0, 'Hi'),
    ...end(),
  );
  expect(message).toMatchObject({ content: 'Hi', calls: [], reasoning: 'hm' });
  expect(message.details.get(0)).toMatchObject({ text: 'hm', signature: 's' });
});

test('returns nothing for a block that replaced one without any output', () => {
  const events = [start(), open(0, use('never-told')), open(0, use('b')), close(0), ...end()];
  expect(readEvents(events).map(({ choices }) => choices[0]?.delta)).toEqual([
    undefined,
    { tool_calls: [{ index: 0, id: 'b', type: 'function', function: { name: 'f_b', arguments: '{}' } }] },
    {},
  ]);
});

test('reads content that stands in the start of the message, once', () => {
  const filled = start({ content: [{ type: 'text', text: 'Hi' }, use('a', { x: 1 })], stop_reason: 'tool_use' });
  expect(fold(readEvents([filled, filled, { type: 'message_stop' }]))).toMatchObject({
    content: 'Hi',
    calls: [{ id: 'a', name: 'f_a', arguments: '{"x":1}' }],
    finish: [['tool_calls', 'tool_use']],
    usage: { prompt_tokens: 7, completion_tokens: 1 },
  });
});

test('reads a refusal without words as such', () => {
  const refusal = { type: 'refusal', category: 'cyber', explanation: 'Blocked.' };
  const message = read(
    {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: refusal },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  );
  expect(message).toMatchObject({ content: '', finish: [['content_filter', 'refusal']] });
});

const errorEvent = (type: string, message = 'Overloaded s3cr3t'): object => ({
  type: 'error',
  error: { type, message },
});

test.each([
  ['overloaded_error', 'provider_overloaded', 503],
  ['rate_limit_error', 'rate_limit_exceeded', 429],
  ['api_error', 'provider_unavailable', 502],
  ['timeout_error', 'provider_unavailable', 502],
  ['authentication_error', 'provider_unavailable', 502],
  ['billing_error', 'provider_unavailable', 502],
  ['invalid_request_error', 'invalid_request', 400],
  ['request_too_large', 'payload_too_large', 413],
  ['of_tomorrow_error', 'provider_unavailable', 502],
])('throws the %s of an event as %s', (type, code, status) => {
  const reading = (): unknown => readEvents([start(), open(0, emptyText), text(0, 'Hi'), errorEvent(type)]);
  expect(reading).toThrow(expect.objectContaining({ code, status }) as Error);
  expect(reading).not.toThrow('s3cr3t');
  expect(() => readWhole(errorEvent(type))).toThrow(expect.objectContaining({ code, status }) as Error);
});

test('throws an error that comes without a type, as gateways send it', () => {
  expect(() => readEvents([{ error: { message: 'boom' } }])).toThrow('Acme returned an error');
});

test.each([
  ['not JSON', 'something that is not JSON'],
  ['null', 'JSON that is not a message'],
  ['[]', 'JSON that is not a message'],
  ['5', 'JSON that is not a message'],
])('refuses %s as an event and as a completion', (data, problem) => {
  const failure = new GatewayError('provider_unavailable', `Acme returned ${problem}`);
  expect(() => newReader().readEvent(data)).toThrow(failure);
  expect(() => newReader().readWhole(data)).toThrow(failure);
});

test('refuses an unstreamed completion without content', () => {
  expect(() => readWhole({ id: 'msg_1', content: 'Hi' })).toThrow('Acme returned JSON that is not a message');
});

const pieces = fc.array(fc.string({ minLength: 1 }), { maxLength: 4 });
const block = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), pieces, urls: fc.array(fc.webUrl(), { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('thinking' as const), pieces, signature: fc.string() }),
  fc.record({ kind: fc.constant('redacted' as const), data: fc.base64String() }),
  fc.record({ kind: fc.constant('tool' as const), input: fc.dictionary(fc.string(), fc.jsonValue()), cut: fc.nat(9) }),
  fc.record({ kind: fc.constant('server' as const), id: fc.string() }),
);
type Block = typeof block extends fc.Arbitrary<infer Value> ? Value : never;

/** A block as an unstreamed completion contains it, and the events that would stream it. */
function twoForms(value: Block, index: number): { whole: object; events: object[] } {
  switch (value.kind) {
    case 'text': {
      const citations = value.urls.map((url) => ({ type: 'web_search_result_location', url, title: 't' }));
      return {
        whole: { type: 'text', text: value.pieces.join(''), citations },
        events: [
          open(index, emptyText),
          ...citations.map((citation) => piece(index, { type: 'citations_delta', citation })),
          ...value.pieces.map((part) => text(index, part)),
        ],
      };
    }
    case 'thinking': {
      const { signature } = value;
      return {
        whole: { type: 'thinking', thinking: value.pieces.join(''), signature },
        events: [
          open(index, { type: 'thinking', thinking: '', signature: '' }),
          ...value.pieces.map((thinking) => piece(index, { type: 'thinking_delta', thinking })),
          piece(index, { type: 'signature_delta', signature }),
        ],
      };
    }
    case 'redacted': {
      const whole = { type: 'redacted_thinking', data: value.data };
      return { whole, events: [open(index, whole)] };
    }
    case 'tool': {
      const args = JSON.stringify(value.input);
      const parts = args === '{}' ? [''] : [args.slice(0, value.cut), args.slice(value.cut)];
      return {
        whole: use(`t${index}`, value.input),
        events: [open(index, use(`t${index}`)), ...parts.map((part) => json(index, part))],
      };
    }
    case 'server': {
      const whole = { type: 'server_tool_use', id: value.id, name: 'search', input: {} };
      return { whole, events: [open(index, whole), json(index, '{"q":1}')] };
    }
  }
}

test('reads the same message and usage streamed and whole, whatever the content', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      fc.constantFrom('end_turn', 'tool_use', 'max_tokens'),
      fc.nat(1000),
      (blocks, reason, output) => {
        const forms = blocks.map(twoForms);
        const usage = { ...USAGE, output_tokens: output + 1 };
        const streamed = fold(
          readEvents([
            start(),
            { type: 'ping' },
            ...forms.flatMap(({ events }, index) => [...events, { type: 'ping' }, close(index)]),
            ...end(reason, { output_tokens: output + 1 }),
          ]),
        );
        const whole = fold([
          readWhole({ id: 'msg_1', content: forms.map((form) => form.whole), stop_reason: reason, usage }),
        ]);
        expect(streamed).toEqual(whole);
      },
    ),
  );
});

test('never fails otherwise than with an error of the gateway, whatever upstream sends', () => {
  const event = fc.oneof(
    fc.json(),
    fc
      .record({
        type: fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'error'),
        index: fc.jsonValue(),
        message: fc.jsonValue(),
        content_block: fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use'), id: fc.jsonValue() }),
        delta: fc.record({ type: fc.constantFrom('text_delta', 'signature_delta'), text: fc.jsonValue() }),
        usage: fc.jsonValue(),
      })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const reader = newReader();
      for (const data of events) {
        try {
          reader.readEvent(data);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }
    }),
  );
});
