import { expect, test } from 'vitest';

import type { GenerationContent } from '../../../api/types.ts';
import { countKnown, toThreadPieces } from './session-queries.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

const toContent = (messages: readonly unknown[], completion: string | null = 'Fine'): GenerationContent =>
  ({ input: { messages }, output: { completion, reasoning: null }, error: null }) as GenerationContent;

test('shows all messages of the first call', () => {
  const messages = [system('Be kind'), user('Hello')];
  expect(toThreadPieces(toContent(messages), null)).toEqual([{ type: 'new', messages }]);
});

test('folds what the call before had, its completion included', () => {
  const before = toContent([system('Be kind'), user('Hello')]);
  const now = toContent([system('Be kind'), user('Hello'), assistant('Fine'), user('And now?')]);
  const pieces = toThreadPieces(now, before);
  expect(pieces).toEqual([
    { type: 'folded', reason: 'known', count: 3 },
    { type: 'new', messages: [user('And now?')] },
  ]);
  expect(countKnown(pieces)).toBe(3);
});

test('folds it also where a message before it has changed, and where it is written in parts', () => {
  const before = toContent([system('It is Monday'), user('Hello')], 'Fine \n');
  const parts = [{ type: 'text', text: 'Fine' }];
  const now = toContent([system('It is Tuesday'), user('Hello'), assistant(parts), user('Hello')]);
  expect(toThreadPieces(now, before)).toEqual([
    { type: 'new', messages: [system('It is Tuesday')] },
    { type: 'folded', reason: 'known', count: 2 },
    // Said again, it is new.
    { type: 'new', messages: [user('Hello')] },
  ]);
});

test('knows the tools that the completion called', () => {
  const calls = [{ id: 'call-1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }];
  const before = toContent([user('Look')], null);
  const called = { ...before, output: { ...before.output, tool_calls: calls } } as GenerationContent;
  const result = { role: 'tool', tool_call_id: 'call-1', content: 'A tree' };
  const now = toContent([user('Look'), { role: 'assistant', content: null, tool_calls: calls }, result]);
  expect(toThreadPieces(now, called)).toEqual([
    { type: 'folded', reason: 'known', count: 2 },
    { type: 'new', messages: [result] },
  ]);
});

test('folds the beginning of what is new where it is long', () => {
  const messages = Array.from({ length: 30 }, (_, index) => user(`Line ${index}`));
  expect(toThreadPieces(toContent(messages), null)).toEqual([
    { type: 'folded', reason: 'early', count: 18 },
    { type: 'new', messages: messages.slice(18) },
  ]);
});

test('takes a prompt without messages for what the user said', () => {
  const content = { ...toContent([]), input: { prompt: 'Once upon a time' } } as GenerationContent;
  expect(toThreadPieces(content, null)).toEqual([{ type: 'new', messages: [user('Once upon a time')] }]);
});
