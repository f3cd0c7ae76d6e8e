import { expect, test } from 'vitest';

import type { WholeCompletion } from '../../chat/dialect.ts';
import type { ReasoningDetail } from '../../wire/chat/chat-message.ts';
import { messagesDialect } from './messages-dialect.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];
const parse = (messages: readonly object[]) =>
  messagesDialect.parse({ model: 'test/model', max_tokens: 9, messages }, {});

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
