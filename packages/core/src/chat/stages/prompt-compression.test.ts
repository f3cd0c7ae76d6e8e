import { expect, test } from 'vitest';

import type { ChatMessage } from '../../wire/chat-request.ts';
import { compressMessages, weighMessages } from './prompt-compression.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const conversation = (count: number): ChatMessage[] =>
  Array.from({ length: count }, (_, index) => user(`${index} ${'word '.repeat(20)}`));
const numbersOf = (messages: readonly ChatMessage[]): number[] =>
  messages.map(({ content }) => Number.parseInt(content as string, 10));
const NO_LIMIT = Number.POSITIVE_INFINITY;

test('leaves alone what fits', () => {
  const messages = conversation(5);
  expect(compressMessages(messages, { tokens: weighMessages(messages), messages: 5 })).toBe(messages);
});

test('takes messages out of the middle until the rest fits', () => {
  const messages = conversation(9);
  const tokens = weighMessages(messages.slice(0, 4)) + 4;
  const kept = compressMessages(messages, { tokens, messages: NO_LIMIT });
  expect(numbersOf(kept)).toEqual([0, 1, 7, 8]);
  expect(weighMessages(kept)).toBeLessThanOrEqual(tokens);
});

test('keeps half from the beginning and half from the end of too many messages', () => {
  expect(numbersOf(compressMessages(conversation(1200), { tokens: NO_LIMIT, messages: 1000 }))).toEqual([
    ...Array.from({ length: 500 }, (_, index) => index),
    ...Array.from({ length: 500 }, (_, index) => index + 700),
  ]);
});

test('keeps opening instructions and the last message whatever goes', () => {
  const messages: ChatMessage[] = [{ role: 'system', content: 'Be kind.' }, ...conversation(8)];
  const kept = compressMessages(messages, { tokens: 60, messages: NO_LIMIT });
  expect(kept.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(numbersOf(kept.slice(1))).toEqual([7]);
});

test('takes calls of tools out only together with their results', () => {
  const call: ChatMessage = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };
  const result: ChatMessage = { role: 'tool', tool_call_id: 'a', content: 'r '.repeat(50) };
  const messages = [user('first'), call, result, user('x '.repeat(30)), user('last')];
  for (let tokens = 1; tokens < weighMessages(messages); tokens += 1) {
    const roles = compressMessages(messages, { tokens, messages: NO_LIMIT }).map(({ role }) => role);
    expect(roles.includes('assistant')).toBe(roles.includes('tool'));
    expect(roles.at(-1)).toBe('user');
  }
});

test('takes the middle out of a last message that is too long by itself, between whole characters', () => {
  const content = `begin ${'😀'.repeat(4000)} end`;
  const [kept] = compressMessages([user(content)], { tokens: 500, messages: NO_LIMIT });
  const text = kept?.content as string;
  expect(weighMessages([user(text)])).toBeLessThanOrEqual(500);
  expect(text).toMatch(/^begin .*\n…\n.* end$/su);
  expect(JSON.stringify(text)).not.toMatch(/\\ud[89a-f]/i);
});

test('shortens the text among the parts of a message, and no picture', () => {
  const image: ChatMessage = {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
      { type: 'text', text: 'word '.repeat(1000) },
    ],
  };
  const [kept] = compressMessages([image], { tokens: 200, messages: NO_LIMIT });
  expect(kept?.content).toMatchObject([
    { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
    { type: 'text', text: expect.stringContaining('…') as string },
  ]);
});
