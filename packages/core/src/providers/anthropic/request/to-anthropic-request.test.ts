import { expect, test } from 'vitest';

import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import type { ChatCall } from '../../provider.ts';
import { toAnthropicRequest } from './to-anthropic-request.ts';

const OLD = 'claude-sonnet-4-20250514';
const BUDGET = 'claude-sonnet-4-5-20250929';
const EITHER = 'claude-opus-4-6';
const ADAPTIVE = 'claude-opus-4-8';
const DEFAULT_ON = 'claude-sonnet-5';
const ALWAYS_ON = 'claude-fable-5';

function bodyOf(request: Partial<ChatCompletionRequest>, call: Partial<ChatCall> = {}): Record<string, unknown> {
  return toAnthropicRequest({
    generationId: 'gen-1',
    request: { messages: [{ role: 'user', content: 'Hello' }], ...request },
    providerModel: BUDGET,
    stream: false,
    supportedParameters: null,
    signal: new AbortController().signal,
    timeouts: { headersMs: 1, nonStreamMs: 1, idleMs: 1, totalMs: 1 },
    ...call,
  });
}

const refusalOf = (request: Partial<ChatCompletionRequest>, call: Partial<ChatCall> = {}): unknown => {
  try {
    return bodyOf(request, call);
  } catch (error) {
    return error;
  }
};

const refused = (message: string): object => ({ code: 'invalid_request', status: 400, message });

const look = { type: 'function' as const, function: { name: 'look' } };

test('sends the least that the wire accepts', () => {
  expect(bodyOf({})).toEqual({
    model: BUDGET,
    max_tokens: 32_000,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  });
  expect(bodyOf({}, { stream: true })).toMatchObject({ stream: true });
});

test.each([
  ['the newer name first', { max_completion_tokens: 5, max_tokens: 7 }, { maxOutputTokens: 9 }, 5],
  ['the older name', { max_tokens: 7 }, { maxOutputTokens: 9 }, 7],
  ["the endpoint's limit", {}, { maxOutputTokens: 9 }, 9],
  ["the model's default", {}, { maxOutputTokens: null }, 32_000],
  ["the wire's default for a model of another maker", {}, { providerModel: 'glm-5' }, 8192],
])('takes the output limit from %s', (_name, request, call, limit) => {
  expect(bodyOf(request, call)['max_tokens']).toBe(limit);
});

test('leaves out fields that the wire does not have and that only tune the completion', () => {
  expect(
    bodyOf({
      frequency_penalty: 1,
      presence_penalty: 1,
      repetition_penalty: 1,
      min_p: 0.1,
      top_a: 0.1,
      seed: 1,
      logit_bias: { 1: 1 },
      logprobs: true,
      top_logprobs: 2,
      prediction: { type: 'content', content: 'x' },
      modalities: ['text'],
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
      temperature: null,
      stop: null,
      tools: [],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'text' },
    }),
  ).toEqual(bodyOf({}));
});

test.each([
  [{ temperature: 0 }, BUDGET, { temperature: 0 }],
  [{ temperature: 1.7 }, BUDGET, { temperature: 1 }],
  [{ temperature: 0.5, top_p: 0.9, top_k: 3 }, OLD, { temperature: 0.5, top_p: 0.9, top_k: 3 }],
  [{ temperature: 0.5, top_p: 0.9, top_k: 3 }, BUDGET, { temperature: 0.5, top_k: 3 }],
  [{ top_p: 0.9 }, BUDGET, { top_p: 0.9 }],
  [{ temperature: 0.5, top_p: 0.9, top_k: 3 }, ADAPTIVE, {}],
  [{ temperature: 0.5, top_p: 0.9, top_k: 3, reasoning: { effort: 'low' as const } }, BUDGET, {}],
  [{ top_p: 0.95, reasoning: { effort: 'low' as const } }, BUDGET, { top_p: 0.95 }],
])('sends of the sampling in %j to %s what the model accepts', (request, providerModel, expected) => {
  const { temperature, top_p, top_k } = bodyOf(request, { providerModel });
  expect({ temperature, top_p, top_k }).toEqual({
    temperature: undefined,
    top_p: undefined,
    top_k: undefined,
    ...expected,
  });
});

test.each([
  ['END', ['END']],
  [
    ['a', ' \n', 'b'],
    ['a', 'b'],
  ],
  ['\n', undefined],
  [[], undefined],
])('sends the stops %j as sequences, without blank ones', (stop, sequences) => {
  expect(bodyOf({ stop })['stop_sequences']).toEqual(sequences);
});

test('refuses a stop that is not text', () => {
  expect(refusalOf({ stop: 5 })).toMatchObject(refused('stop: must be text for this provider'));
  expect(refusalOf({ stop: ['a', {}] })).toMatchObject(refused('stop.1: must be text for this provider'));
});

test('sends tools with their schemas, breakpoints and strictness', () => {
  expect(
    bodyOf({
      tools: [
        look,
        {
          type: 'function',
          function: {
            name: 'add',
            description: 'Adds',
            parameters: { anyOf: [{ properties: { a: { type: 'number', minimum: 1 } } }] },
            strict: false,
          },
          cache_control: { type: 'ephemeral', ttl: '5m' },
        },
        {
          type: 'function',
          function: { name: 'sub', parameters: { type: 'object', properties: { a: { minimum: 1 } } }, strict: true },
        },
      ],
    })['tools'],
  ).toEqual([
    { name: 'look', input_schema: { type: 'object' } },
    {
      name: 'add',
      description: 'Adds',
      input_schema: { type: 'object', anyOf: [{ properties: { a: { type: 'number', minimum: 1 } } }] },
      cache_control: { type: 'ephemeral', ttl: '5m' },
    },
    {
      name: 'sub',
      input_schema: {
        type: 'object',
        properties: { a: { description: '{minimum: 1}' } },
        additionalProperties: false,
      },
      strict: true,
    },
  ]);
});

test('sends a tool that is the only one', () => {
  expect(bodyOf({ tools: [look] })['tools']).toEqual([{ name: 'look', input_schema: { type: 'object' } }]);
});

test('refuses tools that are no functions, and a choice of one', () => {
  expect(refusalOf({ tools: [look, { type: 'web_search_20250305' }] })).toMatchObject(
    refused('tools.1.type: "web_search_20250305" cannot be sent to this provider; only functions can'),
  );
  expect(refusalOf({ tools: [look], tool_choice: { type: 'web_search' } })).toMatchObject(
    refused('tool_choice.type: only functions can be chosen at this provider'),
  );
});

test.each([
  [undefined, undefined, undefined],
  [undefined, true, undefined],
  [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
  ['auto', undefined, { type: 'auto' }],
  ['none', false, { type: 'none' }],
  ['required', undefined, { type: 'any' }],
  ['required', false, { type: 'any', disable_parallel_tool_use: true }],
  [look, undefined, { type: 'tool', name: 'look' }],
  [look, false, { type: 'tool', name: 'look', disable_parallel_tool_use: true }],
] as const)('turns the choice %j with parallel calls %s into %j', (tool_choice, parallel_tool_calls, expected) => {
  expect(bodyOf({ tools: [look], tool_choice, parallel_tool_calls })['tool_choice']).toEqual(expected);
});

test('marks the whole prompt for caching, and says who calls in opaque form only', () => {
  expect(bodyOf({ cache_control: { type: 'ephemeral', ttl: '1h' } })).toMatchObject({
    cache_control: { type: 'ephemeral', ttl: '1h' },
  });
  expect(bodyOf({ user: 'ann@example.com' })).toEqual(bodyOf({}));
});

test.each([
  ['auto', 'auto'],
  ['priority', 'auto'],
  ['fast', 'auto'],
  ['default', 'standard_only'],
  ['flex', undefined],
  ['scale', undefined],
] as const)('requests the tier %s as %s', (service_tier, expected) => {
  expect(bodyOf({ service_tier })['service_tier']).toBe(expected);
});

const LIMITED = { max_tokens: 10_000 };
const enabled = (budget_tokens: number): object => ({ type: 'enabled', budget_tokens });

test.each([
  [{ reasoning: { effort: 'max' } }, enabled(9500)],
  [{ reasoning: { effort: 'xhigh' } }, enabled(9500)],
  [{ reasoning: { effort: 'high' } }, enabled(8000)],
  [{ reasoning_effort: 'medium' }, enabled(5000)],
  [{ reasoning: { enabled: true } }, enabled(5000)],
  [{ reasoning: { effort: 'low' } }, enabled(2000)],
  [{ reasoning: { effort: 'minimal' } }, enabled(1024)],
  [{ reasoning: { effort: 'high' }, max_tokens: 500_000 }, enabled(128_000)],
  [{ reasoning: { max_tokens: 3000 } }, enabled(3000)],
  [{ reasoning: { max_tokens: 5 } }, enabled(1024)],
  [{ reasoning: { max_tokens: 3000, effort: 'low' } }, enabled(3000)],
  [{ reasoning: {} }, undefined],
  [{ include_reasoning: true }, undefined],
  [{ reasoning: { effort: 'none' } }, undefined],
  [{ reasoning_effort: 'none' }, undefined],
  [{ reasoning: { enabled: false, effort: 'high' } }, undefined],
] as const)('turns %j into a budget where the model takes one', (request, thinking) => {
  expect(bodyOf({ ...LIMITED, ...request })['thinking']).toEqual(thinking);
});

test('adds a requested budget to the default output limit', () => {
  expect(bodyOf({ reasoning: { max_tokens: 40_000 } })).toMatchObject({
    max_tokens: 72_000,
    thinking: enabled(40_000),
  });
});

test('refuses reasoning for which the output limit leaves no room', () => {
  expect(refusalOf({ max_tokens: 2000, reasoning: { max_tokens: 2000 } })).toMatchObject(
    refused('reasoning.max_tokens: must be below max_tokens: 2000 leaves nothing of 2000 for the completion'),
  );
  expect(refusalOf({ max_tokens: 1024, reasoning: { effort: 'high' } })).toMatchObject(
    refused('max_tokens: must be above 1024 for reasoning on this model'),
  );
});

test('requests no reasoning where the model has none', () => {
  expect(bodyOf({ reasoning: { effort: 'high' } }, { providerModel: 'claude-3-5-haiku-20241022' })).not.toHaveProperty(
    'thinking',
  );
});

const called = (reasoning_details: object[]): Partial<ChatCompletionRequest> => ({
  ...LIMITED,
  tools: [look],
  reasoning: { effort: 'low' },
  messages: [
    { role: 'user', content: 'Look' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
      reasoning_details,
    },
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
  ] as ChatCompletionRequest['messages'],
});

test('thinks by budget within a turn only if it began so', () => {
  const signed = { type: 'reasoning.text', text: 'hm', signature: 's', format: 'anthropic-claude-v1' };
  expect(bodyOf(called([signed]))['thinking']).toEqual(enabled(2000));
  expect(bodyOf(called([{ type: 'reasoning.encrypted', data: 'AA' }]))['thinking']).toEqual(enabled(2000));
  expect(bodyOf(called([]))).not.toHaveProperty('thinking');
  expect(bodyOf(called([]), { providerModel: ADAPTIVE })['thinking']).toMatchObject({ type: 'adaptive' });
  const prefill = [{ role: 'assistant' as const, content: 'Once' }];
  expect(bodyOf({ ...LIMITED, reasoning: { effort: 'low' }, messages: prefill })).not.toHaveProperty('thinking');
});

test('puts a forced tool before reasoning, which the wire does not allow together', () => {
  const forced = { ...LIMITED, tools: [look], tool_choice: 'required', reasoning: { effort: 'low' } } as const;
  expect(bodyOf({ ...forced, tools: [look] })).not.toHaveProperty('thinking');
  expect(bodyOf({ ...forced, tool_choice: look, tools: [look] })).not.toHaveProperty('thinking');
  const later = bodyOf({ ...forced, tools: [look] }, { providerModel: ADAPTIVE });
  expect(later).not.toHaveProperty('thinking');
  expect(later['output_config']).toEqual({ effort: 'low' });
  const thinksByDefault = bodyOf({ tools: [look], tool_choice: 'required' }, { providerModel: DEFAULT_ON });
  expect(thinksByDefault['thinking']).toEqual({ type: 'disabled' });
});

const SUMMARIZED = { type: 'adaptive', display: 'summarized' };

test.each([
  [EITHER, { reasoning: { effort: 'xhigh' } }, { type: 'adaptive' }, 'high'],
  [EITHER, { reasoning: { effort: 'minimal' } }, { type: 'adaptive' }, 'low'],
  [EITHER, { reasoning: { max_tokens: 3000 } }, enabled(3000), undefined],
  [EITHER, {}, undefined, undefined],
  [ADAPTIVE, { reasoning: { effort: 'xhigh' } }, SUMMARIZED, 'xhigh'],
  [ADAPTIVE, { reasoning: { enabled: true } }, SUMMARIZED, 'medium'],
  [ADAPTIVE, { reasoning: { effort: 'max', exclude: true } }, { type: 'adaptive' }, 'max'],
  [ADAPTIVE, { reasoning: { effort: 'max' }, include_reasoning: false }, { type: 'adaptive' }, 'max'],
  [ADAPTIVE, { reasoning: { max_tokens: 2000 } }, SUMMARIZED, 'low'],
  [ADAPTIVE, { reasoning: { max_tokens: 5000 } }, SUMMARIZED, 'medium'],
  [ADAPTIVE, { reasoning: { max_tokens: 8000 } }, SUMMARIZED, 'high'],
  [ADAPTIVE, { reasoning: { max_tokens: 9000 } }, SUMMARIZED, 'xhigh'],
  [ADAPTIVE, { reasoning: { effort: 'none' } }, undefined, undefined],
  [ADAPTIVE, {}, undefined, undefined],
  [ADAPTIVE, { verbosity: 'low', reasoning: { effort: 'high' } }, SUMMARIZED, 'low'],
  [EITHER, { verbosity: 'max' }, undefined, 'max'],
  [BUDGET, { verbosity: 'low' }, undefined, undefined],
  [DEFAULT_ON, {}, SUMMARIZED, undefined],
  [DEFAULT_ON, { reasoning: { effort: 'none' } }, { type: 'disabled' }, undefined],
  [ALWAYS_ON, {}, SUMMARIZED, undefined],
  [ALWAYS_ON, { reasoning: { effort: 'low' } }, SUMMARIZED, 'low'],
] as const)('requests from %s with %j thinking %j by the effort %s', (providerModel, request, thinking, effort) => {
  const body = bodyOf({ ...LIMITED, ...request }, { providerModel });
  expect(body['thinking']).toEqual(thinking);
  expect(body['output_config']).toEqual(effort && { effort });
});

test.each([
  [{ reasoning: { effort: 'none' as const } }, 'reasoning.effort'],
  [{ reasoning_effort: 'none' as const }, 'reasoning_effort'],
  [{ reasoning: { enabled: false } }, 'reasoning.enabled'],
])('refuses %j where reasoning cannot be turned off', (request, field) => {
  expect(refusalOf(request, { providerModel: ALWAYS_ON })).toMatchObject(
    refused(`${field}: reasoning cannot be turned off on this model; ask for the effort "low" instead`),
  );
});

test('reasons as little as it can where a family was named and its newest model cannot do without', () => {
  const off = { ...LIMITED, reasoning: { effort: 'none' as const } };
  const always = bodyOf(off, { providerModel: ALWAYS_ON, isOfFamily: true });
  expect(always['output_config']).toEqual({ effort: 'low' });
  expect(bodyOf(off, { providerModel: DEFAULT_ON, isOfFamily: true })['thinking']).toEqual({ type: 'disabled' });
});

const schema = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } };
const bySchema = { type: 'json_schema' as const, json_schema: { name: 'a', schema } };
const lastOfSystem = (body: Record<string, unknown>): unknown =>
  (body['system'] as { text: string }[] | undefined)?.at(-1)?.text;

test('binds completions to a schema, beside an effort', () => {
  const body = bodyOf({ response_format: bySchema, verbosity: 'low' }, { providerModel: ADAPTIVE });
  expect(body['output_config']).toEqual({
    effort: 'low',
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: { a: { type: 'string', description: '{minLength: 2}' } },
        additionalProperties: false,
      },
    },
  });
  expect(body).not.toHaveProperty('system');
});

test('describes a format in words where the wire cannot bind completions to it', () => {
  const old = bodyOf({ response_format: bySchema }, { providerModel: OLD });
  expect(old).not.toHaveProperty('output_config');
  expect(lastOfSystem(old)).toContain(JSON.stringify(schema));
  const request: Partial<ChatCompletionRequest> = {
    response_format: { type: 'json_object' },
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
    ],
  };
  expect(bodyOf(request)['system']).toEqual([
    { type: 'text', text: 'Be kind.' },
    { type: 'text', text: 'Answer with one JSON object and nothing else: no explanation, no code fence.' },
  ]);
  const noSchema = bodyOf({ response_format: { type: 'json_schema', json_schema: { name: 'a' } } });
  expect(lastOfSystem(noSchema)).toContain('one JSON object');
});

test.each([{ type: 'grammar' as const, grammar: 'root ::= "a"' }, { type: 'python' as const }])(
  'refuses the form $type',
  (response_format) => {
    expect(refusalOf({ response_format })).toMatchObject(
      refused(`response_format.type: "${response_format.type}" is not known to this provider`),
    );
  },
);

test('leaves out what the endpoint does not support, and keeps it where the list names it otherwise', () => {
  const request: Partial<ChatCompletionRequest> = {
    ...LIMITED,
    temperature: 0.5,
    top_k: 2,
    stop: 'END',
    verbosity: 'low',
    tools: [look],
    tool_choice: 'auto',
    response_format: bySchema,
    reasoning: { effort: 'low' },
  };
  const supporting = (...names: string[]): Partial<ChatCall> => ({
    supportedParameters: new Set(names),
    providerModel: EITHER,
  });
  expect(bodyOf(request, supporting())).toEqual(bodyOf(LIMITED, { providerModel: EITHER }));
  expect(bodyOf({ top_p: 0.5 }, supporting())).not.toHaveProperty('top_p');
  expect(Object.keys(bodyOf(request, supporting('structured_outputs', 'include_reasoning')))).toEqual([
    'model',
    'max_tokens',
    'messages',
    'thinking',
    'output_config',
  ]);
  expect(bodyOf(request, supporting('temperature', 'top_k', 'stop', 'tools', 'verbosity'))).toMatchObject({
    temperature: 0.5,
    top_k: 2,
    stop_sequences: ['END'],
    tool_choice: { type: 'auto' },
    output_config: { effort: 'low' },
  });
});
