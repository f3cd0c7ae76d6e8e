import { describe, expect, test } from 'vitest';

import { GatewayError } from '../../../foundation/errors.ts';
import {
  type CompletionAccumulator,
  createCompletionAccumulator,
} from '../../../generations/completion-accumulator.ts';
import type { ChatChunk } from '../../../wire/chat-chunk.ts';
import { createResponsesCompletionReader } from './responses-completion-reader.ts';

const createReader = (keepsNative = false) =>
  createResponsesCompletionReader({
    providerName: 'Acme',
    secrets: ['key-of-acme'],
    makeId: (number) => `call_made_${number}`,
    keepsNative,
  });

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 16,
};

const responseOf = (output: readonly object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output,
  usage: USAGE,
  ...more,
});

const ended = (output: readonly object[], more: object = {}) => ({
  type: 'response.completed',
  response: responseOf(output, more),
});

/** Reads a stream of events to its end. */
function readStream(events: readonly object[], keepsNative = false): ChatChunk[] {
  const reader = createReader(keepsNative);
  const chunks: ChatChunk[] = [];
  for (const event of events) {
    const read = reader.readEvent(JSON.stringify(event));
    if (read === 'done') break;
    if (read !== undefined) chunks.push(read);
  }
  return [...chunks, reader.readEnd()];
}

function fold(chunks: readonly ChatChunk[]): CompletionAccumulator {
  const completion = createCompletionAccumulator();
  completion.observe(chunks);
  return completion;
}

const readWhole = (output: readonly object[], more: object = {}): ChatChunk =>
  createReader().readWhole(JSON.stringify(responseOf(output, more)));

const deltasOf = (chunks: readonly ChatChunk[]) => chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));

const message = (text: string, more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], ...more }],
});

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const textDelta = (output_index: number, delta: string, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  delta,
});

describe('Texts', () => {
  test('come once, whatever repeats them: pieces, the end of the item and the end of the response', () => {
    const item = message('Hello world');
    const events = [
      added(0, { ...item, content: [] }),
      textDelta(0, 'Hello '),
      textDelta(0, 'world'),
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello world' },
      done(0, item),
      ended([item]),
    ];
    expect(fold(readStream(events)).text).toBe('Hello world');
  });

  test('are complete where upstream leaves out pieces, or all events but the last', () => {
    const item = message('Hello world');
    for (const events of [
      [added(0, item), textDelta(0, 'Hello'), done(0, item), ended([item])],
      [added(0, item), textDelta(0, 'Hello'), ended([item])],
      [ended([item])],
    ]) {
      expect(fold(readStream(events)).text).toBe('Hello world');
    }
  });

  test('of a second message begin a paragraph of their own, whole and streamed', () => {
    const items = [message('Let me look.'), { ...message('Found.'), id: 'msg_2' }];
    const events = [textDelta(0, 'Let me look.'), textDelta(1, 'Fou'), textDelta(1, 'nd.'), ended(items)];
    expect(fold(readStream(events)).text).toBe('Let me look.\n\nFound.');
    expect(readWhole(items).choices[0]?.delta.content).toBe('Let me look.\n\nFound.');
  });

  test('have citations of pages with places in the whole text, and log probabilities, whole and streamed', () => {
    const citation = { type: 'url_citation', url: 'https://x.example', title: 'X', start_index: 2, end_index: 4 };
    const file = { type: 'file_citation', file_id: 'f', index: 0 };
    const logprobs = [{ token: 'b', logprob: -1, bytes: [98], top_logprobs: [] }];
    const second = { ...message('abcdef', { annotations: [citation, file], logprobs }), id: 'm2' };
    const items = [message('Intro.'), second];
    const streamed = readStream([
      textDelta(0, 'Intro.'),
      { ...textDelta(1, 'abcdef'), logprobs },
      done(1, second),
      ended(items),
    ]);
    const { start_index: _start, end_index: _end, type: _type, ...page } = citation;
    const expected = [{ type: 'url_citation', url_citation: { ...page, start_index: 10, end_index: 12 } }];
    expect(fold(streamed).annotations).toEqual(expected);
    expect(fold([readWhole(items)]).annotations).toEqual(expected);
    const told = streamed.flatMap(({ choices }) => choices.flatMap((choice) => choice.logprobs ?? []));
    expect(told).toEqual([{ content: logprobs, refusal: null }]);
    expect(readWhole(items).choices[0]?.logprobs).toEqual({ content: logprobs, refusal: null });
  });
});

describe('Reasoning', () => {
  const item = {
    id: 'rs_1',
    type: 'reasoning',
    summary: [
      { type: 'summary_text', text: 'One.' },
      { type: 'summary_text', text: 'Two.' },
    ],
    content: [{ type: 'reasoning_text', text: 'Raw.' }],
    encrypted_content: 'ENC',
  };
  const about = { id: 'rs_1', format: 'openai-responses-v1' };
  const expected = [
    { type: 'reasoning.summary', summary: 'One.', index: 0, ...about },
    { type: 'reasoning.summary', summary: 'Two.', index: 1, ...about },
    { type: 'reasoning.text', text: 'Raw.', index: 2, ...about },
    { type: 'reasoning.encrypted', data: 'ENC', index: 3, ...about },
  ];

  test('has a detail for each of its texts and its encrypted content, and reads as paragraphs', () => {
    const [delta] = deltasOf([readWhole([item])]);
    expect(delta?.reasoning_details).toEqual(expected);
    expect(delta?.reasoning).toBe('One.\n\nTwo.\n\nRaw.');
  });

  test('is the same streamed', () => {
    const piece = (type: string, place: object, delta: string) => ({ type, output_index: 0, ...place, delta });
    const events = [
      added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
      piece('response.reasoning_summary_text.delta', { summary_index: 0 }, 'One.'),
      piece('response.reasoning_summary_text.delta', { summary_index: 1 }, 'Two.'),
      piece('response.reasoning_text.delta', { content_index: 0 }, 'Raw.'),
      done(0, item),
      ended([item]),
    ];
    const deltas = deltasOf(readStream(events));
    expect(deltas.flatMap(({ reasoning_details: details }) => details ?? [])).toEqual(expected);
    expect(deltas.map(({ reasoning }) => reasoning ?? '').join('')).toBe('One.\n\nTwo.\n\nRaw.');
  });
});

describe('Calls', () => {
  test('with raw text have it as the one member of an object, whatever its characters and pieces', () => {
    const input = '*** Begin "é"\n\\ 🧠\u2028';
    const item = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input };
    // Pieces that cut a character in two.
    const pieces = input.split('');
    const events = [
      added(0, { ...item, input: '' }),
      ...pieces.map((delta) => ({ type: 'response.custom_tool_call_input.delta', output_index: 0, delta })),
      done(0, item),
      ended([item]),
    ];
    for (const chunks of [readStream(events), readStream([ended([item])]), [readWhole([item])]]) {
      const { toolCalls, finish } = fold(chunks);
      expect(toolCalls).toMatchObject([{ id: 'c1', function: { name: 'apply_patch' } }]);
      expect(JSON.parse(toolCalls[0]?.function.arguments ?? '')).toEqual({ input });
      expect(finish).toEqual({ reason: 'tool_calls', native: 'completed' });
    }
  });

  test('that come interleaved keep their own arguments, ids and numbers', () => {
    const call = (number: number, args: string) => ({
      id: `fc_${number}`,
      type: 'function_call',
      call_id: `c${number}`,
      name: `f${number}`,
      arguments: args,
    });
    const piece = (output_index: number, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta,
    });
    const items = [call(0, '{"a":1}'), call(1, '{"b":2}')];
    const events = [
      added(0, call(0, '')),
      added(1, call(1, '')),
      piece(0, '{"a"'),
      piece(1, '{"b":'),
      piece(0, ':1}'),
      piece(1, '2}'),
      ...items.map((item, place) => done(place, item)),
      ended(items),
    ];
    expect(fold(readStream(events)).toolCalls).toEqual([
      { id: 'c0', type: 'function', function: { name: 'f0', arguments: '{"a":1}' } },
      { id: 'c1', type: 'function', function: { name: 'f1', arguments: '{"b":2}' } },
    ]);
  });

  test('without any id get one', () => {
    const item = { type: 'function_call', name: 'f', arguments: '' };
    expect(fold([readWhole([item])]).toolCalls).toEqual([
      { id: 'call_made_0', type: 'function', function: { name: 'f', arguments: '{}' } },
    ]);
  });
});

describe('What upstream’s own tools made', () => {
  test('is a picture', () => {
    const about = { type: 'image_generation_call', status: 'completed' };
    const picture = { id: 'ig_1', ...about, result: 'AAAA', output_format: 'webp' };
    const items = [picture];
    const images = [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }];
    expect(readWhole(items).choices[0]?.delta.images).toEqual(images);
    expect(deltasOf(readStream([done(0, picture), ended(items)]))[0]?.images).toEqual(images);
  });

  test('is a search, which is counted', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
    const items = [search, { ...search, id: 'ws_2' }, message('Hi')];
    expect(readWhole(items).usage?.server_tool_use_details).toEqual({ web_search_requests: 2 });
  });
});

describe('The end', () => {
  test.each([
    ['max_output_tokens', 'length', 'max_output_tokens'],
    ['content_filter', 'content_filter', 'content_filter'],
    [undefined, 'length', 'incomplete'],
  ])('of a response that is incomplete for %s is %s', (reason, finish, native) => {
    const more = { status: 'incomplete', incomplete_details: reason === undefined ? null : { reason } };
    const event = { ...ended([message('cut')], more), type: 'response.incomplete' };
    for (const chunks of [readStream([event]), [readWhole([message('cut')], more)]]) {
      expect(fold(chunks).finish).toEqual({ reason: finish, native });
    }
  });

  test('has the counts, the tier and the cost that upstream names', () => {
    const costs = {
      upstream_inference_cost: 0.5,
      upstream_inference_input_cost: 0.2,
      upstream_inference_output_cost: 0.3,
    };
    const usage = { ...USAGE, cost: 0.5, cost_details: costs };
    const read = fold(readStream([ended([message('Hi')], { usage, service_tier: 'priority' })]));
    expect(read.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 6,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
    expect(read).toMatchObject({
      upstreamCostUsd: 0.5,
      upstreamCosts: { totalUsd: 0.5, promptUsd: 0.2, completionUsd: 0.3 },
      serviceTier: 'priority',
      upstreamId: 'resp_1',
    });
  });

  test('is missing in a stream that breaks off', () => {
    const reader = createReader();
    reader.readEvent(JSON.stringify(textDelta(0, 'Hel')));
    expect(() => reader.readEnd()).toThrow(/ended its response before the end/);
  });

  test.each([
    ['no response', { hello: 1 }, /not a response/],
    ['a list', [1], /not a response/],
    ['a response that goes on', responseOf([], { status: 'in_progress' }), /has not ended/],
    ['a status that is no text', { ...responseOf([]), status: { toString: 0 } }, /has not ended/],
  ])('%s in one piece is an error', (_name, body, words) => {
    expect(() => createReader().readWhole(JSON.stringify(body))).toThrow(words);
  });
});

describe('Errors', () => {
  const error = { code: 'rate_limit_exceeded', message: 'slow down, key-of-acme' };

  test.each([
    ['in a failed response', { type: 'response.failed', response: responseOf([], { status: 'failed', error }) }],
    ['flat', { type: 'error', ...error, param: null, sequence_number: 3 }],
    ['nested', { type: 'error', error }],
    ['of the form of a page of the documentation', { type: 'response.error', error }],
    ['without a type', { error }],
  ])('of a stream are read: %s', (_name, event) => {
    const reader = createReader();
    reader.readEvent(JSON.stringify(textDelta(0, 'Hel')));
    const thrown = catchError(() => reader.readEvent(JSON.stringify(event)));
    expect(thrown).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(JSON.stringify([thrown.message, thrown.metadata])).not.toContain('key-of-acme');
  });

  test.each([
    ['server_error', 'provider_unavailable'],
    ['server_is_overloaded', 'provider_overloaded'],
    ['invalid_prompt', 'invalid_request'],
    ['context_length_exceeded', 'context_length_exceeded'],
    ['invalid_image_url', 'invalid_request'],
    [null, 'provider_unavailable'],
  ])('of the code %s are %s, whole and streamed', (code, expected) => {
    const failed = responseOf([], { status: 'failed', error: { code, message: 'No' } });
    const whole = catchError(() => createReader().readWhole(JSON.stringify(failed)));
    const event = { type: 'response.failed', response: failed };
    const streamed = catchError(() => createReader().readEvent(JSON.stringify(event)));
    expect([whole.code, streamed.code]).toEqual([expected, expected]);
  });
});

function catchError(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}

describe('For a caller of the same form', () => {
  const shell = { id: 'lsh_1', type: 'local_shell_call', call_id: 'c1', action: {}, status: 'completed' };

  test('every event is kept as it came, the last one, too', () => {
    const events = [
      { type: 'response.created', response: responseOf([], { status: 'in_progress' }) },
      added(0, shell),
      done(0, shell),
      { type: 'event.of_tomorrow', novelty: 1 },
      ended([shell]),
    ];
    const native = readStream(events, true).flatMap((chunk) => chunk.native ?? []);
    expect(native).toEqual(events.map((event) => ({ type: event.type, data: JSON.stringify(event) })));
  });

  test('an item that only that form has begins the completion', () => {
    const [chunk] = readStream([added(0, shell), ended([shell])], true);
    expect(chunk?.choices).toHaveLength(1);
  });

  test('a whole response is kept as it came', () => {
    const text = ` ${JSON.stringify(responseOf([shell]))}\n`;
    expect(createReader(true).readWhole(text).native).toEqual([{ type: 'whole', data: text }]);
    expect(createReader().readWhole(text).native).toBeUndefined();
  });
});
