import type { ModelDefinition, Provider } from '@model-gateway/core';
import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { OpenRouter } from '@openrouter/sdk';
import type { ChatAssistantMessage, ChatRequest, ChatResult } from '@openrouter/sdk/models';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { OPENAI_PRESETS } from '../../../packages/core/src/providers/openai/openai-presets.ts';
import { type Host, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY, type TestGateway } from '../../support/gateways/test-gateway.ts';
import { createScriptedTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';

/** A model for each way in which a wire says something; what follows the slash is its provider's name of it. */
const MODELS = {
  gpt: 'openai/gpt-6',
  qwen: 'alibaba/qwen-plus',
  deepseek: 'deepseek/deepseek-chat',
  remote: 'openrouter/any',
  budget: 'anthropic/claude-sonnet-4-5',
  adaptive: 'anthropic/claude-opus-4-8',
  thinker: 'google/gemini-2.5-flash',
  leveller: 'google/gemini-3-pro-preview',
} as const;
type Name = keyof typeof MODELS;

const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } };
const opaque = [
  { type: 'reasoning.summary', summary: 'Look first.', id: 'rs_1', format: 'openai-responses-v1', index: 0 },
  { type: 'reasoning.encrypted', data: 'b3BhcXVl', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
];

/** Completion of each wire's upstream, always the same: it reasons and calls a tool. */
const OF_OPENAI = {
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call], reasoning: 'Hm.', reasoning_details: opaque },
      finish_reason: 'tool_calls',
    },
  ],
  service_tier: 'standard',
};
const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' };
const USE = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } };
const OF_ANTHROPIC = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [THOUGHT, USE],
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const OF_GOOGLE = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { functionCall: { id: 'fc_1', name: 'look', args: { at: 'it' } }, thoughtSignature: 'c2lnbmVk' },
        ],
      },
      finishReason: 'STOP',
    },
  ],
};

const replayWhole = (whole: object): ScriptedTransport =>
  createScriptedTransport((exchange) => {
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(JSON.stringify(whole));
    exchange.end();
  });

const openAi = replayWhole(OF_OPENAI);
const anthropic = replayWhole(OF_ANTHROPIC);
const google = replayWhole(OF_GOOGLE);
const baseUrl = 'https://up.example/v1';
const toPreset = (slug: 'openai' | 'alibaba' | 'deepseek' | 'openrouter'): Provider =>
  createOpenAiProvider({ slug, baseUrl, transport: openAi, dialect: OPENAI_PRESETS[slug].dialect });

const toModel = (name: Name): ModelDefinition => {
  const [provider = '', providerModel = ''] = MODELS[name].split('/');
  return { id: `w/${name}`, endpoints: [{ provider, providerModel }] };
};

let gateway: TestGateway;
let host: Host;
let client: OpenRouter;

beforeAll(async () => {
  gateway = createTestGateway(
    { baseUrl },
    {
      providers: [
        ...(['openai', 'alibaba', 'deepseek', 'openrouter'] as const).map(toPreset),
        createAnthropicProvider({ slug: 'anthropic', baseUrl, transport: anthropic }),
        createGoogleProvider({ slug: 'google', baseUrl, transport: google }),
      ],
      models: (Object.keys(MODELS) as Name[]).map(toModel),
    },
  );
  host = await startHost('node', gateway.gateway);
  client = new OpenRouter({ apiKey: TEST_KEY, serverURL: host.apiUrl, retryConfig: { strategy: 'none' } });
});
afterAll(async () => {
  await gateway.close();
  await host.close();
});

const HELLO: ChatRequest['messages'] = [{ role: 'user', content: 'Hello!' }];

async function send(name: Name, request: Partial<ChatRequest>): Promise<ChatResult> {
  const chatRequest = { model: `w/${name}`, messages: HELLO, ...request, stream: false as const };
  return (await client.chat.send({ chatRequest })) as ChatResult;
}

/** Body that was sent upstream for such a request. */
async function sentFor(name: Name, request: Partial<ChatRequest>): Promise<Record<string, unknown>> {
  await send(name, request);
  const [provider = ''] = MODELS[name].split('/');
  return { anthropic, google }[provider]?.latest().sent ?? openAi.latest().sent;
}

test.each<[string, Partial<ChatRequest>, Name, object]>([
  ['an effort', { reasoning: { effort: 'high' }, maxTokens: 10_000 }, 'gpt', { reasoning_effort: 'high' }],
  [
    'an effort',
    { reasoning: { effort: 'high' }, maxTokens: 10_000 },
    'qwen',
    { enable_thinking: true, thinking_budget: 8000 },
  ],
  [
    'an effort',
    { reasoning: { effort: 'high' }, maxTokens: 10_000 },
    'budget',
    { thinking: { type: 'enabled', budget_tokens: 8000 } },
  ],
  [
    'an effort',
    { reasoning: { effort: 'high' }, maxTokens: 10_000 },
    'adaptive',
    { output_config: { effort: 'high' } },
  ],
  [
    'an effort',
    { reasoning: { effort: 'high' }, maxTokens: 10_000 },
    'thinker',
    { generationConfig: { thinkingConfig: { thinkingBudget: 8000 } } },
  ],
  [
    'an effort that the model has not',
    { reasoning: { effort: 'minimal' } },
    'leveller',
    { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
  ],
  ['an effort that the model has not', { reasoning: { effort: 'minimal' } }, 'gpt', { reasoning_effort: 'low' }],
])('the OpenRouter client asks with %s: %j, and %s gets it', async (_, request, name, expected) => {
  expect(await sentFor(name, request)).toMatchObject(expected);
});

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
const FORMAT: ChatRequest['responseFormat'] = {
  type: 'json_schema',
  jsonSchema: { name: 'answer', schema: SCHEMA, strict: true },
};

test.each<[Name, object]>([
  ['gpt', { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } } }],
  [
    'deepseek',
    {
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: expect.stringContaining(JSON.stringify(SCHEMA)) as string }, {}],
    },
  ],
  ['budget', { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }],
  ['thinker', { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } }],
])('the OpenRouter client binds the response of %s to a schema', async (name, expected) => {
  expect(await sentFor(name, { responseFormat: FORMAT })).toMatchObject(expected);
});

const MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } };

test.each<[Name, object]>([
  ['budget', { messages: [{ content: [{ text: 'Long.', ...MARK }, { text: 'Short.' }] }] }],
  ['qwen', { messages: [{ content: [{ text: 'Long.', ...MARK }, { text: 'Short.' }] }] }],
  [
    'gpt',
    { messages: [{ content: [{ text: 'Long.', prompt_cache_breakpoint: { mode: 'explicit' } }, { text: 'Short.' }] }] },
  ],
])('the OpenRouter client marks a part for the cache of %s', async (name, expected) => {
  const content = [
    { type: 'text' as const, text: 'Long.', cacheControl: { type: 'ephemeral' as const, ttl: '1h' as const } },
    { type: 'text' as const, text: 'Short.' },
  ];
  const sent = await sentFor(name, { messages: [{ role: 'user', content }] });
  expect(sent).toMatchObject(expected);
  expect(JSON.stringify(sent).match(/cache_control|prompt_cache_breakpoint/g)).toHaveLength(1);
});

test.each<[Name, object]>([
  ['budget', MARK],
  ['qwen', { messages: [{ content: [{ type: 'text', text: 'Hello!', ...MARK }] }] }],
])('the OpenRouter client marks a whole request for the cache of %s', async (name, expected) => {
  expect(await sentFor(name, { cacheControl: { type: 'ephemeral', ttl: '1h' } })).toMatchObject(expected);
});

test.each<[Name, object]>([
  ['remote', { messages: [{}, { reasoning_details: opaque, tool_calls: [call] }, { role: 'tool' }] }],
  ['deepseek', { messages: [{}, { reasoning_content: 'Hm.', tool_calls: [call] }, { role: 'tool' }] }],
  ['budget', { messages: [{}, { content: [THOUGHT, USE] }, { content: [{ type: 'tool_result' }] }] }],
  [
    'leveller',
    {
      contents: [
        {},
        { parts: [{ functionCall: { name: 'look', args: { at: 'it' } }, thoughtSignature: 'c2lnbmVk' }] },
        { parts: [{ functionResponse: { name: 'look' } }] },
      ],
    },
  ],
])('the OpenRouter client hands reasoning back to %s with the result of its tool', async (name, expected) => {
  const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'look' } }];
  const reasoning = { effort: 'low' as const };
  const { choices } = await send(name, { tools, reasoning, maxTokens: 8000 });
  const message = choices[0]?.message as ChatAssistantMessage;
  const [asked] = message.toolCalls ?? [];
  expect(asked?.function).toEqual({ name: 'look', arguments: '{"at":"it"}' });
  const messages: ChatRequest['messages'] = [
    ...HELLO,
    { ...message, role: 'assistant' },
    { role: 'tool', toolCallId: asked?.id ?? '', content: 'It is there.' },
  ];
  expect(await sentFor(name, { tools, reasoning, messages, maxTokens: 8000 })).toMatchObject(expected);
});

test('the OpenRouter client reads the service tier that was used', async () => {
  expect((await send('gpt', { serviceTier: 'priority' })).serviceTier).toBe('default');
  expect(openAi.latest().sent).toMatchObject({ service_tier: 'priority' });
});
