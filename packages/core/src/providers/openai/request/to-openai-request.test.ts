import { expect, test } from 'vitest';

import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../../wire/chat-request.ts';
import type { ChatCall } from '../../provider.ts';
import { COMMON_DIALECT, type OpenAiDialect } from '../openai-dialect.ts';
import { OPENAI_PRESETS } from '../openai-presets.ts';
import { toOpenAiRequest } from './to-openai-request.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];

/** The upstream body of a public request. */
function build(
  body: object,
  { dialect = COMMON_DIALECT, ...call }: Partial<ChatCall> & { dialect?: OpenAiDialect } = {},
): Record<string, unknown> {
  const request: ChatCompletionRequest = chatCompletionRequestSchema.parse({ messages: HELLO, ...body });
  return toOpenAiRequest(
    {
      generationId: 'gen-1',
      request,
      providerModel: 'chat-1',
      stream: request.stream === true,
      supportedParameters: null,
      signal: new AbortController().signal,
      timeouts: { headersMs: 1, nonStreamMs: 1, idleMs: 1, totalMs: 1 },
      ...call,
    },
    dialect,
  );
}

test('sends the provider’s own name of the model and the messages, and invents nothing', () => {
  expect(build({ model: 'acme/chat' })).toMatchInlineSnapshot(`
    {
      "messages": [
        {
          "content": "Hello",
          "role": "user",
        },
      ],
      "model": "chat-1",
    }
  `);
});

test('requests usage when streaming, unless the server sends it anyway', () => {
  expect(build({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  expect(build({ stream: true, stream_options: { include_usage: false } })).toMatchObject({
    stream_options: { include_usage: true },
  });
  const always = build({ stream: true }, { dialect: { ...COMMON_DIALECT, streamUsage: 'always' } });
  expect(always).not.toHaveProperty('stream_options');
  expect(build({ stream: false, stream_options: { include_usage: true } })).not.toHaveProperty('stream_options');
});

test('asks for the rest of a completion in the form of the server', () => {
  const messages = [...HELLO, { role: 'assistant', content: 'Paris lies' }];
  expect(build({ messages })).toEqual({ model: 'chat-1', messages });
  expect(build({ messages }, { prefill: 'continues' })).toEqual({ model: 'chat-1', messages });
  expect(build({ messages }, { prefill: 'prefix' })).toEqual({
    model: 'chat-1',
    messages: [...HELLO, { role: 'assistant', content: 'Paris lies', prefix: true }],
  });
  expect(build({ messages }, { prefill: 'continue_final_message' })).toEqual({
    model: 'chat-1',
    messages,
    continue_final_message: true,
    add_generation_prompt: false,
  });
});

test('hands on every parameter that both sides know', () => {
  const parameters = {
    temperature: 0,
    top_p: 0.5,
    top_k: 40,
    min_p: 0.1,
    top_a: 0.2,
    repetition_penalty: 1.1,
    frequency_penalty: -2,
    presence_penalty: 2,
    seed: 0,
    stop: ['a', 'b'],
    logit_bias: { '50256': -100 },
    logprobs: false,
    top_logprobs: 20,
    tool_choice: 'auto',
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' }, strict: true } },
    prediction: { type: 'content', content: 'abc' },
    modalities: ['text', 'audio'],
    verbosity: 'low',
    prompt_cache_key: 'k',
    service_tier: 'flex',
  };
  expect(build(parameters)).toEqual({ model: 'chat-1', messages: HELLO, ...parameters });
});

test('leaves out null values, the gateway’s own fields and unknown ones', () => {
  const body = build({
    temperature: null,
    max_tokens: null,
    stop: null,
    tools: null,
    tool_choice: null,
    reasoning: null,
    seed: null,
    provider: { order: ['acme'] },
    models: ['a/b'],
    route: 'fallback',
    transforms: [],
    plugins: [],
    preset: null,
    user: 'u-1',
    session_id: 's',
    metadata: { a: 'b' },
    trace: { trace_id: 't' },
    debug: { echo_upstream_body: true },
    cache_control: { type: 'ephemeral' },
    include_reasoning: true,
    image_config: { size: 1 },
    max_tool_calls: 3,
    unknown_field: 1,
    stream: null,
    stop_server_tools_when: null,
  });
  expect(body).toEqual({ model: 'chat-1', messages: HELLO });
});

test('sends the newer output limit when both are given, under the name the server takes', () => {
  expect(build({ max_tokens: 10 })).toMatchObject({ max_tokens: 10 });
  expect(build({ max_tokens: 10, max_completion_tokens: 20 })).toMatchObject({ max_tokens: 20 });
  const openai = build({ max_tokens: 10 }, { dialect: OPENAI_PRESETS.openai.dialect });
  expect(openai).toMatchObject({ max_completion_tokens: 10 });
  expect(openai).not.toHaveProperty('max_tokens');
});

test('leaves out what the server would refuse', () => {
  const sampling = { top_k: 1, min_p: 0.1, top_a: 0.1, repetition_penalty: 1, temperature: 1 };
  expect(build(sampling, { dialect: OPENAI_PRESETS.groq.dialect })).toEqual({
    model: 'chat-1',
    messages: HELLO,
    temperature: 1,
  });
});

test('leaves out what the endpoint does not list, under any of the names that lists use', () => {
  const asked = {
    temperature: 1,
    seed: 7,
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    response_format: { type: 'json_object' },
    reasoning_effort: 'low',
    prompt_cache_key: 'k',
    service_tier: 'auto',
    modalities: ['text'],
    prediction: { type: 'content', content: 'x' },
    audio: { voice: 'alloy', format: 'wav' },
  };
  const keysWith = (...supported: string[]): string[] =>
    Object.keys(build(asked, { supportedParameters: new Set(supported) })).filter(
      (key) => key !== 'model' && key !== 'messages',
    );

  const always = ['prediction', 'modalities', 'audio', 'prompt_cache_key', 'service_tier'];
  expect(keysWith().toSorted()).toEqual(always.toSorted());
  expect(keysWith('seed')).toContain('seed');
  expect(keysWith('tools')).toEqual(expect.arrayContaining(['tools', 'tool_choice', 'parallel_tool_calls']));
  expect(keysWith('tool_choice')).not.toContain('tools');
  expect(keysWith('structured_outputs')).toContain('response_format');
  expect(keysWith('reasoning')).toContain('reasoning_effort');
});

test.each([
  [{ reasoning: { effort: 'high' } }, 'high'],
  [{ reasoning_effort: 'low' }, 'low'],
  [{ reasoning: { effort: 'max' } }, 'xhigh'],
  [{ reasoning_effort: 'none' }, 'none'],
  [{ reasoning: { enabled: true } }, 'medium'],
  [{ reasoning: { enabled: true }, reasoning_effort: 'minimal' }, 'minimal'],
  [{ reasoning: { enabled: false } }, 'none'],
  [{ reasoning: { enabled: false, effort: 'low' } }, 'none'],
  [{ reasoning: { max_tokens: 4000 } }, 'medium'],
  [{ reasoning: { max_tokens: 4000 }, max_tokens: 5000 }, 'high'],
  [{ reasoning: { max_tokens: 100 }, max_completion_tokens: 5000 }, 'minimal'],
  [{ reasoning: { exclude: true } }, undefined],
  [{}, undefined],
])('requests the reasoning of %j as %s', (body, effort) => {
  expect(build(body)['reasoning_effort']).toBe(effort);
});

test.each([
  ['deepseek', ''],
  ['moonshot', ' '],
] as const)(
  'fills in reasoning that turns lack beside tools at %s, which refuses them without',
  (preset, placeholder) => {
    const { dialect } = OPENAI_PRESETS[preset];
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      ...HELLO,
      { role: 'assistant', content: 'One moment.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
      { role: 'assistant', content: 'One', reasoning: 'Easy' },
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: 'Two' },
    ];
    const reasoningOf = (body: object, more: Partial<ChatCall> = {}): unknown =>
      (build({ messages, ...body }, { dialect, ...more })['messages'] as { reasoning_content?: string }[])
        .filter((_, index) => [1, 3, 5].includes(index))
        .map(({ reasoning_content: text }) => text);
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(reasoningOf({ tools })).toEqual([placeholder, 'Easy', placeholder]);
    expect(reasoningOf({})).toEqual([placeholder, undefined, undefined]);
    expect(reasoningOf({ tools, reasoning: { enabled: false } })).toEqual([undefined, undefined, undefined]);
    // The beginning of a completion is no turn yet.
    expect(reasoningOf({ tools }, { prefill: 'prefix' })).toEqual([placeholder, 'Easy', undefined]);
  },
);

test.each([
  ['gpt-5', 'none', 'none'],
  ['gpt-5-mini-2025-08-07', 'minimal', 'minimal'],
  ['gpt-5', 'xhigh', 'high'],
  ['gpt-5-pro', 'low', 'high'],
  ['gpt-5-codex', 'minimal', 'low'],
  ['gpt-5.1', 'minimal', 'low'],
  ['gpt-5.1', 'max', 'high'],
  ['gpt-5.1-codex-max', 'max', 'xhigh'],
  ['gpt-5.2', 'minimal', 'low'],
  ['gpt-5.4', 'max', 'xhigh'],
  ['gpt-5.4-pro', 'low', 'medium'],
  ['gpt-5.1-chat-latest', 'high', 'medium'],
  ['gpt-5.6-luna', 'max', 'max'],
  ['gpt-6-astra', 'minimal', 'low'],
  ['o4-mini', 'xhigh', 'high'],
  ['gpt-35-turbo', 'minimal', 'minimal'],
  ['my-deployment', 'max', 'xhigh'],
])('asks the model %s for the effort %s as %s', (providerModel, reasoning_effort, sent) => {
  for (const preset of ['openai', 'azure'] as const) {
    const { dialect } = OPENAI_PRESETS[preset];
    expect(build({ reasoning_effort }, { dialect, providerModel })['reasoning_effort']).toBe(sent);
  }
});

test('knows the efforts of OpenAI’s models on its own servers alone', () => {
  expect(build({ reasoning_effort: 'minimal' }, { providerModel: 'gpt-5.2' })['reasoning_effort']).toBe('minimal');
});

test('asks for the least reasoning where a family’s newest model cannot do without', () => {
  const { dialect } = OPENAI_PRESETS.openai;
  const sentTo = (providerModel: string): unknown =>
    build({ reasoning_effort: 'none' }, { dialect, providerModel, isOfFamily: true })['reasoning_effort'];
  expect([sentTo('gpt-5'), sentTo('gpt-6-astra'), sentTo('gpt-5.6')]).toEqual(['minimal', 'low', 'none']);
});

test('calls the fast tier by its upstream name', () => {
  expect(build({ service_tier: 'fast' })['service_tier']).toBe('priority');
});

test.each(['openai', 'azure'] as const)('asks %s for the most words that it has', (name) => {
  for (const verbosity of ['xhigh', 'max']) {
    expect(build({ verbosity }, { dialect: OPENAI_PRESETS[name].dialect })).toMatchObject({ verbosity: 'high' });
    expect(build({ verbosity }, { dialect: OPENAI_PRESETS.gateway.dialect })).toMatchObject({ verbosity });
  }
});

test('sends tools without the marks of other wires, and no empty list', () => {
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', $defs: {} }, strict: true } };
  expect(build({ tools: [{ ...tool, cache_control: { type: 'ephemeral' } }, tool] })['tools']).toEqual([tool, tool]);
  expect(build({ tools: [] })).not.toHaveProperty('tools');
});

test('translates every kind of message', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  const messages = [
    { role: 'system', content: 'Be brief.', name: 'ops' },
    { role: 'developer', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    { role: 'assistant', content: null, tool_calls: [call], reasoning: 'hm', reasoning_details: [{ type: 'x' }] },
    { role: 'tool', content: 'ok', tool_call_id: 'c1' },
    { role: 'assistant', refusal: 'no', tool_calls: [], audio: { id: 'a1' }, name: null },
    { role: 'assistant', content: 'And' },
  ];
  expect(build({ messages })['messages']).toEqual([
    { role: 'system', content: 'Be brief.', name: 'ops' },
    { role: 'system', content: [{ type: 'text', text: 'x' }] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', content: 'ok', tool_call_id: 'c1' },
    { role: 'assistant', refusal: 'no', audio: { id: 'a1' } },
    { role: 'assistant', content: 'And' },
  ]);
});

test.each([
  ['openai', { reasoning: 'hm' }],
  ['mistral', { reasoning: 'hm', content: '', name: 'ada' }],
  ['deepseek', { reasoning_content: 'hm', content: [], tool_calls: [], refusal: null, audio: null }],
  ['groq', { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }], content: null }],
] as const)('leaves out a turn of the model for %s that has nothing but reasoning: %j', (name, said) => {
  const again = { role: 'user', content: 'And?' };
  const messages = [...HELLO, { role: 'assistant', ...said }, again];
  const { dialect } = OPENAI_PRESETS[name];
  expect(build({ messages }, { dialect })['messages']).toEqual([...HELLO, again]);
  // As the last of a conversation it would begin nothing that could be continued.
  const begun = build({ messages: messages.slice(0, 2) }, { dialect, prefill: 'prefix' });
  expect(begun['messages']).toEqual(HELLO);
});

test('keeps a turn of reasoning alone for who reads it, and one with a refusal, audio or calls', () => {
  const details = [{ type: 'reasoning.text', text: 'hm' }];
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const kept = [
    { role: 'assistant', content: null, reasoning_details: details },
    { role: 'assistant', content: null, refusal: 'no' },
    { role: 'assistant', content: null, audio: { id: 'a1' } },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'assistant', content: '' },
  ];
  const messages = [...HELLO, ...kept];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.openrouter.dialect })['messages']).toEqual(messages);
  expect(build({ messages })['messages']).toEqual([...HELLO, ...kept.slice(1)]);
});

test('sends images and annotations of the model back to a gateway, which alone knows them', () => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
  const annotations = [{ type: 'file', file: { hash: 'h', name: 'a.pdf', content: [{ type: 'text', text: 'x' }] } }];
  const messages = [
    { role: 'assistant', content: 'Here', images, annotations },
    { role: 'assistant', content: null, images, annotations: [] },
    { role: 'assistant', content: 'None', images: [], annotations: null },
  ];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.openrouter.dialect })['messages']).toEqual([
    { role: 'assistant', content: 'Here', images, annotations },
    { role: 'assistant', content: null, images },
    { role: 'assistant', content: 'None' },
  ]);
  expect(build({ messages }, { dialect: OPENAI_PRESETS.openai.dialect })['messages']).toEqual([
    { role: 'assistant', content: 'Here' },
    { role: 'assistant', content: 'None' },
  ]);
});

test('keeps the developer’s role where it is known', () => {
  const messages = [{ role: 'developer', content: 'Be brief.' }];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.openai.dialect })['messages']).toEqual(messages);
});

test('sends strict servers no field of a message that they refuse, but says what a refusal said', () => {
  const messages = [
    { role: 'user', content: 'Hello', name: 'ada' },
    { role: 'assistant', content: null, refusal: 'I cannot', audio: { id: 'a1' } },
    { role: 'assistant', content: 'But this:', refusal: 'I cannot' },
  ];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.groq.dialect })['messages']).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'I cannot' },
    { role: 'assistant', content: 'But this:' },
  ]);
});

test('gives calls made elsewhere ids that a strict server takes, the same for a call and its result', () => {
  const callOf = (id: string): object => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const messages = [
    { role: 'assistant', content: null, tool_calls: ['call_long_1', 'Abc123xyZ', 'call_long_2'].map(callOf) },
    { role: 'tool', tool_call_id: 'call_long_2', content: '2' },
    { role: 'tool', tool_call_id: 'Abc123xyZ', content: 'own' },
    { role: 'tool', tool_call_id: 'call_long_1', content: '1' },
  ];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.mistral.dialect })['messages']).toEqual([
    { role: 'assistant', content: null, tool_calls: ['call00000', 'Abc123xyZ', 'call00001'].map(callOf) },
    { role: 'tool', tool_call_id: 'call00001', content: '2' },
    { role: 'tool', tool_call_id: 'Abc123xyZ', content: 'own' },
    { role: 'tool', tool_call_id: 'call00000', content: '1' },
  ]);
});

const toolCalls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
const details = [{ type: 'reasoning.text', text: 'hm', signature: 's' }];

test.each([
  ['openai', { reasoning: 'hm', tool_calls: toolCalls }, { tool_calls: toolCalls }],
  ['groq', { reasoning: 'hm', tool_calls: toolCalls }, { reasoning: 'hm', tool_calls: toolCalls }],
  ['deepseek', { reasoning_content: 'hm', tool_calls: toolCalls }, { reasoning_content: 'hm', tool_calls: toolCalls }],
  [
    'deepseek',
    { reasoning_details: details, tool_calls: toolCalls },
    { reasoning_content: 'hm', tool_calls: toolCalls },
  ],
  [
    'deepseek',
    { reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }], tool_calls: toolCalls },
    { reasoning_content: 'hm', tool_calls: toolCalls },
  ],
  ['deepseek', { content: 'Hi', reasoning: 'hm' }, { content: 'Hi' }],
  ['openrouter', { content: 'Hi', reasoning_details: details }, { content: 'Hi', reasoning_details: details }],
  ['openrouter', { content: 'Hi', reasoning: 'hm' }, { content: 'Hi' }],
  [
    'mistral',
    { content: 'Hi', reasoning: 'hm', tool_calls: [{ ...toolCalls[0], id: 'abcdefghi' }] },
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'Hi' },
      ],
      tool_calls: [{ ...toolCalls[0], id: 'abcdefghi' }],
    },
  ],
] as const)('sends earlier reasoning back to %s in its own form: %j', (name, message, expected) => {
  const messages = [{ role: 'assistant', ...message }];
  expect(build({ messages }, { dialect: OPENAI_PRESETS[name].dialect })['messages']).toEqual([
    { role: 'assistant', ...expected },
  ]);
});

test.each([
  ['deepseek', { reasoning: { effort: 'medium' } }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
  ['deepseek', { reasoning: { enabled: true } }, { thinking: { type: 'enabled' } }],
  ['deepseek', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
  ['moonshot', { reasoning: { effort: 'high' } }, { thinking: { type: 'enabled' } }],
  ['alibaba', { reasoning: { max_tokens: 300 } }, { enable_thinking: true, thinking_budget: 300 }],
  [
    'alibaba',
    { reasoning: { effort: 'low' }, max_tokens: 10_000 },
    { enable_thinking: true, thinking_budget: 2000, max_tokens: 10_000 },
  ],
  [
    'alibaba',
    { reasoning: { effort: 'low' }, max_tokens: 2000 },
    { enable_thinking: true, thinking_budget: 1024, max_tokens: 2000 },
  ],
  ['alibaba', { reasoning: { effort: 'low' } }, { enable_thinking: true }],
  ['alibaba', { reasoning: { enabled: false } }, { enable_thinking: false }],
  ['together', { reasoning: { effort: 'max' } }, { reasoning: { enabled: true }, reasoning_effort: 'high' }],
  ['together', { reasoning: { enabled: false } }, { reasoning: { enabled: false } }],
  [
    'vllm',
    { reasoning: { effort: 'minimal' } },
    {
      chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: 'low' },
      reasoning_effort: 'low',
    },
  ],
  ['vllm', { reasoning_effort: 'none' }, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
  [
    'openrouter',
    { reasoning_effort: 'high', reasoning: { exclude: true } },
    { reasoning: { effort: 'high', exclude: true } },
  ],
  ['mistral', { reasoning_effort: 'low' }, { reasoning_effort: 'high' }],
  ['fireworks', { reasoning_effort: 'max' }, { reasoning_effort: 'max' }],
  ['deepseek', { reasoning: { exclude: true } }, {}],
] as const)('requests reasoning from %s in its own form: %j', (name, asked, expected) => {
  const { model: _model, messages: _messages, ...body } = build(asked, { dialect: OPENAI_PRESETS[name].dialect });
  expect(body).toEqual(expected);
});

const SCHEMA = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } };
const IN_WORDS = expect.stringMatching(/^Answer with one JSON document .*\n\{"type":"array"\}$/) as string;
const OBJECT_IN_WORDS = expect.stringMatching(/^Answer with one JSON object /) as string;

test.each([
  ['deepseek', SCHEMA, { type: 'json_object' }, IN_WORDS],
  ['deepseek', { type: 'json_schema', json_schema: { name: 'x' } }, { type: 'json_object' }, OBJECT_IN_WORDS],
  ['deepseek', { type: 'json_object' }, { type: 'json_object' }, undefined],
  ['lmstudio', SCHEMA, SCHEMA, undefined],
  ['lmstudio', { type: 'json_object' }, undefined, OBJECT_IN_WORDS],
  ['openai', SCHEMA, SCHEMA, undefined],
] as const)(
  'requests from %s the format %j as %j, and in words where that does not bind it',
  (name, form, format, words) => {
    const body = build({ response_format: form }, { dialect: OPENAI_PRESETS[name].dialect });
    expect(body['response_format']).toEqual(format);
    const instruction = words === undefined ? [] : [{ role: 'system', content: words }];
    expect(body['messages']).toEqual([...instruction, ...HELLO]);
  },
);

test('adds the format in words to the instructions, and nothing for an endpoint without the field', () => {
  const { dialect } = OPENAI_PRESETS.deepseek;
  const firstOf = (content: unknown): unknown =>
    (
      build({ messages: [{ role: 'developer', content }, ...HELLO], response_format: SCHEMA }, { dialect })[
        'messages'
      ] as unknown[]
    )[0];
  expect(firstOf('Be brief.')).toEqual({
    role: 'system',
    content: expect.stringMatching(/^Be brief\.\n\nAnswer with one JSON/) as string,
  });
  const part = { type: 'text', text: 'Be brief.' };
  expect(firstOf([part])).toEqual({ role: 'system', content: [part, { type: 'text', text: IN_WORDS }] });
  const unsupported = build({ response_format: SCHEMA }, { dialect, supportedParameters: new Set(['seed']) });
  expect(unsupported).toEqual({ model: 'chat-1', messages: HELLO });
});

test('marks the end of the conversation for a mark on the whole request, where marks mean something', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
  const said = { role: 'assistant', content: 'And?' };
  const contentsAt = (name: 'openrouter' | 'alibaba' | 'openai' | 'deepseek', ...messages: object[]): unknown => {
    const body = build({ ...mark, messages }, { dialect: OPENAI_PRESETS[name].dialect, providerModel: 'gpt-6' });
    expect(body).not.toHaveProperty('cache_control');
    return (body['messages'] as { content: unknown }[]).map(({ content }) => content);
  };
  const marked = [{ type: 'text', text: 'Hello', ...mark }];
  expect(contentsAt('openrouter', ...HELLO)).toEqual([marked]);
  expect(contentsAt('alibaba', ...HELLO, said, ...HELLO, said)).toEqual(['Hello', 'And?', marked, 'And?']);
  expect(contentsAt('alibaba', { role: 'user', content: [{ type: 'text', text: 'a' }, image] })).toEqual([
    [
      { type: 'text', text: 'a' },
      { ...image, ...mark },
    ],
  ]);
  const own = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
  expect(contentsAt('alibaba', { role: 'user', content: [own] })).toEqual([[own]]);
  // These cache by themselves.
  expect(contentsAt('openai', ...HELLO)).toEqual(['Hello']);
  expect(contentsAt('deepseek', ...HELLO)).toEqual(['Hello']);
  expect(contentsAt('alibaba', said)).toEqual(['And?']);
});

test('keeps marks for the cache where they mean something', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...mark }] }];
  const tools = [{ type: 'function', function: { name: 'f' }, ...mark }];
  expect(build({ messages, tools }, { dialect: OPENAI_PRESETS.openrouter.dialect })).toMatchObject({ messages, tools });
});

test('marks for the cache in the form that the server knows, whichever form they came in', () => {
  const contentAt = (name: 'openai' | 'alibaba', providerModel: string): unknown[] => {
    const text = { type: 'text', text: 'Hi' };
    const parts = [
      { ...text, cache_control: { type: 'ephemeral', ttl: '1h' } },
      { ...text, prompt_cache_breakpoint: { mode: 'explicit' } },
      { ...text, prompt_cache_breakpoint: { mode: 'implicit' } },
    ];
    const body = build(
      { messages: [{ role: 'user', content: parts }] },
      { dialect: OPENAI_PRESETS[name].dialect, providerModel },
    );
    return (body['messages'] as { content: { type: string; text: string }[] }[]).flatMap(({ content }) =>
      content.map(({ type: _type, text: _text, ...mark }) => mark),
    );
  };
  const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
  for (const model of ['gpt-5.6', 'gpt-5.10-mini', 'gpt-6']) {
    expect(contentAt('openai', model)).toEqual([breakpoint, breakpoint, {}]);
  }
  for (const model of ['gpt-5.5', 'gpt-4.1', 'my-deployment']) expect(contentAt('openai', model)).toEqual([{}, {}, {}]);
  expect(contentAt('alibaba', 'qwen-plus')).toEqual([
    { cache_control: { type: 'ephemeral', ttl: '1h' } },
    { cache_control: { type: 'ephemeral' } },
    {},
  ]);
});

test('hands on how to cache to who knows the words', () => {
  const asked = { prompt_cache_options: { mode: 'explicit', ttl: null } };
  const sentTo = (name: 'openai' | 'alibaba', providerModel: string): unknown =>
    build(asked, { dialect: OPENAI_PRESETS[name].dialect, providerModel })['prompt_cache_options'];
  expect(sentTo('openai', 'gpt-5.6')).toEqual({ mode: 'explicit' });
  expect(sentTo('openai', 'gpt-5.5')).toBeUndefined();
  expect(sentTo('alibaba', 'gpt-5.6')).toBeUndefined();
});

test('marks nothing that a model said where that is refused', () => {
  const content = [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }];
  const body = build(
    { messages: [{ role: 'assistant', content }] },
    { dialect: OPENAI_PRESETS.openai.dialect, providerModel: 'gpt-5.6' },
  );
  expect(body['messages']).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }]);
});

test('attaches files as documents where that is how', () => {
  const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' };
  const messages = [{ role: 'user', content: [{ type: 'file', file }] }];
  expect(build({ messages }, { dialect: OPENAI_PRESETS.mistral.dialect })['messages']).toEqual([
    { role: 'user', content: [{ type: 'document_url', document_url: file.file_data, document_name: 'a.pdf' }] },
  ]);
});

test('translates every kind of content part', () => {
  const content = [
    { type: 'text', text: 'Look', cache_control: null, prompt_cache_breakpoint: { mode: 'explicit' } },
    {
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,AA==', detail: null },
      cache_control: { type: 'ephemeral' },
    },
    { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'high' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==', file_id: null } },
    { type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } },
    { type: 'input_video', video_url: { url: 'https://x.example/b.mp4' } },
  ];
  expect(build({ messages: [{ role: 'user', content }] })['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'high' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } },
        { type: 'video_url', video_url: { url: 'https://x.example/b.mp4' } },
      ],
    },
  ]);
});

test('passes tool arguments on to the letter, big numbers and all', () => {
  const argumentText = '{"id": 12345678901234567890, "x":1e400,  "s":"\\ud800"}';
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: argumentText } };
  const sent = JSON.stringify(build({ messages: [{ role: 'assistant', tool_calls: [call] }] }));
  expect((JSON.parse(sent) as { messages: (typeof call)[][] }).messages[0]).toMatchObject({ tool_calls: [call] });
});
