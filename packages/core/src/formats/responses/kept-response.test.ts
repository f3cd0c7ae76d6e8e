import { expect, test } from 'vitest';

import type { EndedTexts } from '../../chat/format.ts';
import { openReasoning } from '../../wire/chat-chunk.ts';
import { fromKeptItems, toHistoryItems, toKeptItems, toShownItems } from './kept-response.ts';

const LONG = 'A sentence that is long enough to be found again at its place. ';
const CLAUDE = { type: 'reasoning.text', format: 'anthropic-claude-v1' };

const textsOf = (text: string, reasoning = '', toolCalls: EndedTexts['toolCalls'] = []): EndedTexts => ({
  text,
  textLength: text.length,
  reasoning,
  reasoningLength: reasoning.length,
  toolCalls,
});

const message = (id: string, ...texts: readonly string[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })),
});

const toContent = ({ text, reasoning, toolCalls }: EndedTexts) => ({
  completion: text,
  reasoning,
  tool_calls: toolCalls,
});

test('texts that the content has are stored as places, and are read back exactly', () => {
  const made = JSON.stringify({ place: LONG });
  const call = { id: 'call_1', type: 'function' as const, function: { name: 'f', arguments: made } };
  const patch = JSON.stringify({ input: LONG });
  const custom = { id: 'call_2', type: 'function' as const, function: { name: 'g', arguments: patch } };
  const texts = textsOf(`${LONG}1${LONG}2`, `${LONG}3`, [call, custom]);
  const items = [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: `${LONG}3` }] },
    message('msg_1', `${LONG}1`),
    { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: made },
    message('msg_2', `${LONG}2`),
    { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'g', input: LONG },
    { id: 'ws_1', type: 'web_search_call', action: { query: LONG } },
  ];
  const kept = toKeptItems({ items, reasonings: [], keepsReasoning: false }, texts);
  expect(JSON.stringify(kept).split('A sentence')).toHaveLength(2);
  const read = fromKeptItems(JSON.parse(JSON.stringify(kept)) as unknown[], toContent(texts));
  expect(toShownItems(read, false)).toEqual(items);
});

test('a text that the content does not have stays in its item', () => {
  const items = [message('msg_1', `${LONG}!`), message('msg_2', 'Short')];
  const kept = toKeptItems({ items, reasonings: [], keepsReasoning: false }, textsOf(LONG));
  expect(kept).toEqual(items);
});

test('what a signature needs is sent back, and shown only to those who ask for it', () => {
  const details = [{ ...CLAUDE, text: LONG, signature: 'sig', index: 0 }];
  const shown = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: LONG }] };
  const signed = { ...shown, signature: 'sig', format: CLAUDE.format };
  const reasonings = [{ details, place: 0, isShown: true }];
  const texts = textsOf('Hi', LONG);
  const kept = toKeptItems({ items: [signed], reasonings, keepsReasoning: false }, texts);
  expect(JSON.stringify(kept)).not.toContain('A sentence');
  const read = fromKeptItems(kept, toContent(texts));
  expect(toShownItems(read, false)).toEqual([signed]);
  for (const [item] of [toShownItems(read, true), toHistoryItems(read)]) {
    expect(openReasoning(String(item?.['encrypted_content']))).toEqual(details);
  }
});

test('reasoning without a text is not shown, and is sent back before what came after it', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'R', format: CLAUDE.format, index: 0 }];
  const items = [message('msg_1', 'Hi')];
  const kept = toKeptItems(
    { items, reasonings: [{ details, place: 0, isShown: false }], keepsReasoning: false },
    textsOf('Hi'),
  );
  const read = fromKeptItems(kept, toContent(textsOf('Hi')));
  expect(toShownItems(read, true)).toEqual(items);
  const [reasoning, said] = toHistoryItems(read);
  expect(openReasoning(String(reasoning?.['encrypted_content']))).toEqual(details);
  expect(reasoning).toMatchObject({ type: 'reasoning', summary: [] });
  expect(said).toEqual(items[0]);
});

test('reasoning that an upstream did not give out is left out, and its ids with it', () => {
  const id = 'rs_68af1c2e3d4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69';
  const call = { id: 'fc_68af', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const lost = { id, type: 'reasoning', summary: [] };
  const { id: _id, ...others } = call;
  expect(toHistoryItems([lost, call])).toEqual([others]);
  const sealed = { ...lost, encrypted_content: 'E' };
  expect(toHistoryItems([sealed, call])).toEqual([sealed, call]);
});
