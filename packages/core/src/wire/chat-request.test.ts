import { expect, test } from 'vitest';

import { GatewayError } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { chatCompletionRequestSchema, parseChatCompletion } from './chat-request.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];

function refusalOf(check: () => unknown): GatewayError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    return error as GatewayError;
  }
}

/** The paths of all issues of a body, as in the response. */
function refusedPaths(body: unknown): string[] {
  const error = refusalOf(() => parseChatCompletion(body));
  // The schema is narrowed to the fields that are there; that must make no difference.
  expect(error?.metadata).toEqual(refusalOf(() => parseWith(chatCompletionRequestSchema, body))?.metadata);
  if (error === undefined) return [];
  expect(error.status).toBe(400);
  const issues = error.metadata?.['issues'] as { path: string; message: string }[];
  for (const issue of issues.slice(0, 3)) expect(error.message).toContain(issue.path);
  for (const issue of issues) expect(issue.message).not.toBe('');
  return issues.map(({ path }) => path);
}

const with16Pairs = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, 'v']));
const tool = (name: string): object => ({ type: 'function', function: { name } });

// Every limit of the wire: what is just accepted, and what is just refused with the path it is refused under.
const LIMITS: readonly [
  field: string,
  accepted: readonly unknown[],
  refused: readonly (readonly [value: unknown, path: string])[],
][] = [
  [
    'model',
    ['a/b', null],
    [
      ['', 'model'],
      [5, 'model'],
      [['a/b'], 'model'],
    ],
  ],
  [
    'models',
    [['a/b'], [], null],
    [
      ['a/b', 'models'],
      [[1], 'models.0'],
      [['a', null], 'models.1'],
      [['a', ''], 'models.1'],
    ],
  ],
  [
    'provider',
    [
      { order: ['x'] },
      { preferred_max_latency: { p50: null, p99: 3 }, preferred_min_throughput: { p90: null } },
      { preferred_max_latency: 2, preferred_min_throughput: null },
      { quantizations: ['int4', 'int8', 'fp4', 'mxfp4', 'nvfp4', 'fp6', 'fp8', 'mxfp8', 'fp16', 'bf16', 'fp32'] },
      { quantizations: ['unknown'] },
      {},
      null,
    ],
    [
      [{ preferred_max_latency: { p50: 'fast' } }, 'provider.preferred_max_latency.p50'],
      [{ quantizations: ['fp8', 'fp9'] }, 'provider.quantizations.1'],
      [{ oder: ['x'] }, 'provider.oder'],
      [{ sort: 'cheapest' }, 'provider.sort'],
      ['x', 'provider'],
    ],
  ],
  ['route', ['fallback', null, 5, { a: 1 }, []], []],
  [
    'temperature',
    [0, 2, 1.5, null],
    [
      [-0.01, 'temperature'],
      [2.01, 'temperature'],
      ['1', 'temperature'],
    ],
  ],
  [
    'top_p',
    [0, 1, null],
    [
      [-0.01, 'top_p'],
      [1.01, 'top_p'],
    ],
  ],
  [
    'top_k',
    [0, 40, null],
    [
      ['40', 'top_k'],
      [1.5, 'top_k'],
      [-1, 'top_k'],
    ],
  ],
  ['min_p', [0, 1, null], [[true, 'min_p']]],
  ['top_a', [0, 1, null], [[[], 'top_a']]],
  ['repetition_penalty', [0, 2, null], [[{}, 'repetition_penalty']]],
  [
    'frequency_penalty',
    [-2, 2, 0, null],
    [
      [-2.01, 'frequency_penalty'],
      [2.01, 'frequency_penalty'],
    ],
  ],
  [
    'presence_penalty',
    [-2, 2, 0, null],
    [
      [-2.01, 'presence_penalty'],
      [2.01, 'presence_penalty'],
    ],
  ],
  [
    'max_tokens',
    [1, 1_000_000, null],
    [
      [0, 'max_tokens'],
      [-1, 'max_tokens'],
      [1.5, 'max_tokens'],
      [2 ** 53, 'max_tokens'],
    ],
  ],
  [
    'max_completion_tokens',
    [1, null],
    [
      [0, 'max_completion_tokens'],
      [1.5, 'max_completion_tokens'],
    ],
  ],
  [
    'seed',
    [0, -7, 2 ** 53 - 1, null],
    [
      [0.5, 'seed'],
      [2 ** 53, 'seed'],
      ['7', 'seed'],
    ],
  ],
  ['stop', ['x', [], ['a', 'b', 'c', 'd'], null, 7, { type: 'regex' }], [[['a', 'b', 'c', 'd', 'e'], 'stop']]],
  [
    'logit_bias',
    [{ '50256': -100 }, {}, null],
    [
      [{ '50256': 'no' }, 'logit_bias.50256'],
      [[], 'logit_bias'],
    ],
  ],
  ['logprobs', [true, false, null], [['true', 'logprobs']]],
  [
    'top_logprobs',
    [0, 20, null],
    [
      [-1, 'top_logprobs'],
      [21, 'top_logprobs'],
      [0.5, 'top_logprobs'],
    ],
  ],
  [
    'tools',
    [[], [tool('f')], [tool('a'.repeat(64))], [{ type: 'service:web_search', parameters: {} }], null],
    [
      [[tool('a'.repeat(65))], 'tools.0.function.name'],
      [[tool('f'), tool('')], 'tools.1.function.name'],
      [[tool('with space')], 'tools.0.function.name'],
      [[{ type: 'function' }], 'tools.0.function'],
      [[{}], 'tools.0'],
      [{}, 'tools'],
    ],
  ],
  [
    'tool_choice',
    ['none', 'auto', 'required', tool('f'), { type: 'service:web_search' }, null],
    [
      ['any', 'tool_choice'],
      [5, 'tool_choice'],
      [{}, 'tool_choice'],
      [{ type: 'function' }, 'tool_choice.function'],
      [{ type: 'function', function: {} }, 'tool_choice.function.name'],
      [{ type: 'function', function: { name: 5 } }, 'tool_choice.function.name'],
      [{ type: 5 }, 'tool_choice'],
    ],
  ],
  ['parallel_tool_calls', [true, null], [[1, 'parallel_tool_calls']]],
  ['max_tool_calls', [0, 30, null], [[1.5, 'max_tool_calls']]],
  [
    'stop_server_tools_when',
    [
      [
        { type: 'step_count_is', step_count: 1 },
        { type: 'has_tool_call', tool_name: 'x' },
        { type: 'max_tokens_used', max_tokens: 1 },
        { type: 'max_cost', max_cost_in_dollars: 0.01 },
        { type: 'finish_reason_is', reason: 'stop' },
      ],
      null,
    ],
    [
      [[], 'stop_server_tools_when'],
      [[{}], 'stop_server_tools_when.0.type'],
      [[{ type: 'steps', n: 1 }], 'stop_server_tools_when.0.type'],
      [[{ type: 'step_count_is', step_count: 1.5 }], 'stop_server_tools_when.0.step_count'],
      [[{ type: 'has_tool_call', tool_name: '' }], 'stop_server_tools_when.0.tool_name'],
      [[{ type: 'max_tokens_used' }], 'stop_server_tools_when.0.max_tokens'],
      [[{ type: 'max_cost', max_cost_in_dollars: '1' }], 'stop_server_tools_when.0.max_cost_in_dollars'],
      [[{ type: 'finish_reason_is', reason: '' }], 'stop_server_tools_when.0.reason'],
    ],
  ],
  [
    'response_format',
    [
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'n'.repeat(64), schema: {}, strict: null } },
      { type: 'grammar', grammar: 'root ::= x' },
      { type: 'python' },
      null,
    ],
    [
      [{ type: 'xml' }, 'response_format.type'],
      [{ type: 'json_schema' }, 'response_format.json_schema'],
      [{ type: 'json_schema', json_schema: { name: 'n'.repeat(65) } }, 'response_format.json_schema.name'],
      [{ type: 'grammar' }, 'response_format.grammar'],
    ],
  ],
  [
    'reasoning',
    [
      {},
      { effort: 'max' },
      { effort: null, max_tokens: 5, exclude: true, enabled: false, summary: 'auto', context: 'auto' },
      null,
    ],
    [
      [{ effort: 'huge' }, 'reasoning.effort'],
      [{ max_tokens: 1.5 }, 'reasoning.max_tokens'],
      [{ summary: 'long' }, 'reasoning.summary'],
      [true, 'reasoning'],
    ],
  ],
  [
    'reasoning_effort',
    ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none', null],
    [['some', 'reasoning_effort']],
  ],
  ['include_reasoning', [true, null], [['yes', 'include_reasoning']]],
  ['verbosity', ['low', 'medium', 'high', 'xhigh', 'max', null], [['loud', 'verbosity']]],
  [
    'prediction',
    [{ type: 'content', content: 'x' }, { type: 'content', content: [{ type: 'text', text: 'x' }] }, null],
    [
      [{ content: 'x' }, 'prediction.type'],
      [{ type: 'text', content: 'x' }, 'prediction.type'],
      [{ type: 'content' }, 'prediction.content'],
      [{ type: 'content', content: [{ type: 'text' }] }, 'prediction.content.0.text'],
    ],
  ],
  [
    'audio',
    [{ voice: 'alloy', format: 'wav' }, { voice: { id: 'voice_1' }, format: 'pcm16', speed: 2 }, null],
    [
      ['alloy', 'audio'],
      [{ voice: 'alloy' }, 'audio.format'],
      [{ voice: 5, format: 'wav' }, 'audio.voice'],
    ],
  ],
  [
    'n',
    [1, null],
    [
      [2, 'n'],
      [0, 'n'],
      ['1', 'n'],
    ],
  ],
  [
    'functions',
    [null],
    [
      [[{ name: 'f' }], 'functions'],
      [[], 'functions'],
    ],
  ],
  [
    'function_call',
    [null],
    [
      ['auto', 'function_call'],
      [{ name: 'f' }, 'function_call'],
    ],
  ],
  ['modalities', [['text', 'image', 'audio'], [], null], [[['video'], 'modalities.0']]],
  [
    'image_config',
    [{ a: 'x', b: 1, c: [1], d: { e: null } }, {}, null],
    [
      [{ a: true }, 'image_config.a'],
      [{ a: null }, 'image_config.a'],
      ['x', 'image_config'],
    ],
  ],
  ['plugins', [[{ id: 'web', enabled: false, more: 1 }], [], null], [[[{}], 'plugins.0.id']]],
  ['transforms', [['middle-out'], [], null], [[[1], 'transforms.0']]],
  ['preset', ['mine', null], [[1, 'preset']]],
  [
    'cache_control',
    [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }, null],
    [
      [{ type: 'forever' }, 'cache_control.type'],
      [{ type: 'ephemeral', ttl: '2h' }, 'cache_control.ttl'],
    ],
  ],
  ['prompt_cache_key', ['k', null], [[1, 'prompt_cache_key']]],
  [
    'prompt_cache_options',
    [{ mode: 'explicit' }, { mode: 'explicit', ttl: '30m' }, null],
    [[{ mode: 'implicit' }, 'prompt_cache_options.mode']],
  ],
  [
    'metadata',
    [with16Pairs, { ['k'.repeat(64)]: 'v'.repeat(512) }, { ['🔑'.repeat(64)]: '😀'.repeat(512) }, {}, null],
    [
      [{ ...with16Pairs, k16: 'v' }, 'metadata'],
      [{ ['k'.repeat(65)]: 'v' }, `metadata.${'k'.repeat(65)}`],
      [{ k: 'v'.repeat(513) }, 'metadata.k'],
      [{ k: '😀'.repeat(513) }, 'metadata.k'],
      [{ k: 1 }, 'metadata.k'],
    ],
  ],
  [
    'session_id',
    ['s'.repeat(256), '😀'.repeat(256), '', null],
    [
      ['s'.repeat(257), 'session_id'],
      ['😀'.repeat(257), 'session_id'],
    ],
  ],
  ['service_tier', ['auto', 'default', 'flex', 'priority', 'scale', 'fast', null], [['slow', 'service_tier']]],
  [
    'stream',
    [true, false, null],
    [
      ['true', 'stream'],
      [1, 'stream'],
    ],
  ],
  ['stream_options', [{ include_usage: true }, {}, null], [[{ include_usage: 1 }, 'stream_options.include_usage']]],
  ['debug', [{ echo_upstream_body: true }, {}, null], [[{ echo_upstream_body: 'x' }, 'debug.echo_upstream_body']]],
  [
    'trace',
    [
      { trace_id: 't', trace_name: 't', span_name: 's', generation_name: 'g', parent_span_id: 'p', any: { x: 1 } },
      { trace_id: null },
      {},
      null,
    ],
    [
      ['t', 'trace'],
      [{ trace_id: 5 }, 'trace.trace_id'],
      [{ trace_name: {} }, 'trace.trace_name'],
      [{ span_name: true }, 'trace.span_name'],
      [{ generation_name: [] }, 'trace.generation_name'],
      [{ parent_span_id: 0 }, 'trace.parent_span_id'],
    ],
  ],
  ['user', ['u', null], [[1, 'user']]],
];

test.each(LIMITS)('holds %s to its limits, no more and no less', (field, accepted, refused) => {
  for (const value of accepted) {
    expect({ value, refused: refusedPaths({ messages: HELLO, [field]: value }) }).toEqual({ value, refused: [] });
  }
  for (const [value, path] of refused) {
    expect({ value, refused: refusedPaths({ messages: HELLO, [field]: value }) }).toEqual({ value, refused: [path] });
  }
  // An issue in one field is reported beside issues in other fields.
  for (const [value, path] of refused) {
    expect(refusedPaths({ messages: [], [field]: value }).toSorted()).toEqual(['messages', path].toSorted());
  }
});

test('knows every field of the wire, and only those', () => {
  expect(Object.keys(chatCompletionRequestSchema.shape).toSorted()).toEqual(
    ['messages', ...LIMITS.map(([field]) => field)].toSorted(),
  );
});

test('tolerates unknown fields and takes them no further', () => {
  const body = { messages: HELLO, seed: 1, brand_new: { deep: [1] }, constructor: 5, toString: 'x' };
  expect(parseChatCompletion(body)).toEqual({ messages: HELLO, seed: 1 });
});

test('checks every field, however many sets of fields have been seen before', () => {
  const fields = LIMITS.map(([field]) => field).filter((field) => field !== 'top_p');
  for (let set = 0; set < 300; set += 1) {
    const present = fields.filter((_, bit) => bit < 9 && ((set >> bit) & 1) === 1);
    const body = { ...Object.fromEntries(present.map((field) => [field, undefined])), messages: HELLO };
    expect(refusedPaths({ ...body, top_p: 5 })).toEqual(['top_p']);
    expect(refusedPaths({ ...body, top_p: 0.5 })).toEqual([]);
  }
  expect(refusedPaths({ messages: HELLO, metadata: 5, temperature: 9 }).toSorted()).toEqual([
    'metadata',
    'temperature',
  ]);
});

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const CONTENT_PARTS: readonly object[] = [
  { type: 'text', text: '', cache_control: { type: 'ephemeral' }, prompt_cache_breakpoint: { mode: 'explicit' } },
  { type: 'image_url', image_url: { url: 'data:,', detail: 'original' }, cache_control: null },
  { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
  { type: 'file', file: { filename: 'a', file_data: 'data:,', file_id: null } },
  { type: 'video_url', video_url: { url: 'https://x.example/v' } },
  { type: 'input_video', video_url: { url: 'https://x.example/v' } },
];

test.each<[string, unknown]>([
  ['system text', { role: 'system', content: 'x', name: 'n' }],
  ['developer parts', { role: 'developer', content: [{ type: 'text', text: 'x' }] }],
  ['empty user text', { role: 'user', content: '' }],
  ['every kind of user part', { role: 'user', content: CONTENT_PARTS, name: null }],
  ['an assistant without content', { role: 'assistant' }],
  ['an assistant whose legacy call is null', { role: 'assistant', content: 'x', function_call: null }],
  [
    'an assistant with everything',
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning: 'r',
      reasoning_content: 'r',
      tool_calls: [call],
      reasoning_details: [
        {
          type: 'reasoning.encrypted',
          data: 'x',
        },
      ],
      images: [{ a: 1 }],
      audio: { id: 'a' },
      annotations: [],
    },
  ],
  [
    'a tool call without a type',
    { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '' } }] },
  ],
  ['a tool result of parts', { role: 'tool', tool_call_id: 'c1', content: CONTENT_PARTS }],
])('accepts %s', (_name, message) => {
  expect(refusedPaths({ messages: [message] })).toEqual([]);
});

test.each<[string, unknown, string[]]>([
  ['no messages', undefined, ['messages']],
  ['no message', [], ['messages']],
  ['messages that are text', 'hi', ['messages']],
  ['a message that is text', ['hi'], ['messages.0']],
  ['a message that is null', [null], ['messages.0']],
  ['a message without a role', [{ content: 'x' }], ['messages.0.role']],
  ['an unknown role', [{ role: 'robot', content: 'x' }], ['messages.0.role']],
  ['a user message without content', [{ role: 'user' }], ['messages.0.content']],
  ['content that is null', [{ role: 'user', content: null }], ['messages.0.content']],
  ['content that is a number', [{ role: 'user', content: 5 }], ['messages.0.content']],
  [
    'a system message with an image',
    [{ role: 'system', content: [CONTENT_PARTS[1]] }],
    ['messages.0.content.0.type', 'messages.0.content.0.text'],
  ],
  ['a tool result without its call', [{ role: 'tool', content: 'x' }], ['messages.0.tool_call_id']],
  [
    'a tool call without an id',
    [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '' } }] }],
    ['messages.0.tool_calls.0.id'],
  ],
  [
    'arguments that are an object',
    [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: {} } }] }],
    ['messages.0.tool_calls.0.function.arguments'],
  ],
  [
    'a call in the legacy form',
    [{ role: 'assistant', function_call: { name: 'f', arguments: '' } }],
    ['messages.0.function_call'],
  ],
  ['two wrong messages', [...HELLO, { role: 'x' }, ...HELLO, { role: 'y' }], ['messages.1.role', 'messages.3.role']],
])('refuses %s', (_name, messages, paths) => {
  expect(refusedPaths({ messages })).toEqual(paths);
});

test.each([null, undefined, [], 'text', 5])('refuses %j as a body', (body) => {
  expect(refusedPaths(body)).toEqual(['body']);
});

test.each([
  [{ n: 2 }, 'n: must be 1: a call has one completion; send a request for each that you need'],
  [{ functions: [] }, 'functions: is not supported: send `tools`, each as { type: "function", function }'],
  [{ function_call: 'auto' }, 'function_call: is not supported: send `tool_choice`'],
])('says what to do instead of %j', (field, message) => {
  expect(refusalOf(() => parseChatCompletion({ messages: HELLO, ...field }))?.message).toBe(message);
});
