import { expect, test } from 'vitest';

import type { WholeCompletion } from '../../chat/format.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { messagesFormat } from './messages-format.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];
const parse = (messages: readonly object[]) =>
  messagesFormat.parse({ model: 'test/model', max_tokens: 9, messages }, {});

interface Block {
  readonly type: string;
  readonly thinking?: string;
  readonly signature?: string;
}

/** The blocks in which reasoning is given to a client, and the details that are read of them when they come back. */
function goRound(details: readonly ReasoningDetail[]): { blocks: readonly Block[]; read: unknown } {
  const { encoder, request } = parse(HELLO);
  const end = { index: 0, finish_reason: 'stop' as const, native_finish_reason: null };
  const chunks = details.map((detail) => ({ choices: [{ ...end, delta: { reasoning_details: [detail] } }] }));
  const known = { id: 'gen-1', created: 1, model: 'test/model', provider: 'Up', failure: null };
  const completion: WholeCompletion = { ...known, chunks, usage: undefined, citations: undefined, members: undefined };
  const { content } = encoder.toWhole(completion, request) as { content: readonly Block[] };
  const [, turn] = parse([...HELLO, { role: 'assistant', content }]).request.messages;
  return { blocks: content, read: (turn as { reasoning_details?: unknown }).reasoning_details };
}

const GOOGLE = { format: 'google-gemini-v1', index: 0 };

test('a text that another provider signed comes back once, with its signature', () => {
  const { blocks, read } = goRound([
    { type: 'reasoning.text', text: 'Hm', ...GOOGLE },
    { type: 'reasoning.text', text: '.', signature: 'sig', ...GOOGLE },
  ]);
  expect(blocks.map(({ type, thinking }) => [type, thinking])).toEqual([['thinking', 'Hm.']]);
  expect(read).toEqual([{ type: 'reasoning.text', text: 'Hm.', signature: 'sig', ...GOOGLE }]);
});

test('a signature is that of its own text, not of reasoning before it', () => {
  const claude = { format: 'anthropic-claude-v1', index: 1 };
  const { blocks } = goRound([
    { type: 'reasoning.text', text: 'Plain.', format: 'unknown', index: 0 },
    { type: 'reasoning.text', text: 'Signed.', signature: 'sig', ...claude },
  ]);
  expect(blocks).toEqual([
    { type: 'thinking', thinking: 'Plain.', signature: '' },
    { type: 'thinking', thinking: 'Signed.', signature: 'sig' },
  ]);
});

test('encrypted reasoning keeps its place between the texts', () => {
  const { read } = goRound([
    { type: 'reasoning.text', text: 'A', ...GOOGLE },
    { type: 'reasoning.encrypted', data: 'enc', id: 'call_1', ...GOOGLE, index: 1 },
    { type: 'reasoning.text', text: 'B', ...GOOGLE, index: 2 },
  ]);
  expect((read as readonly ReasoningDetail[]).map(({ text, data }) => text ?? data)).toEqual(['A', 'enc', 'B']);
});

test.each([
  ['["Paris"]', { value: ['Paris'] }],
  ['Paris', { arguments: 'Paris' }],
  [' {"city": "Paris"}', { city: 'Paris' }],
  ['', {}],
])('arguments that are no object are within one, streamed and whole: %s', (text, expected) => {
  const { encoder, request } = parse(HELLO);
  const envelope = { id: 'gen-1', created: 1, model: 'test/model', provider: 'Up' };
  const end = { index: 0, finish_reason: null, native_finish_reason: null };
  const first = { index: 0, id: 'call_1', type: 'function' as const, function: { name: 'f', arguments: '' } };
  const calls = [first, ...Array.from(text, (piece) => ({ index: 0, function: { arguments: piece } }))];
  const chunks = calls.map((call) => ({ choices: [{ ...end, delta: { tool_calls: [call] } }] }));
  const known = { usage: undefined, citations: undefined, members: undefined };
  const frames = encoder.createFrames(envelope, request);
  const written = [frames.encode(chunks), frames.encodeEnd({ ...known, reason: 'tool_calls', native: null })];
  const stream = written.map((text) => Array.from(text).join('')).join('');
  const pieces = [...stream.matchAll(/"partial_json":(".*")\}\}/g)].map(
    ([, piece = '']) => JSON.parse(piece) as string,
  );
  expect(JSON.parse(pieces.join('') || '{}')).toEqual(expected);
  const whole = encoder.toWhole({ ...envelope, ...known, chunks, failure: null }, request);
  expect(whole).toMatchObject({ content: [{ type: 'tool_use', input: expected }] });
});

test('disabled thinking is left unsaid, because models that always reason refuse to go without', () => {
  const body = { model: 'test/model', max_tokens: 9, messages: HELLO, thinking: { type: 'disabled' } };
  expect(messagesFormat.parse(body, {}).request).not.toHaveProperty('reasoning');
});
