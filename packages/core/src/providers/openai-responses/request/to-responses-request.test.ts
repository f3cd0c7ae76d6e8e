import { expect, test } from 'vitest';

import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import type { ChatCall } from '../../provider.ts';
import { toResponsesRequest } from './to-responses-request.ts';

const HELLO: ChatCompletionRequest['messages'] = [{ role: 'user', content: 'Hello' }];

const bodyOf = (request: Partial<ChatCompletionRequest>, call: Partial<ChatCall> = {}): Record<string, unknown> =>
  toResponsesRequest({
    generationId: 'gen-1700000000-0123456789abcdef0123',
    request: { messages: HELLO, ...request },
    providerModel: 'gpt-4.1',
    stream: false,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 },
    ...call,
  });

test('sends nothing that was not asked for, but that upstream is to keep nothing', () => {
  expect(bodyOf({})).toEqual({ model: 'gpt-4.1', input: [{ role: 'user', content: 'Hello' }], store: false });
  expect(bodyOf({}, { stream: true })).toMatchObject({ stream: true, store: false });
});

test('sends instructions, parts, turns of the model, calls and their results as items, in order', () => {
  const { input } = bodyOf({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'And kind.', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'https://x.example/a.pdf' } },
          { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
      {
        role: 'assistant',
        content: 'One moment.',
        refusal: 'Not that.',
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: [{ type: 'text', text: 'done' }] },
    ],
  });
  expect(input).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: [{ type: 'input_text', text: 'And kind.' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look.' },
        { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'low' },
        { type: 'input_file', file_url: 'https://x.example/a.pdf' },
        { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        { type: 'input_file', file_id: 'file-1' },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'One moment.' },
        { type: 'refusal', refusal: 'Not that.' },
      ],
    },
    { type: 'function_call', call_id: 'toolu_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'toolu_1', output: [{ type: 'input_text', text: 'done' }] },
  ]);
});

test('hands reasoning of this wire back with the id that its content is bound to, and leaves other reasoning out', () => {
  const format = 'openai-responses-v1';
  const { input } = bodyOf({
    messages: [
      ...HELLO,
      {
        role: 'assistant',
        content: 'Hi',
        reasoning: 'ignored',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Foreign', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
          { type: 'reasoning.summary', summary: 'First, ', id: 'rs_1', format, index: 0 },
          { type: 'reasoning.summary', summary: 'then.', id: 'rs_1', format, index: 0 },
          { type: 'reasoning.summary', summary: 'Second.', id: 'rs_1', format, index: 1 },
          { type: 'reasoning.encrypted', data: 'ENC1', id: 'rs_1', format, index: 2 },
          { type: 'reasoning.encrypted', data: 'ENC2', id: 'rs_2', format, index: 3 },
          // Nothing behind its id, as upstream keeps nothing.
          { type: 'reasoning.summary', summary: 'Alone', id: 'rs_3', format, index: 4 },
          { type: 'reasoning.text', text: 'Open', id: 'rs_4', format, index: 5 },
        ],
      },
    ],
  });
  expect(input).toEqual([
    { role: 'user', content: 'Hello' },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'First, then.' },
        { type: 'summary_text', text: 'Second.' },
      ],
      encrypted_content: 'ENC1',
    },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'ENC2' },
    { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Open' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
  ]);
});

test('sends functions flat, and says that they are not strict where the caller did not', () => {
  const parameters = { type: 'object', properties: {} };
  const tools = [
    { type: 'function' as const, function: { name: 'a', description: 'A', strict: true, parameters } },
    { type: 'function' as const, function: { name: 'b' }, cache_control: { type: 'ephemeral' as const } },
  ];
  expect(
    bodyOf({ tools, tool_choice: { type: 'function', function: { name: 'b' } }, parallel_tool_calls: false }),
  ).toMatchObject({
    tools: [
      { type: 'function', name: 'a', description: 'A', parameters, strict: true },
      { type: 'function', name: 'b', parameters, strict: false },
    ],
    tool_choice: { type: 'function', name: 'b' },
    parallel_tool_calls: false,
  });
  expect(bodyOf({ tools, tool_choice: 'required' })).toMatchObject({ tool_choice: 'required' });
  expect(bodyOf({ tool_choice: 'auto', parallel_tool_calls: true })).not.toHaveProperty('tool_choice');
});

test('refuses tools that are no functions, and forms that the wire does not have', () => {
  expect(() => bodyOf({ tools: [{ type: 'mystery' }] })).toThrow(/tools\.0\.type: "mystery"/);
  expect(() => bodyOf({ response_format: { type: 'python' } })).toThrow(/response_format\.type: "python"/);
});

test.each([
  ['json_object', { type: 'json_object' }, { type: 'json_object' }],
  [
    'a schema',
    { type: 'json_schema', json_schema: { name: 'place', schema: { type: 'object' }, strict: true } },
    { type: 'json_schema', name: 'place', schema: { type: 'object' }, strict: true },
  ],
  ['a schema that is missing', { type: 'json_schema', json_schema: { name: 'place' } }, { type: 'json_object' }],
])('sends %s as the format of the text', (_name, format, expected) => {
  const response_format = format as NonNullable<ChatCompletionRequest['response_format']>;
  expect(bodyOf({ response_format })).toMatchObject({ text: { format: expected } });
});

test('sends the other parameters that this wire has, under its names, and leaves out those that it has not', () => {
  const body = bodyOf({
    max_completion_tokens: 900,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    seed: 1,
    stop: ['x'],
    frequency_penalty: 1,
    verbosity: 'max',
    prompt_cache_key: 'k',
    service_tier: 'fast',
    logprobs: true,
    top_logprobs: 2,
  });
  expect(body).toEqual({
    model: 'gpt-4.1',
    input: expect.any(Array),
    max_output_tokens: 900,
    temperature: 0.5,
    top_p: 0.9,
    text: { verbosity: 'high' },
    include: ['message.output_text.logprobs'],
    top_logprobs: 2,
    prompt_cache_key: 'k',
    service_tier: 'priority',
    store: false,
  });
  const supportedParameters = new Set(['top_p']);
  expect(bodyOf({ temperature: 0.5, top_p: 0.9, verbosity: 'low' }, { supportedParameters })).toEqual({
    model: 'gpt-4.1',
    input: expect.any(Array),
    top_p: 0.9,
    store: false,
  });
});

test('raises a limit below the lowest one that the wire takes', () => {
  expect(bodyOf({ max_tokens: 2 })).toMatchObject({ max_output_tokens: 16 });
});

test.each([
  ['gpt-5', 'xhigh', 'high'],
  ['gpt-5.2', 'minimal', 'low'],
  ['openai/gpt-5.4', 'max', 'xhigh'],
  ['gpt-5.6-sol', 'max', 'max'],
  ['gpt-5.6-sol', 'none', 'none'],
] as const)('asks the model %s for the effort %s as %s', (providerModel, reasoning_effort, effort) => {
  expect(bodyOf({ reasoning_effort }, { providerModel })).toMatchObject({ reasoning: { effort } });
});

test('names an effort where a model would do without reasoning that is on', () => {
  const reasoningOf = (providerModel: string): unknown =>
    bodyOf({ reasoning: { enabled: true, exclude: true } }, { providerModel })['reasoning'];
  expect([reasoningOf('gpt-5.4'), reasoningOf('gpt-5')]).toEqual([{ effort: 'medium' }, undefined]);
});

test('marks what is to be cached for models that know the mark, but nothing that a model or a tool said', () => {
  const text = { type: 'text' as const, text: 'Long', cache_control: { type: 'ephemeral' as const } };
  const request: Partial<ChatCompletionRequest> = {
    messages: [
      { role: 'system', content: [text] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'text', text: 'B', prompt_cache_breakpoint: { mode: 'implicit' } },
        ],
      },
      { role: 'assistant', content: [text], tool_calls: [] },
      { role: 'tool', tool_call_id: 'call_1', content: [text] },
    ],
    prompt_cache_options: { mode: 'explicit', ttl: null },
  };
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
  expect(bodyOf(request, { providerModel: 'gpt-5.6-luna' })).toMatchObject({
    input: [
      { role: 'system', content: [{ type: 'input_text', text: 'Long', ...mark }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'A', ...mark },
          { type: 'input_text', text: 'B' },
        ],
      },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Long' }] },
      { type: 'function_call_output', output: [{ type: 'input_text', text: 'Long' }] },
    ],
    prompt_cache_options: { mode: 'explicit' },
  });
  const newer = JSON.stringify(bodyOf(request, { providerModel: 'gpt-5.6-luna' }));
  expect(newer.match(/prompt_cache_breakpoint/g)).toHaveLength(2);
  expect(JSON.stringify(bodyOf(request, { providerModel: 'gpt-5.5' }))).not.toContain('prompt_cache');
});

test('never sends the user’s own name', () => {
  expect(JSON.stringify(bodyOf({ user: 'ann@x.example' }))).not.toContain('ann@');
});

test.each<[string, Partial<ChatCompletionRequest>, object | undefined]>([
  ['an effort of its own field', { reasoning_effort: 'low' }, { effort: 'low' }],
  ['an effort', { reasoning: { effort: 'max' } }, { effort: 'xhigh', summary: 'auto' }],
  ['a kind of summary', { reasoning: { effort: 'low', summary: 'detailed' } }, { effort: 'low', summary: 'detailed' }],
  ['hidden reasoning', { reasoning: { effort: 'low', exclude: true } }, { effort: 'low' }],
  ['reasoning that is on', { reasoning: { enabled: true } }, { summary: 'auto' }],
  ['reasoning that is off', { reasoning: { enabled: false } }, { effort: 'none' }],
  ['a budget', { reasoning: { max_tokens: 1000 }, max_tokens: 2000 }, { effort: 'medium', summary: 'auto' }],
  ['nothing', {}, undefined],
])('asks for reasoning by %s', (_name, request, reasoning) => {
  expect(bodyOf(request)['reasoning']).toEqual(reasoning);
});

test.each([
  ['gpt-5.2', null, true],
  ['o4-mini', null, true],
  ['openai/gpt-5', null, true],
  ['gpt-5-chat-latest', null, false],
  ['gpt-4.1', null, false],
  ['gpt-4.1', ['reasoning', 'include_reasoning'], true],
  ['gpt-5.2', ['temperature'], false],
])('the model %s with the parameters %j is asked for encrypted reasoning: %s', (providerModel, listed, isAsked) => {
  const { include } = bodyOf({}, { providerModel, supportedParameters: listed === null ? null : new Set(listed) });
  expect(include).toEqual(isAsked ? ['reasoning.encrypted_content'] : undefined);
});
