import { expect, test } from 'vitest';

import type { ChatChunk, ChatDelta } from '../../wire/chat-chunk.ts';
import { createCompletionAccumulator } from './completion-accumulator.ts';

const chunk = (delta: ChatDelta, extra: Partial<ChatChunk> = {}, index = 0): ChatChunk => ({
  choices: [{ index, delta, finish_reason: null, native_finish_reason: null }],
  ...extra,
});

test('is empty before anything has come', () => {
  expect(createCompletionAccumulator()).toMatchObject({
    text: '',
    reasoning: '',
    toolCalls: [],
    usage: undefined,
    finish: undefined,
  });
});

test('adds up text, reasoning and tool calls of the first choice', () => {
  const completion = createCompletionAccumulator();
  completion.observe([
    chunk({ content: 'a', reasoning: 'x' }),
    chunk({ content: null, reasoning: null }),
    chunk({ content: 'b' }, {}, 1),
  ]);
  completion.observe([chunk({ content: 'c', reasoning: 'y' })]);
  completion.observe([
    chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{' } }] }),
    chunk({
      tool_calls: [
        { index: 0, function: { arguments: '}' } },
        { index: 1, id: 'c2', function: { name: 'g', arguments: '{}' } },
      ],
    }),
  ]);
  expect(completion).toMatchObject({ text: 'ac', reasoning: 'xy' });
  expect(completion.toolCalls).toEqual([
    { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
    { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
  ]);
});

test('takes a refusal for the text where there is no other', () => {
  const completion = createCompletionAccumulator();
  completion.observe([chunk({ refusal: 'I ' }), chunk({ refusal: 'cannot' })]);
  expect(completion.text).toBe('I cannot');
});

test('keeps the last usage and cost, the first finish reason and the first names', () => {
  const completion = createCompletionAccumulator();
  const usage = (prompt: number): ChatChunk['usage'] & object => ({
    prompt_tokens: prompt,
    completion_tokens: 1,
    total_tokens: prompt + 1,
  });
  completion.observe([
    chunk(
      { content: 'a' },
      { usage: usage(1), upstreamId: 'u1', systemFingerprint: 'f1', serviceTier: 'auto', upstreamCostUsd: 1 },
    ),
  ]);
  completion.observe([{ choices: [{ index: 0, delta: {}, finish_reason: 'length', native_finish_reason: 'max' }] }]);
  completion.observe([{ choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' }] }]);
  completion.observe([
    {
      choices: [],
      usage: usage(2),
      upstreamId: 'u2',
      systemFingerprint: 'f2',
      serviceTier: 'default',
      upstreamCostUsd: 2,
    },
    { choices: [] },
  ]);
  expect(completion).toMatchObject({
    usage: usage(2),
    upstreamCostUsd: 2,
    upstreamId: 'u1',
    systemFingerprint: 'f1',
    serviceTier: 'default',
    finish: {
      reason: 'length',
      native: 'max',
    },
  });
});

test('does not confuse the end of another choice with the end of the completion', () => {
  const completion = createCompletionAccumulator();
  completion.observe([{ choices: [{ index: 1, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' }] }]);
  expect(completion.finish).toBeUndefined();
});

test('returns all of a long text and of long reasoning on demand', () => {
  const completion = createCompletionAccumulator();
  const piece = 'Wörld 🎈'.repeat(1000);
  for (let i = 0; i < 20; i += 1) completion.observe([chunk({ content: piece, reasoning: `${i}${piece}` })]);
  expect(completion.text.length).toBeLessThan(20 * piece.length);
  expect(completion.textLength).toBe(20 * piece.length);
  expect(completion.readBack()).toBe(true);
  expect(completion.readBack()).toBe(true);
  expect(completion.text).toBe(piece.repeat(20));
  expect(completion.reasoning).toBe(Array.from({ length: 20 }, (_, i) => `${i}${piece}`).join(''));
  expect(completion).toMatchObject({
    textLength: completion.text.length,
    reasoningLength: completion.reasoning.length,
  });
});

test('counts a long text without holding it where content is not stored', () => {
  const completion = createCompletionAccumulator({ maxLength: 100_000 });
  const piece = 'abcd'.repeat(20_000);
  for (let i = 0; i < 3; i += 1) completion.observe([chunk({ content: piece, reasoning: i === 0 ? piece : '' })]);
  expect(completion).toMatchObject({ text: '', textLength: 240_000, reasoningLength: 80_000 });
  expect(completion.weigh()).toBe(80_000);
  completion.observe([chunk({ content: 'the end.' })]);
  expect(completion.readBack()).toBe(false);
  expect(completion).toMatchObject({
    text: 'the end.',
    textLength: 240_008,
    reasoning: piece,
    reasoningLength: 80_000,
  });
  expect(completion.weigh()).toBe(80_002);
});

test('weighs text, reasoning and tool calls together, spilled or not', () => {
  const completion = createCompletionAccumulator();
  expect(completion.weigh()).toBe(0);
  const call = { index: 0, id: 'c1', function: { name: 'four', arguments: '{"a":1}!' } };
  completion.observe([chunk({ content: '漢字', reasoning: 'abcd', tool_calls: [call] })]);
  expect(completion.weigh()).toBe(1.5 + 1 + 1 + 2);
  completion.observe([chunk({ content: 'abcd'.repeat(20_000) })]);
  expect(completion.text).toBe('');
  expect(completion.weigh()).toBe(20_000 + 1.5 + 1 + 1 + 2);
  completion.readBack();
  expect(completion.weigh()).toBe(20_000 + 1.5 + 1 + 1 + 2);
});
