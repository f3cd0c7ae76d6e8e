import { expect, test } from 'vitest';

import type { Scratch } from '../foundation/platform.ts';
import type { ChatChunk, ChatDelta } from '../wire/chat-chunk.ts';
import { createCompletionAccumulator, createSpilledText } from './completion-accumulator.ts';

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

const MAX_LENGTH = 10_000_000;

test('gives back what it was given, in one piece', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  expect(spilled.append('\uFEFFHallo, ')).toBe('');
  expect(spilled.append('Wörld 漢字 🎈')).toBe('');
  expect(spilled.readBack()).toBe('\uFEFFHallo, Wörld 漢字 🎈');
});

test('does not split a surrogate pair', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  const [high, low] = ['🎈'.slice(0, 1), '🎈'.slice(1)];
  const rest = spilled.append(`a${high}`);
  expect(rest).toBe(high);
  expect(spilled.append(rest + low)).toBe('');
  expect(spilled.readBack()).toBe('a🎈');
});

test('gives back megabytes of characters of every size', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  const piece = `${'Wörld 漢字 🎈'.repeat(9000)}x`;
  for (let i = 0; i < 12; i += 1) spilled.append(piece);
  expect(spilled.readBack() === piece.repeat(12)).toBe(true);
});

test('knows the length and the weight of what it was given, half characters left out', () => {
  const spilled = createSpilledText({ maxLength: MAX_LENGTH });
  spilled.append('abcd');
  spilled.append(`漢${'🎈'.slice(0, 1)}`);
  expect(spilled).toMatchObject({ length: 5, weight: 1.75 });
});

/** A scratch in a list, and whether it was closed. */
function createListScratch(): Scratch & { readonly pieces: Uint8Array[]; isClosed: boolean; isReadable: boolean } {
  const scratch = {
    pieces: [] as Uint8Array[],
    isClosed: false,
    isReadable: true,
    append: (bytes: Uint8Array) => void scratch.pieces.push(bytes),
    read: () => (scratch.isReadable ? scratch.pieces : null),
    close: () => void (scratch.isClosed = true),
  };
  return scratch;
}

test('keeps a text in the scratch that it is given, and closes it once it has been read', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  spilled.append('Wörld ');
  spilled.append('漢字');
  expect(scratch.pieces.map((bytes) => bytes.length)).toEqual([7, 6]);
  expect(scratch.isClosed).toBe(false);
  expect(spilled.readBack()).toBe('Wörld 漢字');
  expect(scratch.isClosed).toBe(true);
});

test('lets go of a text that grows too long, and still knows how long it was', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: 8, openScratch: () => scratch });
  spilled.append('12345678');
  expect(scratch.isClosed).toBe(false);
  spilled.append('9');
  expect(scratch.isClosed).toBe(true);
  spilled.append('more');
  expect(scratch.pieces).toHaveLength(1);
  expect(spilled.readBack()).toBeNull();
  expect(spilled).toMatchObject({ length: 13, weight: 13 / 4 });
});

test('does not pass off what could not be read again for an empty text', () => {
  const scratch = createListScratch();
  const spilled = createSpilledText({ maxLength: MAX_LENGTH, openScratch: () => scratch });
  spilled.append('text');
  scratch.isReadable = false;
  expect(spilled.readBack()).toBeNull();
  expect(scratch.isClosed).toBe(true);
});
