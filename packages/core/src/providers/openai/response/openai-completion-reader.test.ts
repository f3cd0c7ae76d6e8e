import fc from 'fast-check';
import { expect, test } from 'vitest';

import { GatewayError } from '../../../foundation/errors.ts';
import { finishReasonSchema } from '../../../wire/chat-chunk.ts';
import { createOpenAiCompletionReader } from './openai-completion-reader.ts';

const newReader = (): ReturnType<typeof createOpenAiCompletionReader> =>
  createOpenAiCompletionReader({ providerName: 'Acme', secrets: ['s3cr3t'], makeId: (number) => `made-${number}` });

const readEvent = (event: unknown): ReturnType<ReturnType<typeof newReader>['readEvent']> =>
  newReader().readEvent(JSON.stringify(event));
const readWhole = (completion: unknown): ReturnType<ReturnType<typeof newReader>['readWhole']> =>
  newReader().readWhole(JSON.stringify(completion));
const delta = (value: unknown): unknown => readEvent({ choices: [{ index: 0, delta: value }] })?.choices[0]?.delta;

test('reads the text of an event, and what upstream alone knows', () => {
  expect(
    readEvent({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: 'x',
      system_fingerprint: 'fp',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: 'Hi',
          },
          finish_reason: null,
          logprobs: null,
        },
      ],
      usage: null,
    }),
  ).toEqual({
    upstreamId: 'chatcmpl-1',
    systemFingerprint: 'fp',
    serviceTier: 'default',
    choices: [
      {
        index: 0,
        delta: { content: 'Hi' },
        finish_reason: null,
        native_finish_reason: null,
      },
    ],
  });
});

test.each([
  ['a role alone', { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
  ['no choices', { id: 'x', choices: [] }],
  ['choices that are null', { id: 'x', choices: null }],
  ['no choices at all', { id: 'x' }],
  ['a delta that is null', { choices: [{ delta: null }] }],
  ['usage that is none', { choices: [], usage: { prompt_tokens: -1 } }],
])('finds nothing in an event with %s', (_name, event) => {
  expect(readEvent(event)).toBeUndefined();
});

test('reads usage beside empty choices', () => {
  expect(readEvent({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, cost: 0.5 } })).toEqual({
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    upstreamCostUsd: 0.5,
  });
});

test.each([
  [{ reasoning: 'hm' }, 'hm'],
  [{ reasoning_content: 'hm' }, 'hm'],
  [
    {
      content: [
        {
          type: 'thinking',
          thinking: [
            { type: 'text', text: 'h' },
            { type: 'text', text: 'm' },
          ],
        },
      ],
    },
    'hm',
  ],
  [{ content: [{ type: 'thinking', thinking: 'hm' }] }, 'hm'],
])('reads reasoning from %j', (message, reasoning) => {
  expect(delta(message)).toEqual({
    reasoning,
    reasoning_details: [{ type: 'reasoning.text', text: reasoning, format: 'unknown', index: 0 }],
  });
});

test('keeps the reasoning details that upstream itself sends', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'AA==', id: null }];
  expect(delta({ reasoning: 'hm', reasoning_details: details })).toEqual({
    reasoning: 'hm',
    reasoning_details: details,
  });
});

test('reads content that comes in parts, refusals, images, audio and annotations', () => {
  expect(
    delta({ content: [{ type: 'text', text: 'a' }, { type: 'text' }, { type: 'image' }, { type: 'text', text: 'b' }] }),
  ).toEqual({
    content: 'ab',
  });
  expect(delta({ refusal: 'I cannot' })).toEqual({ refusal: 'I cannot' });
  const extras = {
    images: [{ type: 'image_url', image_url: { url: 'data:,' } }],
    audio: { id: 'a', data: 'AA==' },
    annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.example' } }],
  };
  expect(delta(extras)).toEqual(extras);
});

test.each([
  ['beside the choices', { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
  ['in x_groq', { choices: [], x_groq: { id: 'r', usage: { prompt_tokens: 1, completion_tokens: 2 } } }],
  ['in the choice', { choices: [{ delta: {}, usage: { prompt_tokens: 1, completion_tokens: 2 } }] }],
])('reads usage %s', (_name, event) => {
  expect(readEvent(event)?.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 });
});

test('separates a leading block of thoughts from the content where the server sends them so', () => {
  const options = { providerName: 'Acme', secrets: [], hasThinkTags: true, makeId: String };
  const completion = { choices: [{ message: { content: '<think>\nhm</think>\n\nHi' }, finish_reason: 'stop' }] };
  const whole = createOpenAiCompletionReader(options).readWhole(JSON.stringify(completion));
  expect(whole.choices[0]?.delta).toEqual({
    content: 'Hi',
    reasoning: 'hm',
    reasoning_details: [{ type: 'reasoning.text', text: 'hm', format: 'unknown', index: 0 }],
  });
  expect(readWhole(completion).choices[0]?.delta).toEqual({ content: '<think>\nhm</think>\n\nHi' });

  const reader = createOpenAiCompletionReader(options);
  const deltas = ['<thi', 'nk>h', 'm</', 'think>', '\n\n', 'H', 'i', '<think>', '!'].map(
    (content) =>
      reader.readEvent(JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))?.choices[0]
        ?.delta,
  );
  expect(deltas.map((each) => each?.reasoning ?? '').join('')).toBe('hm');
  expect(deltas.map((each) => each?.content ?? '').join('')).toBe('Hi<think>!');
});

test('gives out a beginning that only looked like a block of thoughts, with the finish reason', () => {
  const reader = createOpenAiCompletionReader({
    providerName: 'Acme',
    secrets: [],
    hasThinkTags: true,
    makeId: String,
  });
  expect(reader.readEvent('{"choices":[{"delta":{"content":"<thi"}}]}')).toBeUndefined();
  expect(reader.readEvent('{"choices":[{"delta":{},"finish_reason":"length"}]}')?.choices[0]).toMatchObject({
    delta: { content: '<thi' },
    finish_reason: 'length',
  });
});

test.each([
  ['on_demand', 'default'],
  ['standard', 'default'],
  ['performance', 'priority'],
  ['flex', 'flex'],
])('calls the tier %s %s', (tier, name) => {
  expect(readEvent({ service_tier: tier, choices: [{ delta: { content: 'x' } }] })?.serviceTier).toBe(name);
});

test('keeps log probabilities, also where there is no text beside them', () => {
  const logprobs = { content: [{ token: 'a', logprob: -0.1 }] };
  expect(readEvent({ choices: [{ index: 0, delta: {}, logprobs }] })?.choices[0]?.logprobs).toEqual(logprobs);
});

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['function_call', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['insufficient_system_resource', 'error'],
  ['abort', 'error'],
  ['never heard of', 'stop'],
  ['constructor', 'stop'],
  ['__proto__', 'stop'],
])('maps the finish reason "%s" to %s and keeps the original', (native, reason) => {
  expect(readEvent({ choices: [{ delta: {}, finish_reason: native }] })?.choices[0]).toMatchObject({
    finish_reason: reason,
    native_finish_reason: native,
  });
});

test('reports the word of the provider behind a gateway, and goes by the gateway’s own', () => {
  const choice = { finish_reason: 'length', native_finish_reason: 'MAX_TOKENS' };
  const expected = { finish_reason: 'length', native_finish_reason: 'MAX_TOKENS' };
  expect(readEvent({ choices: [{ delta: {}, ...choice }] })?.choices[0]).toMatchObject(expected);
  expect(readWhole({ choices: [{ message: { content: 'x' }, ...choice }] }).choices[0]).toMatchObject(expected);
});

test('keeps what came before the error of a choice, and the error beside it', () => {
  const error = { code: 429, message: 'no more for s3cr3t' };
  const failure = expect.objectContaining({ code: 'rate_limit_exceeded', message: 'no more for [redacted]' }) as Error;
  const expected = { choices: [{ delta: { content: 'Hel' }, finish_reason: 'error' }], upstream: { failure } };
  for (const reason of ['error', 'stop', null]) {
    const choice = { finish_reason: reason, error };
    expect(readEvent({ choices: [{ delta: { content: 'Hel' }, ...choice }] })).toMatchObject(expected);
    expect(readWhole({ choices: [{ message: { content: 'Hel' }, ...choice }] })).toMatchObject(expected);
  }
});

test('says that tools were called even when upstream says stop', () => {
  const reader = newReader();
  reader.readEvent(
    JSON.stringify({
      choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] } }],
    }),
  );
  const end = reader.readEvent(JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] }));
  expect(end?.choices[0]).toMatchObject({ finish_reason: 'tool_calls', native_finish_reason: 'stop' });

  const whole = readWhole({
    choices: [{ message: { tool_calls: [{ id: 'a', function: { name: 'f' } }] }, finish_reason: 'stop' }],
  });
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    delta: { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
  });
});

test('hands out a call without arguments with the finish reason', () => {
  const reader = newReader();
  expect(
    reader.readEvent(
      JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] } }] }),
    ),
  ).toBeUndefined();
  const end = reader.readEvent(JSON.stringify({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] }));
  expect(end?.choices[0]?.delta.tool_calls).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
  ]);
});

test('takes an empty finish reason for none, beside texts and in the middle of calls', () => {
  const called = (name: string | undefined, args: string): object => ({
    tool_calls: [{ index: 0, ...(name && { id: 'call_1' }), function: { ...(name && { name }), arguments: args } }],
  });
  const event = (piece: object, reason: string): string =>
    JSON.stringify({ choices: [{ index: 0, delta: piece, finish_reason: reason, native_finish_reason: reason }] });
  const reader = newReader();
  const read = (piece: object, reason = ''): ReturnType<typeof reader.readEvent> =>
    reader.readEvent(event(piece, reason));
  const open = { finish_reason: null, native_finish_reason: null };

  expect(read({ role: 'assistant', content: '' })).toBeUndefined();
  // The second text is read by the template that the first one made.
  expect(read({ content: 'Let me' })?.choices).toEqual([{ index: 0, delta: { content: 'Let me' }, ...open }]);
  expect(read({ content: ' look' })?.choices).toEqual([{ index: 0, delta: { content: ' look' }, ...open }]);
  expect(read(called('find', ''))).toBeUndefined();
  expect(read(called(undefined, '{"a":'))?.choices[0]).toMatchObject({
    ...open,
    delta: { tool_calls: [{ id: 'call_1', function: { name: 'find', arguments: '{"a":' } }] },
  });
  expect(read(called(undefined, '1}'))?.choices[0]).toEqual({
    index: 0,
    delta: { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
    ...open,
  });
  expect(read({}, 'tool_calls')?.choices).toEqual([
    { index: 0, delta: {}, finish_reason: 'tool_calls', native_finish_reason: 'tool_calls' },
  ]);
});

test('an unstreamed completion with an empty finish reason is whole', () => {
  expect(readWhole({ choices: [{ message: { content: 'Hi' }, finish_reason: '' }] }).choices).toEqual([
    { index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: null },
  ]);
});

test('keeps the tool calls of several choices apart', () => {
  const reader = newReader();
  const event = (index: number, id: string): unknown =>
    reader.readEvent(
      JSON.stringify({
        choices: [{ index, delta: { tool_calls: [{ index: 0, id, function: { name: 'f', arguments: '{}' } }] } }],
      }),
    )?.choices[0]?.delta.tool_calls?.[0]?.index;
  expect([event(0, 'a'), event(1, 'b')]).toEqual([0, 0]);
});

test('reads an unstreamed completion with several calls, each in one piece', () => {
  const completion = readWhole({
    choices: [
      {
        message: {
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', type: 'function', function: { name: 'f', arguments: '' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
  expect(completion.choices[0]?.delta.tool_calls).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    { index: 1, id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } },
  ]);
});

test.each([
  ['text', 'not json'],
  ['a cut document', '{"choices":[{"mess'],
  ['nothing', ''],
])('refuses %s as no JSON', (_name, text) => {
  const refusal = new GatewayError('provider_unavailable', 'Acme returned something that is not JSON');
  expect(() => newReader().readWhole(text)).toThrow(refusal);
  expect(() => newReader().readEvent(text)).toThrow(refusal);
});

test.each([
  'null',
  '[]',
  '"ok"',
  '5',
  'true',
  '{"choices":"x"}',
  '{"choices":{"0":{}}}',
  '{"choices":[null]}',
  '{"choices":[5]}',
])('refuses %s as a completion', (text) => {
  const refusal = new GatewayError('provider_unavailable', 'Acme returned JSON that is not a chat completion');
  expect(() => newReader().readWhole(text)).toThrow(refusal);
  expect(() => newReader().readEvent(text)).toThrow(refusal);
});

test.each([{}, { choices: [] }, { choices: null }])('refuses %j as an unstreamed completion', (completion) => {
  expect(() => readWhole(completion)).toThrow(
    new GatewayError('provider_unavailable', 'Acme returned a completion without choices'),
  );
});

test.each([
  [
    '{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}',
    'rate_limit_exceeded',
    'slow down',
  ],
  [
    '{"error":{"message":"too long","code":"context_length_exceeded"},"choices":[]}',
    'context_length_exceeded',
    'too long',
  ],
  ['{"error":{"message":"no","code":429}}', 'rate_limit_exceeded', 'no'],
  ['{"error":{"message":"no","code":"503"}}', 'provider_overloaded', 'Acme is overloaded'],
  ['{"error":{"message":"bad s3cr3t","code":400}}', 'invalid_request', 'bad [redacted]'],
  ['{"error":"it broke"}', 'provider_unavailable', 'Acme returned an error'],
  ['{"error":{"code":"constructor"}}', 'provider_unavailable', 'Acme returned an error'],
  ['{"error":[]}', 'provider_unavailable', 'Acme returned an error'],
  ['{"x_groq":{"id":"r","error":"over capacity"},"choices":[]}', 'provider_unavailable', 'Acme returned an error'],
  ['{"object":"error","message":"no","type":"BadRequestError","code":400}', 'invalid_request', 'no'],
  ['{"message":"slower, please","code":429}', 'rate_limit_exceeded', 'slower, please'],
])('throws what the error %s means', (text, code, message) => {
  const meant = expect.objectContaining({ code, message });
  expect(() => newReader().readEvent(text)).toThrow(meant);
  expect(() => newReader().readWhole(text)).toThrow(meant);
});

test('takes an error that is null for none', () => {
  expect(readEvent({ error: null, choices: [{ delta: { content: 'x' } }] })?.choices[0]?.delta.content).toBe('x');
});

test('whatever shape a piece has, it is read, refused or passed over, and never breaks the gateway', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, true, 0, 1.5, -1, 'x', '', '__proto__', [], {}, [null], [5], ['x'], [[]], { length: 2 }),
    fc.json().map((text): unknown => JSON.parse(text)),
  );
  const often = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: odd });
  const shape = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
    often(
      fc.record(Object.fromEntries(Object.entries(model).map(([name, value]) => [name, often(value)])), {
        requiredKeys: [],
      }),
    );
  const listOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => often(fc.array(item, { maxLength: 3 }));

  const called = shape({ name: fc.constantFrom('f', 'g'), arguments: fc.constantFrom('', '{', '}', '{}') });
  const toolCall = shape({ index: fc.nat(3), id: fc.constantFrom('a', 'b'), function: called });
  const part = shape({
    type: fc.constantFrom('text', 'thinking'),
    text: fc.string(),
    thinking: listOf(shape({ text: fc.string() })),
  });
  const message = shape({
    content: fc.oneof(fc.string(), listOf(part)),
    refusal: fc.string(),
    reasoning: fc.string(),
    reasoning_content: fc.string(),
    reasoning_details: listOf(shape({ type: fc.string() })),
    tool_calls: listOf(toolCall),
    images: listOf(odd),
    audio: odd,
    annotations: listOf(odd),
  });
  const choice = shape({
    index: fc.nat(2),
    delta: message,
    message,
    finish_reason: fc.constantFrom('stop', 'length', 'tool_calls'),
    logprobs: odd,
  });
  const completion = shape({
    id: fc.string(),
    choices: listOf(choice),
    usage: shape({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() }),
    error: shape({ code: fc.oneof(fc.string(), fc.nat()), message: fc.string(), type: fc.string() }),
    system_fingerprint: fc.string(),
    service_tier: fc.string(),
    x_groq: odd,
    object: fc.constantFrom('error', 'chat.completion'),
  });

  fc.assert(
    fc.property(fc.array(completion, { maxLength: 4 }), fc.boolean(), (completions, isWhole) => {
      const reader = newReader();
      try {
        for (const each of completions) {
          const chunk = isWhole ? reader.readWhole(JSON.stringify(each)) : reader.readEvent(JSON.stringify(each));
          for (const { index, delta: found, finish_reason: reason, native_finish_reason: native } of chunk?.choices ??
            []) {
            expect(Number.isSafeInteger(index) && index >= 0).toBe(true);
            expect(reason === null || finishReasonSchema.safeParse(reason).success).toBe(true);
            expect(native === null || typeof native === 'string').toBe(true);
            for (const text of [found.content, found.reasoning, found.refusal]) {
              expect(text === undefined || typeof text === 'string').toBe(true);
            }
            for (const list of [found.tool_calls, found.reasoning_details, found.images, found.annotations]) {
              expect(list === undefined || Array.isArray(list)).toBe(true);
            }
            for (const call of found.tool_calls ?? []) expect(typeof (call.function.name ?? '')).toBe('string');
          }
        }
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});
