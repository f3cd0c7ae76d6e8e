import { expect, test } from 'vitest';

import { fromPieces, toPieces } from './content-pieces.ts';

const REST = { output: { completion: 'Yes', reasoning: null }, error: null };

test.each([
  ['no messages', { input: { prompt: 'Hello' }, ...REST }],
  ['an empty list of messages', { input: { messages: [] }, ...REST }],
  ['one message', { input: { messages: [{ role: 'user', content: 'Hello' }] }, ...REST }],
  ['what is no message', { input: { messages: [null, 7, { content: [{ type: 'text', text: 'a' }] }] }, ...REST }],
])('puts %s together as it was', (_, content) => {
  expect(fromPieces([...toPieces(content)])).toEqual(content);
});

test('takes long contents apart, in order, and never a message', () => {
  const messages = Array.from({ length: 300 }, (_, at) => ({ role: 'user', content: `${at} `.repeat(2000) }));
  const content = { input: { messages }, ...REST };
  const pieces = [...toPieces(content)];
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.length).toBeLessThan(50);
  expect(fromPieces(pieces)).toEqual(content);
});

test('does not take contents without their end for whole', () => {
  const pieces = [...toPieces({ input: { messages: ['a'] }, ...REST })];
  expect(() => fromPieces(pieces.slice(0, -1))).toThrow('is missing');
});
