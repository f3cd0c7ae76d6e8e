import fc from 'fast-check';
import { expect, test } from 'vitest';

import { GatewayError } from '../../../foundation/errors.ts';
import type { ChatChunk, ChatDelta } from '../../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../../wire/chat-request.ts';
import { createGoogleCompletionReader } from './google-completion-reader.ts';

const newReader = (): ReturnType<typeof createGoogleCompletionReader> =>
  createGoogleCompletionReader({ providerName: 'Acme', secrets: [], makeId: (number) => `made-${number}` });

const event = (parts: readonly object[], extra: object = {}): object => ({
  candidates: [{ content: { parts }, ...extra }],
});
const readWhole = (completion: object): ChatChunk => newReader().readWhole(JSON.stringify(completion));
const wholeDelta = (parts: readonly object[], extra: object = {}): ChatDelta | undefined =>
  readWhole(event(parts, { finishReason: 'STOP', ...extra })).choices[0]?.delta;

function readStreamed(events: readonly object[]): ChatChunk[] {
  const reader = newReader();
  return [...events.flatMap((each) => reader.readEvent(JSON.stringify(each)) ?? []), reader.readEnd()];
}

/** Folds chunks into one message, as a client does. */
function fold(chunks: readonly ChatChunk[]): object {
  const message = {
    content: '',
    reasoning: '',
    details: [] as ReasoningDetail[],
    calls: [] as string[][],
    images: [] as unknown[],
  };
  for (const { choices } of chunks) {
    const delta: ChatDelta = choices[0]?.delta ?? {};
    message.content += delta.content ?? '';
    message.reasoning += delta.reasoning ?? '';
    message.images.push(...(delta.images ?? []));
    for (const detail of delta.reasoning_details ?? []) {
      const known = message.details.find(({ index, type }) => index === detail['index'] && type === 'reasoning.text');
      if (known === undefined) message.details.push({ ...detail });
      else Object.assign(known, detail, { text: `${known['text'] as string}${detail['text'] as string}` });
    }
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      const known = (message.calls[index] ??= [id ?? '', called.name ?? '', '']);
      known[2] += called.arguments;
    }
  }
  const last = chunks.at(-1);
  return { ...message, usage: last?.usage, finish: last?.choices[0]?.finish_reason };
}

test('separates thoughts from text, and keeps their signatures', () => {
  expect(
    wholeDelta([
      { text: 'Let me ', thought: true },
      { text: 'see.', thought: true },
      { text: 'Hi', thoughtSignature: 'c2ln' },
    ]),
  ).toEqual({
    content: 'Hi',
    reasoning: 'Let me see.',
    reasoning_details: [
      { type: 'reasoning.text', text: 'Let me see.', format: 'google-gemini-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'c2ln', id: null, format: 'google-gemini-v1', index: 1 },
    ],
  });
});

test('reads calls with their own ids, made-up ones, and none of their arguments', () => {
  expect(
    wholeDelta([
      { functionCall: { id: 'own', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
      { functionCall: { id: 'own', name: 'f', args: null } },
      { functionCall: { name: 'g' } },
    ]),
  ).toEqual({
    tool_calls: [
      { index: 0, id: 'own', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { index: 1, id: 'made-1', type: 'function', function: { name: 'f', arguments: '{}' } },
      { index: 2, id: 'made-2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ],
    reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2ln', id: 'own', format: 'google-gemini-v1', index: 0 }],
  });
});

const call = (functionCall: object): object => event([{ functionCall }]);
const stop = event([], { finishReason: 'STOP' });
const callsOf = (events: readonly object[]): unknown => (fold(readStreamed(events)) as { calls: unknown }).calls;

test('puts streamed arguments together, and lets the name leave first', () => {
  const events = [
    call({ name: 'move', willContinue: true }),
    call({ partialArgs: [{ jsonPath: '$.to', stringValue: 'Par', willContinue: true }], willContinue: true }),
    call({
      partialArgs: [
        { jsonPath: '$.to', stringValue: 'is' },
        { jsonPath: '$.by[0]', stringValue: 'rail' },
      ],
      willContinue: true,
    }),
    call({
      partialArgs: [
        { jsonPath: '$.by[1]', nullValue: 'NULL_VALUE' },
        { jsonPath: '$.fast', boolValue: true },
      ],
      willContinue: true,
    }),
    call({}),
    event([{ functionCall: { name: 'wait', args: { minutes: 5 } } }], { finishReason: 'STOP' }),
  ];
  const chunks = readStreamed(events);
  expect(chunks[0]?.choices[0]?.delta.tool_calls).toEqual([
    { index: 0, id: 'made-0', type: 'function', function: { name: 'move', arguments: '' } },
  ]);
  expect(fold(chunks)).toMatchObject({
    calls: [
      ['made-0', 'move', '{"to":"Paris","by":["rail",null],"fast":true}'],
      ['made-1', 'wait', '{"minutes":5}'],
    ],
    finish: 'tool_calls',
  });
});

test.each([
  [
    'the next call',
    [call({ name: 'g' })],
    [
      ['made-0', 'f', '{"a":"x"}'],
      ['made-1', 'g', '{}'],
    ],
  ],
  [
    'the next call that is streamed, too',
    [call({ name: 'g', willContinue: true }), call({ partialArgs: [{ jsonPath: '$.b', numberValue: 1 }] })],
    [
      ['made-0', 'f', '{"a":"x"}'],
      ['made-1', 'g', '{"b":1}'],
    ],
  ],
  ['the end of the completion', [], [['made-0', 'f', '{"a":"x"}']]],
  ['a last piece', [call({ partialArgs: [{ jsonPath: '$.a', stringValue: 'y' }] })], [['made-0', 'f', '{"a":"xy"}']]],
  ['arguments that come whole after all', [call({ args: { b: 1 } })], [['made-0', 'f', '{"a":"x","b":1}']]],
  ['an end that comes twice', [call({}), call({})], [['made-0', 'f', '{"a":"x"}']]],
])('ends a call whose arguments are streamed with %s', (_name, rest, calls) => {
  const begun = call({ name: 'f', partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true });
  expect(callsOf([begun, ...rest, stop])).toEqual(calls);
});

test('leaves the arguments of a call that was cut off open', () => {
  const begun = call({ name: 'f', partialArgs: [{ jsonPath: '$.path', stringValue: '/tm' }], willContinue: true });
  const chunks = readStreamed([begun, event([], { finishReason: 'MAX_TOKENS' })]);
  expect(fold(chunks)).toMatchObject({ calls: [['made-0', 'f', '{"path":"/tm"']], finish: 'length' });
});

test('reads images and sound, and leaves drafts and files of other kinds out', () => {
  expect(
    wholeDelta([
      { inlineData: { mimeType: 'image/png', data: 'AA==' }, thought: true },
      { inlineData: { mimeType: 'image/png', data: 'BB==' }, thoughtSignature: 'c2ln' },
      { inlineData: { mimeType: 'audio/pcm', data: 'CC==' } },
      { inlineData: { mimeType: 'application/pdf', data: 'DD==' } },
      { inlineData: {} },
    ]),
  ).toEqual({
    images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,BB==' } }],
    audio: { data: 'CC==' },
    reasoning_details: [
      { type: 'reasoning.encrypted', data: 'c2ln', id: 'image_0', format: 'google-gemini-v1', index: 0 },
    ],
  });
});

test('passes over parts that it does not know', () => {
  expect(
    wholeDelta([
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { text: 5 },
      { text: 'ok' },
      {},
    ]),
  ).toEqual({ content: 'ok' });
});

test.each([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['OTHER', 'content_filter'],
  ['NO_IMAGE', 'stop'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['SOMETHING_NEW', 'error'],
])('calls the end %s %s, and keeps the word', (native, reason) => {
  const choice = { index: 0, delta: {}, finish_reason: reason, native_finish_reason: native };
  expect(readWhole({ candidates: [{ finishReason: native }] })).toEqual({ choices: [choice] });
  expect(readStreamed([{ candidates: [{ finishReason: native }] }])).toEqual([{ choices: [choice] }]);
});

test('takes the last of several finish reasons, and reads on after the first', () => {
  const events = [
    event([{ text: 'a' }], { finishReason: 'STOP' }),
    event([{ text: 'b' }], { finishReason: 'MAX_TOKENS' }),
  ];
  expect(fold(readStreamed(events))).toMatchObject({ content: 'ab', finish: 'length' });
});

test.each([
  ['no candidates', { usageMetadata: { promptTokenCount: 1 } }],
  ['a candidate that has not ended', event([{ text: 'Hi' }])],
  ['a candidate whose end is not told', event([], { finishReason: 'FINISH_REASON_UNSPECIFIED' })],
])('treats a completion with %s as broken', (_name, completion) => {
  const failure = new GatewayError('provider_unavailable', 'Acme ended its completion without a finish reason');
  expect(() => readWhole(completion)).toThrow(failure);
  expect(() => readStreamed([completion])).toThrow(failure);
});

test.each([
  ['SAFETY', 'SAFETY'],
  ['PROHIBITED_CONTENT', 'PROHIBITED_CONTENT'],
  ['<b>', 'OTHER'],
])('refuses with a 403 and the reason when the prompt was blocked for %s', (blockReason, shown) => {
  const completion = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 4 } };
  for (const reading of [() => readWhole(completion), () => readStreamed([completion])]) {
    let thrown: unknown;
    try {
      reading();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'moderation_flagged',
      status: 403,
      message: `Acme blocked the prompt: ${shown}`,
      metadata: { provider_name: 'Acme', provider_code: shown, reasons: [shown] },
    });
  }
});

test('does not take the ratings of a prompt that passed for a block', () => {
  const completion = { ...event([{ text: 'Hi' }], { finishReason: 'STOP' }), promptFeedback: { safetyRatings: [] } };
  expect(readWhole(completion).choices[0]?.delta).toEqual({ content: 'Hi' });
});

test('cites the sources of a completion at the end, with indices counted in characters', () => {
  const text = 'Zażółć. Yes.';
  const grounding = {
    groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }, { web: { uri: 'https://b.example' } }, {}],
    groundingSupports: [
      { segment: { endIndex: 11 }, groundingChunkIndices: [0, 1, 2, 9, { toString: 0 }] },
      { segment: { startIndex: 12, endIndex: 16 }, groundingChunkIndices: [0] },
      {},
    ],
  };
  const events = [
    event([{ text }], { groundingMetadata: {} }),
    event([], { groundingMetadata: grounding, finishReason: 'STOP' }),
  ];
  const citations = readStreamed(events).at(-1)?.choices[0]?.delta.annotations;
  expect(citations).toEqual([
    { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 7 } },
    {
      type: 'url_citation',
      url_citation: { url: 'https://b.example', title: 'https://b.example', start_index: 0, end_index: 7 },
    },
    { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 8, end_index: 12 } },
  ]);
  expect(wholeDelta([{ text }], { groundingMetadata: grounding })?.annotations).toEqual(citations);
  const { groundingChunks } = grounding;
  expect(wholeDelta([{ text }], { groundingMetadata: { groundingChunks } })?.annotations).toHaveLength(2);
});

test('turns probabilities into the form of our wire', () => {
  const logprobsResult = {
    chosenCandidates: [{ token: 'Hé', tokenId: 1, logProbability: -0.5 }, { token: '!' }],
    topCandidates: [
      {
        candidates: [
          { token: 'Hé', logProbability: -0.5 },
          { token: 'Ho', logProbability: -2 },
        ],
      },
    ],
  };
  expect(readWhole(event([{ text: 'Hé!' }], { finishReason: 'STOP', logprobsResult })).choices[0]?.logprobs).toEqual({
    content: [
      {
        token: 'Hé',
        logprob: -0.5,
        bytes: [72, 195, 169],
        top_logprobs: [
          { token: 'Hé', logprob: -0.5, bytes: [72, 195, 169] },
          { token: 'Ho', logprob: -2, bytes: [72, 111] },
        ],
      },
      { token: '!', logprob: 0, bytes: [33], top_logprobs: [] },
    ],
    refusal: null,
  });
});

test('reports usage with each event that changes it, and the last word at the end', () => {
  const usage = (candidatesTokenCount: number): object => ({
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount },
  });
  const chunks = readStreamed([
    { ...event([{ text: 'a' }]), ...usage(1) },
    usage(2),
    { ...event([{ text: 'b' }], { finishReason: 'STOP' }), ...usage(5), responseId: 'r-1' },
  ]);
  expect(chunks.map((chunk) => chunk.usage?.completion_tokens)).toEqual([1, 2, 5, 5]);
  expect(chunks[2]?.upstreamId).toBe('r-1');
});

test('treats a missing count of output as zero only when the completion is empty', () => {
  const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 };
  const finishReason = 'SAFETY';
  for (const parts of [[], [{ text: 'Hi' }]]) {
    const completion = { ...event(parts, { finishReason }), usageMetadata };
    const tokens = parts.length === 0 ? 0 : undefined;
    expect(readWhole(completion).usage?.completion_tokens).toBe(tokens);
    expect(readStreamed([completion]).at(-1)?.usage?.completion_tokens).toBe(tokens);
  }
});

const partArbitrary = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 12 }) }),
  fc.record({ text: fc.string({ maxLength: 12 }), thought: fc.constant(true) }),
  fc.record({ text: fc.string({ maxLength: 5 }), thoughtSignature: fc.base64String({ minLength: 4, maxLength: 8 }) }),
  fc.record({
    text: fc.string({ minLength: 1, maxLength: 5 }),
    thought: fc.constant(true),
    thoughtSignature: fc.constant('c2ln'),
  }),
  fc.record({
    functionCall: fc.record({ name: fc.constantFrom('f', 'g'), args: fc.dictionary(fc.string(), fc.jsonValue()) }),
  }),
  fc.record({ inlineData: fc.constant({ mimeType: 'image/png', data: 'AA==' }) }),
);

test('returns the same message and usage however the parts of a completion are spread over events', () => {
  fc.assert(
    fc.property(
      fc.array(partArbitrary, { maxLength: 12 }),
      fc.array(fc.boolean(), { maxLength: 12 }),
      (parts, breaks) => {
        const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 9, thoughtsTokenCount: 2 };
        const groups: object[][] = [[]];
        parts.forEach((part, index) => {
          if (breaks[index] === true) groups.push([]);
          groups.at(-1)?.push(part);
        });
        const events = [...groups.map((group) => event(group)), { ...stop, usageMetadata }];
        const whole = readWhole({ ...event(parts, { finishReason: 'STOP' }), usageMetadata });
        expect(fold(readStreamed(events))).toEqual(fold([whole]));
      },
    ),
  );
});

test('throws nothing but a GatewayError, whatever upstream sends', () => {
  const shaped = fc.record(
    {
      candidates: fc.oneof(
        fc.array(
          fc.record(
            {
              content: fc.record({ parts: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())) }),
              finishReason: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        fc.jsonValue(),
      ),
      usageMetadata: fc.jsonValue(),
      promptFeedback: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped), (completion) => {
      for (const reading of [() => readWhole(completion as object), () => readStreamed([completion as object])]) {
        try {
          reading();
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }
    }),
  );
});

test.each([
  ['gemini-3.5-flash', ['a fox', 'a den', ''], 2],
  ['gemini-2.5-flash', ['a fox', 'a den'], 1],
  ['gemini-2.5-flash', [], undefined],
])(
  'counts the searches that Google charges a call of %s for, with the queries %j',
  (modelVersion, webSearchQueries, count) => {
    const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2 };
    const end = {
      ...event([{ text: 'Hi' }], { finishReason: 'STOP', groundingMetadata: { webSearchQueries } }),
      modelVersion,
      usageMetadata,
    };
    const expected = count === undefined ? undefined : { web_search_requests: count };
    expect(readWhole(end).usage?.server_tool_use_details).toEqual(expected);
    const streamed = readStreamed([end, { usageMetadata }]);
    expect(streamed.at(-1)?.usage?.server_tool_use_details).toEqual(expected);
  },
);
