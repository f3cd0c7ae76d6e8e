import { expect, test } from 'vitest';

import type { FrameText, WholeCompletion } from '../../chat/format.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { responsesFormat } from './responses-format.ts';

const parse = (input: unknown, more: object = {}) => responsesFormat.parse({ model: 'test/model', input, ...more }, {});

interface Item {
  readonly id: string;
  readonly type: string;
  readonly encrypted_content?: string;
}

const CALL = { index: 0, id: 'call_1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };

/** The items in which reasoning is given to a client. */
function toItems(details: readonly ReasoningDetail[], more: object = {}): readonly Item[] {
  const { encoder, request } = parse('Hello', more);
  const delta = { reasoning_details: [...details], tool_calls: [CALL] };
  const chunks = [{ choices: [{ index: 0, delta, finish_reason: 'tool_calls' as const, native_finish_reason: null }] }];
  const known = { id: 'gen-1700000000-abcdefghijkl', created: 1, model: 'test/model', provider: 'Up', failure: null };
  const completion: WholeCompletion = { ...known, chunks, usage: undefined, citations: undefined, members: undefined };
  return (encoder.toWhole(completion, request) as { output: readonly Item[] }).output;
}

/** The details that are read of items when a client sends them back. */
function readBack(items: readonly object[]): unknown {
  const results = [{ type: 'function_call_output', call_id: 'call_1', output: 'done' }];
  const [, turn] = parse([{ role: 'user', content: 'Hello' }, ...items, ...results]).request.messages;
  return (turn as { reasoning_details?: unknown }).reasoning_details;
}

const KEEPING = { include: ['reasoning.encrypted_content'] };
const CLAUDE = { type: 'reasoning.text', format: 'anthropic-claude-v1' };

const RAW = { type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 };

test('the reasoning of models with open weights is the content of its item', () => {
  for (const format of ['unknown', 'openai-responses-v1']) {
    const [reasoning] = toItems([{ ...RAW, format }]);
    expect(reasoning).toMatchObject({ summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] });
  }
});

test('summaries are the summary of their item, and so are the texts of models that only summarise', () => {
  for (const detail of [
    { type: 'reasoning.summary', summary: 'Hm.', format: 'openai-responses-v1' },
    { ...RAW, format: 'anthropic-claude-v1' },
    { ...RAW, format: 'google-gemini-v1' },
  ]) {
    const [reasoning] = toItems([detail]);
    expect(reasoning).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] });
    expect(reasoning).not.toHaveProperty('content');
  }
});

test('a caller who asks for a summary gets the text there, as most clients show nothing else', () => {
  const [reasoning] = toItems([RAW], { reasoning: { summary: 'auto' } });
  expect(reasoning).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] });
  expect(reasoning).not.toHaveProperty('content');
});

test('each signed text is an item of its own, so that signatures come back with their texts', () => {
  const items = toItems([
    { ...CLAUDE, text: 'A', signature: 'sig-a', index: 0 },
    { ...CLAUDE, text: 'B', signature: 'sig-b', index: 1 },
  ]);
  expect(readBack(items)).toEqual([
    { ...CLAUDE, text: 'A', signature: 'sig-a', index: 0 },
    { ...CLAUDE, text: 'B', signature: 'sig-b', index: 1 },
  ]);
});

test('reasoning that is only text comes back from encrypted content alone, which is all that some agents keep', () => {
  const items = toItems([{ type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 }], KEEPING);
  const kept = items.map((item) =>
    item.type === 'reasoning' ? { type: item.type, summary: [], encrypted_content: item.encrypted_content } : item,
  );
  expect(readBack(kept)).toEqual([{ type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 }]);
});

test('the ids of the gateway’s own items do not go upstream as those of reasoning', () => {
  expect(readBack(toItems([RAW]))).toEqual([{ type: 'reasoning.text', text: 'Hm.', index: 0 }]);
  const summary = { type: 'reasoning.summary', summary: 'Hm.', format: 'openai-responses-v1', index: 0 };
  expect(readBack(toItems([summary]))).toEqual([{ type: 'reasoning.summary', summary: 'Hm.', index: 0 }]);
});

test('reasoning that the caller excludes is not given back', () => {
  const hm = { type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 };
  const items = toItems([hm], { ...KEEPING, reasoning: { exclude: true } });
  expect(items.map(({ type }) => type)).toEqual(['function_call']);
});

const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

test('an image is an item of its own, between the texts before and after it', () => {
  const { encoder, request } = parse('Draw');
  const toChunk = (delta: object) => ({
    choices: [{ index: 0, delta, finish_reason: 'stop' as const, native_finish_reason: null }],
  });
  const chunks = [
    toChunk({ content: 'Here: ' }),
    toChunk({ content: 'a fox', images: [PICTURE] }),
    toChunk({ content: '.' }),
  ];
  const known = { id: 'gen-1700000000-abcdefghijkl', created: 1, model: 'test/model', provider: 'Up', failure: null };
  const completion: WholeCompletion = { ...known, chunks, usage: undefined, citations: undefined, members: undefined };
  const { output } = encoder.toWhole(completion, request) as { output: readonly Item[] };
  expect(output).toMatchObject([
    { type: 'message', content: [{ text: 'Here: a fox' }] },
    { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' },
    { type: 'message', content: [{ text: '.' }] },
  ]);
  const frames = encoder.createFrames(known, request, undefined);
  const encoded = frames.encode(chunks);
  const streamed = typeof encoded === 'string' ? encoded : [...encoded].join('');
  const types = [...streamed.matchAll(/"type":"(response\.[\w.]+)"/g)].map(([, type]) => type);
  expect(types).toEqual(
    expect.arrayContaining([
      'response.output_text.done',
      'response.image_generation_call.in_progress',
      'response.image_generation_call.completed',
    ]),
  );
  expect(streamed.split('iVBORw0KGgo=')).toHaveLength(2);
});

interface Event extends Record<string, unknown> {
  readonly type: string;
}

const KNOWN = { id: 'gen-1700000000-abcdefghijkl', created: 1, model: 'test/model', provider: 'Up' };
const END = { reason: 'stop', native: 'stop', usage: undefined, citations: undefined, members: undefined } as const;

const toDelta = (delta: object, upstream?: ChatChunk['upstream']): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }],
  ...(upstream && { upstream }),
});

const read = (frames: FrameText): string => (typeof frames === 'string' ? frames : [...frames].join(''));

/** The events of a stream whose chunks come in groups of this size. */
function toEvents(chunks: readonly ChatChunk[], size: number, more: object = {}): readonly Event[] {
  const { encoder, request } = parse('Hello', more);
  const frames = encoder.createFrames(KNOWN, request);
  let text = '';
  for (let at = 0; at < chunks.length; at += size) text += read(frames.encode(chunks.slice(at, at + size)));
  text += read(frames.encodeEnd(END));
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Event);
}

function toOutput(chunks: readonly ChatChunk[], more: object = {}): unknown {
  const { encoder, request } = parse('Hello', more);
  const completion = { ...KNOWN, chunks, failure: null, usage: undefined, citations: undefined, members: undefined };
  return (encoder.toWhole(completion, request) as { output: unknown }).output;
}

const toCitation = (url: string, start: number, end: number): object => ({
  type: 'url_citation',
  url_citation: { url, title: 'A page', content: 'Of it.', start_index: start, end_index: end },
});
const toFlatCitation = (url: string, start: number, end: number): object => ({
  type: 'url_citation',
  url,
  title: 'A page',
  content: 'Of it.',
  start_index: start,
  end_index: end,
});

test.each([1, 2, 100])('the sources of a text come before its end, in groups of %i chunks', (size) => {
  const chunks = [
    toDelta({ annotations: [{ type: 'file', file: { hash: 'x' } }, toCitation('https://found.test', 0, 0)] }),
    toDelta({ content: 'Oslo ' }),
    toDelta(
      { content: 'rains.', annotations: [toCitation('https://a.test', 0, 4)] },
      { citations: ['https://a.test'] },
    ),
    toDelta({ images: [PICTURE] }),
    toDelta({ content: 'So it is.', annotations: [toCitation('https://b.test', 11, 13)] }),
    toDelta({}, { citations: ['https://a.test', 'https://listed.test'] }),
  ];
  const events = toEvents(chunks, size);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added');
  const listed = { type: 'url_citation', url: 'https://listed.test', title: 'https://listed.test' };
  const first = [toFlatCitation('https://found.test', 0, 0), toFlatCitation('https://a.test', 0, 4)];
  const second = [toFlatCitation('https://b.test', 0, 2), { ...listed, start_index: 0, end_index: 0 }];
  const ids = events.flatMap(({ type, item_id: id }) => (type === 'response.output_text.done' ? [id] : []));
  const placed = (annotations: readonly object[], item: number, output: number): object[] =>
    annotations.map((annotation, index) => ({
      item_id: ids[item],
      output_index: output,
      content_index: 0,
      annotation_index: index,
      annotation,
    }));
  expect(added).toMatchObject([...placed(first, 0, 0), ...placed(second, 1, 2)]);
  const types = events.map(({ type }) => type);
  expect(types.lastIndexOf('response.output_text.annotation.added')).toBe(
    types.lastIndexOf('response.output_text.done') - 1,
  );
  const parts = events.filter(({ type }) => type === 'response.content_part.done').map(({ part }) => part);
  expect(parts).toMatchObject([{ annotations: first }, { annotations: second }]);
  const output = toOutput(chunks);
  expect(output).toMatchObject([
    { content: [{ text: 'Oslo rains.', annotations: first }] },
    { type: 'image_generation_call' },
    { content: [{ text: 'So it is.', annotations: second }] },
  ]);
  expect(events.at(-1)).toMatchObject({ response: { output } });
});

test.each([1, 2, 100])('sources that come after the last text are those of it, in groups of %i chunks', (size) => {
  const chunks = [
    toDelta({ content: 'It rains.' }),
    toDelta({ tool_calls: [CALL] }),
    toDelta({ annotations: [toCitation('https://late.test', 0, 2)] }),
  ];
  const events = toEvents(chunks, size);
  const annotation = toFlatCitation('https://late.test', 0, 2);
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added');
  // The item is done, and what comes after that is in the whole response alone.
  expect(added).toEqual([]);
  const output = [{ content: [{ text: 'It rains.', annotations: [annotation] }] }, { type: 'function_call' }];
  expect(events.at(-1)).toMatchObject({ response: { output } });
  expect(toOutput(chunks)).toMatchObject(output);
});

test.each([1, 2])(
  'sources that are listed while a text is open come before its end, in groups of %i chunks',
  (size) => {
    const chunks = [
      toDelta({ content: 'It ' }, { citations: ['https://listed.test'] }),
      toDelta({ content: 'rains.' }),
      toDelta({ tool_calls: [CALL] }),
    ];
    const types = toEvents(chunks, size).map(({ type }) => type);
    expect(types.indexOf('response.output_text.annotation.added')).toBe(types.indexOf('response.output_text.done') - 1);
  },
);

test.each([1, 2, 100])('a source belongs to the text that has its place, in groups of %i chunks', (size) => {
  const chunks = [
    toDelta({ content: 'It rains.' }),
    toDelta({ images: [PICTURE] }),
    toDelta({
      content: 'So it is.',
      annotations: [toCitation('https://a.test', 3, 8), toCitation('https://b.test', 12, 14)],
    }),
    toDelta({ tool_calls: [CALL] }),
    toDelta({ annotations: [toCitation('https://late.test', 0, 2)] }),
  ];
  const events = toEvents(chunks, size);
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added');
  const second = [toFlatCitation('https://b.test', 3, 5)];
  expect(added.map(({ output_index, annotation }) => [output_index, annotation])).toEqual([[2, second[0]]]);
  const first = [toFlatCitation('https://a.test', 3, 8), toFlatCitation('https://late.test', 0, 2)];
  const output = [
    { content: [{ text: 'It rains.', annotations: first }] },
    { type: 'image_generation_call' },
    { content: [{ text: 'So it is.', annotations: second }] },
    { type: 'function_call' },
  ];
  expect(events.at(-1)).toMatchObject({ response: { output } });
  expect(toOutput(chunks)).toMatchObject(output);
});

const LOGPROBS = 'message.output_text.logprobs';

test('probabilities of a refusal are not those of the text after it', () => {
  const toTokens = (delta: object, token: string): ChatChunk => ({
    choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null, logprobs: { content: [{ token }] } }],
  });
  const chunks = [toTokens({ refusal: 'No.' }, 'No'), toTokens({ content: 'Well.' }, 'Well')];
  const events = toEvents(chunks, 1, { include: [LOGPROBS] });
  expect(events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({
    logprobs: [{ token: 'Well' }],
  });
});

test('asks a chat for probabilities where this form asks for them in either of its ways, and never for their number alone', () => {
  const askedOf = (more: object): object => {
    const { logprobs, top_logprobs } = parse('Hello', more).request;
    return { logprobs, top_logprobs };
  };
  expect(askedOf({ top_logprobs: 2 })).toEqual({ logprobs: true, top_logprobs: 2 });
  expect(askedOf({ include: [LOGPROBS] })).toEqual({ logprobs: true, top_logprobs: undefined });
  expect(askedOf({ include: [LOGPROBS], top_logprobs: 0 })).toEqual({ logprobs: true, top_logprobs: 0 });
  expect(askedOf({ top_logprobs: 0 })).toEqual({ logprobs: undefined, top_logprobs: undefined });
  expect(askedOf({ top_logprobs: null })).toMatchObject({ logprobs: undefined });
});

test.each([1, 2, 100])('probabilities come with their text to who asked for them, in groups of %i chunks', (size) => {
  const tokens = ['It', ' rains', '.'].map((token) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [] }));
  const [it, rains, dot] = tokens;
  const toTokens = (content: string, given: unknown): ChatChunk => ({
    choices: [
      { index: 0, delta: { content }, finish_reason: null, native_finish_reason: null, logprobs: { content: given } },
    ],
  });
  const chunks = [toTokens('It', [it]), toTokens('', [rains]), toTokens(' rains', null), toTokens('.', [dot])];
  const given = (more: object): unknown[] =>
    toEvents(chunks, size, more).flatMap(({ type, logprobs }) =>
      type.startsWith('response.output_text') ? [logprobs] : [],
    );
  expect(given({ include: [LOGPROBS] })).toEqual([[it], [rains], [dot], tokens]);
  expect(given({})).toEqual([[], [], [], []]);
  expect(toOutput(chunks, { top_logprobs: 1 })).toMatchObject([{ content: [{ text: 'It rains.', logprobs: tokens }] }]);
  expect(toOutput(chunks)).toMatchObject([{ content: [{ text: 'It rains.', logprobs: [] }] }]);
});

test('a whole completion may have probabilities of more tokens than a function takes arguments', () => {
  const count = 150_000;
  const logprobs = { content: Array.from({ length: count }, () => ({ token: 'a', logprob: 0 })) };
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: null, native_finish_reason: null, logprobs };
  const [item] = toOutput([{ choices: [choice] }], { include: [LOGPROBS] }) as [{ content: [{ logprobs: unknown[] }] }];
  expect(item.content[0].logprobs).toHaveLength(count);
});
