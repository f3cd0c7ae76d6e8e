import { expect, test } from 'vitest';

import { sealReasoning } from '../../wire/chat-chunk.ts';
import { toItemId } from '../../wire/response-items.ts';
import type { ChatCall } from '../provider.ts';
import { toNativeBody } from './openai-responses-provider.ts';

const GENERATION = 'gen-1700000000-0123456789abcdef0123';
const own = (prefix: string): string => toItemId(prefix, GENERATION, 1);

function bodyOf(body: Readonly<Record<string, unknown>>, overrides: Partial<ChatCall> = {}, userId?: string) {
  const native = { form: 'responses', body, headers: {}, read: () => ({ messages: [] }) } as const;
  const call: ChatCall = {
    generationId: GENERATION,
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    providerModel: 'gpt-5.2',
    stream: true,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 },
    native,
    ...overrides,
  };
  return toNativeBody(call, native, userId);
}

test('keeps items, tools and fields as they came, known or not, and sets what upstream is to do', () => {
  const kept = {
    input: [
      { role: 'user', content: 'Hi' },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** x' },
      { type: 'item_of_tomorrow', novelty: [1] },
      {
        id: 'rs_68af1c2e3d4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69',
        type: 'reasoning',
        summary: [],
        encrypted_content: 'E',
      },
    ],
    tools: [{ type: 'local_shell' }, { type: 'custom', name: 'apply_patch', format: { type: 'text' } }],
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto', context: 'all_turns' },
    client_metadata: { a: 'b' },
    prompt_cache_key: 'k',
  };
  expect(bodyOf({ model: 'openai/gpt-5.2', store: null, stream: true, ...kept })).toEqual({
    model: 'gpt-5.2',
    ...kept,
    store: false,
    stream: true,
  });
});

test('leaves out the fields and tools of the gateway, and what the endpoint does not support', () => {
  const body = bodyOf(
    {
      input: 'Hi',
      models: ['a/b'],
      provider: { sort: 'price' },
      plugins: [],
      session_id: 's',
      user: 'ann',
      trace: {},
      debug: {},
      top_k: 3,
      temperature: 0.5,
      stream_options: { include_obfuscation: false },
      tools: [{ type: 'openrouter:datetime' }, { type: 'web_search' }],
    },
    { stream: false, supportedParameters: new Set(['top_p']) },
    'hash-of-ann',
  );
  expect(body).toEqual({
    model: 'gpt-5.2',
    input: 'Hi',
    tools: [{ type: 'web_search' }],
    safety_identifier: 'hash-of-ann',
    store: false,
  });
});

test('says the gateway’s own wishes for reasoning in the words of the wire', () => {
  const request = { messages: [], reasoning: { max_tokens: 500 }, max_tokens: 1000 };
  expect(bodyOf({ input: 'Hi', reasoning: { max_tokens: 500, context: 'auto' } }, { request })['reasoning']).toEqual({
    context: 'auto',
    effort: 'medium',
    summary: 'auto',
  });
});

test.each([
  [
    { service_tier: 'fast', text: { verbosity: 'max' } },
    { service_tier: 'priority', text: { verbosity: 'high' } },
  ],
  [
    { service_tier: 'flex', text: { verbosity: 'xhigh', format: { type: 'text' } } },
    { service_tier: 'flex', text: { verbosity: 'high', format: { type: 'text' } } },
  ],
  [
    { service_tier: null, text: { format: { type: 'text' } } },
    { service_tier: null, text: { format: { type: 'text' } } },
  ],
])('says values that the gateway has beyond the wire in its words: %j', (said, sent) => {
  const body = { input: 'Hi', ...said };
  expect(bodyOf(body)).toEqual({ model: 'gpt-5.2', input: 'Hi', ...sent, store: false, stream: true });
  // A gateway upstream has the same words as this one.
  expect(bodyOf(body, { onward: { preferences: undefined, plugins: [] } })).toMatchObject(said);
});

test('leaves out ids that the gateway made, because upstream does not know them', () => {
  const { input } = bodyOf({
    input: [
      { id: own('msg'), type: 'message', role: 'assistant', status: 'completed', content: [] },
      { id: own('fc'), type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { id: own('ctc'), type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x' },
      { id: 'fc_67ccf18f64008190a39b619f4c8455ef087bb177ab789d5c', type: 'function_call', call_id: 'c3' },
    ],
  });
  expect(input).toEqual([
    { type: 'message', role: 'assistant', status: 'completed', content: [] },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x' },
    { id: 'fc_67ccf18f64008190a39b619f4c8455ef087bb177ab789d5c', type: 'function_call', call_id: 'c3' },
  ]);
});

test('opens reasoning that the gateway has sealed, and leaves out what no upstream of this wire can read', () => {
  const format = 'openai-responses-v1';
  const sealed = sealReasoning([
    { type: 'reasoning.summary', summary: 'S', id: 'rs_up', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'ENC', id: 'rs_up', format, index: 1 },
  ]);
  const foreign = sealReasoning([{ type: 'reasoning.text', text: 'T', signature: 's', format: 'anthropic-claude-v1' }]);
  const { input } = bodyOf({
    input: [
      { id: own('rs'), type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: sealed },
      { id: own('rs'), type: 'reasoning', summary: [], content: [], encrypted_content: foreign, signature: 's' },
      { id: own('rs'), type: 'reasoning', summary: [{ type: 'summary_text', text: 'shown, not to be sent back' }] },
      { role: 'user', content: 'Hi' },
    ],
  });
  expect(input).toEqual([
    { type: 'reasoning', id: 'rs_up', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: 'ENC' },
    { role: 'user', content: 'Hi' },
  ]);
});

test('leaves out reasoning without its encrypted content, which upstream would look for in vain', () => {
  const content = [{ type: 'reasoning_text', text: 'Open' }];
  const { input } = bodyOf({
    input: [
      { id: 'rs_up', type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: null },
      { id: 'rs_open', type: 'reasoning', summary: [], content },
      { id: 'fc_up', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    ],
  });
  expect(input).toEqual([
    { type: 'reasoning', summary: [], content },
    { id: 'fc_up', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
  ]);
});
