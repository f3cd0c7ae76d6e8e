import { createAiSdkProvider } from '@model-gateway/ai-sdk';
import type { Transport } from '@model-gateway/core';
import type { ProviderSubject, UpstreamCompletion } from '@model-gateway/core/testing';

import { toEvent } from '../upstreams/chunkings.ts';

const USAGE = { prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 };
const WEATHER = { name: 'get_weather', arguments: { city: 'Paris' } };
const INPUT = ['{"city"', ':"Paris"}'];

/** Makes the provider of an installed package. */
export const createOf =
  (name: string, options: Readonly<Record<string, unknown>> = {}) =>
  (transport: Transport) =>
    createAiSdkProvider({ slug: 'sdk', package: name, options: { apiKey: 'key-of-sdk', ...options }, transport });

const sse = (events: readonly object[], end = ''): string[] => [
  ...events.map((event) => toEvent(event)),
  ...(end === '' ? [] : [end]),
];
const expectText = { content: 'Hello you', finishReason: 'stop', usage: USAGE } as const;
const expectCall = { content: '', toolCalls: [WEATHER], finishReason: 'tool_calls', usage: USAGE } as const;

/** The form of OpenAI's chats, which Groq and Mistral have, each with its counts at a place of its own. */
const openAiForm = (toUsage: (usage: object) => object): readonly [UpstreamCompletion, UpstreamCompletion] => {
  const head = { id: 'chat-1', object: 'chat.completion', created: 1_700_000_000, model: 'm' };
  const whole = (message: object, finish: string): string =>
    JSON.stringify({
      ...head,
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
      usage: USAGE,
    });
  const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  const call = { id: 'call00001', type: 'function', index: 0 };
  return [
    {
      whole: whole({ content: 'Hello you' }, 'stop'),
      events: sse(
        [
          chunk({ role: 'assistant', content: 'Hello ' }),
          chunk({ content: 'you' }),
          chunk({ content: '' }, 'stop', toUsage(USAGE)),
        ],
        'data: [DONE]\n\n',
      ),
      expected: expectText,
    },
    {
      whole: whole(
        { content: '', tool_calls: [{ ...call, function: { name: WEATHER.name, arguments: INPUT.join('') } }] },
        'tool_calls',
      ),
      events: sse(
        [
          chunk({
            content: '',
            tool_calls: [{ ...call, function: { name: WEATHER.name, arguments: INPUT.join('') } }],
          }),
          chunk({ content: '' }, 'tool_calls', toUsage(USAGE)),
        ],
        'data: [DONE]\n\n',
      ),
      expected: expectCall,
    },
  ];
};

/** A completion of Mistral's, whole and streamed. */
export const [MISTRAL] = openAiForm((usage) => ({ usage }));

const cohereUsage = {
  billed_units: { input_tokens: 30, output_tokens: 7 },
  tokens: { input_tokens: 30, output_tokens: 7 },
};
const cohere: readonly UpstreamCompletion[] = [
  {
    whole: JSON.stringify({
      generation_id: 'g-1',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello you' }] },
      finish_reason: 'COMPLETE',
      usage: cohereUsage,
    }),
    events: sse([
      { type: 'message-start', id: 'g-1' },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello ' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'you' } } } },
      { type: 'content-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } },
    ]),
    expected: expectText,
  },
  {
    whole: JSON.stringify({
      generation_id: 'g-1',
      message: {
        role: 'assistant',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: WEATHER.name, arguments: INPUT.join('') } }],
      },
      finish_reason: 'TOOL_CALL',
      usage: cohereUsage,
    }),
    events: sse([
      { type: 'message-start', id: 'g-1' },
      {
        type: 'tool-call-start',
        delta: {
          message: { tool_calls: { id: 'c1', type: 'function', function: { name: WEATHER.name, arguments: '' } } },
        },
      },
      ...INPUT.map((text) => ({
        type: 'tool-call-delta',
        delta: { message: { tool_calls: { function: { arguments: text } } } },
      })),
      { type: 'tool-call-end' },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: cohereUsage } },
    ]),
    expected: expectCall,
  },
];

const xaiUsage = { input_tokens: 30, output_tokens: 7, total_tokens: 37 };
const xaiResponse = (output: readonly object[], status: string): object => ({
  id: 'resp-1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'grok',
  output,
  status,
  ...(status === 'completed' && { usage: xaiUsage }),
});
const xaiMessage = (text: string): object => ({
  type: 'message',
  role: 'assistant',
  id: 'msg-1',
  status: 'completed',
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});
const xaiCall = { type: 'function_call', id: 'fc-1', call_id: 'c1', name: WEATHER.name, arguments: INPUT.join('') };
const place = { item_id: 'msg-1', output_index: 0, content_index: 0 };
const xai: readonly UpstreamCompletion[] = [
  {
    whole: JSON.stringify(xaiResponse([xaiMessage('Hello you')], 'completed')),
    events: sse([
      { type: 'response.created', response: xaiResponse([], 'in_progress') },
      { type: 'response.output_item.added', item: xaiMessage(''), output_index: 0 },
      { type: 'response.output_text.delta', ...place, delta: 'Hello ' },
      { type: 'response.output_text.delta', ...place, delta: 'you' },
      { type: 'response.output_item.done', item: xaiMessage('Hello you'), output_index: 0 },
      { type: 'response.completed', response: xaiResponse([xaiMessage('Hello you')], 'completed') },
    ]),
    expected: expectText,
  },
  {
    whole: JSON.stringify(xaiResponse([xaiCall], 'completed')),
    events: sse([
      { type: 'response.created', response: xaiResponse([], 'in_progress') },
      { type: 'response.output_item.added', item: { ...xaiCall, arguments: '' }, output_index: 0 },
      { type: 'response.output_item.done', item: xaiCall, output_index: 0 },
      { type: 'response.completed', response: xaiResponse([xaiCall], 'completed') },
    ]),
    expected: expectCall,
  },
];

const geminiUsage = { promptTokenCount: 30, candidatesTokenCount: 7, totalTokenCount: 37 };
const gemini = (part: object, finish?: string): object => ({
  candidates: [
    { index: 0, content: { role: 'model', parts: [part] }, ...(finish !== undefined && { finishReason: finish }) },
  ],
  ...(finish !== undefined && { usageMetadata: geminiUsage }),
});
const geminiCall = { functionCall: { name: WEATHER.name, args: WEATHER.arguments } };
const vertex: readonly UpstreamCompletion[] = [
  {
    whole: JSON.stringify(gemini({ text: 'Hello you' }, 'STOP')),
    events: sse([gemini({ text: 'Hello ' }), gemini({ text: 'you' }), gemini({ text: '' }, 'STOP')]),
    expected: expectText,
  },
  {
    whole: JSON.stringify(gemini(geminiCall, 'STOP')),
    events: sse([gemini(geminiCall), gemini({ text: '' }, 'STOP')]),
    expected: expectCall,
  },
];

interface ChatPackage {
  readonly name: string;
  readonly completions: readonly UpstreamCompletion[];
  /** The form of its errors. */
  readonly toError: (message: string) => object;
}

/** Packages whose streams are server-sent events. */
const CHAT_PACKAGES: readonly ChatPackage[] = [
  { name: '@ai-sdk/cohere', completions: cohere, toError: (message) => ({ message }) },
  {
    name: '@ai-sdk/mistral',
    completions: openAiForm((usage) => ({ usage })),
    toError: (message) => ({ object: 'error', message, type: 'invalid_request', param: null, code: null }),
  },
  { name: '@ai-sdk/xai', completions: xai, toError: (message) => ({ error: { message } }) },
  {
    name: '@ai-sdk/groq',
    completions: openAiForm((usage) => ({ x_groq: { usage } })),
    toError: (message) => ({ error: { message, type: 'invalid_request_error' } }),
  },
  {
    name: '@ai-sdk/google-vertex',
    completions: vertex,
    toError: (message) => ({ error: { code: null, message, status: 'ERROR' } }),
  },
];

/** What upstreams of these packages send, for the cases that every provider has to meet. */
export const CHAT_SUBJECTS: readonly (readonly [name: string, subject: ProviderSubject])[] = CHAT_PACKAGES.map(
  ({ name, completions: [completion, ...furtherCompletions], toError }) => {
    if (completion === undefined) throw new Error(`${name} has no completion`);
    const headers = { 'content-type': 'application/json', 'retry-after': '7' };
    return [
      name,
      {
        create: createOf(name),
        completion,
        furtherCompletions,
        refusals: [
          {
            status: 429,
            headers,
            body: JSON.stringify(toError('Slow down')),
            code: 'rate_limit_exceeded',
            retryAfterSeconds: 7,
          },
          { status: 400, body: JSON.stringify(toError('No such thing')), code: 'invalid_request' },
          { status: 401, body: JSON.stringify(toError('Bad key key-of-sdk')), code: 'provider_unavailable' },
          { status: 503, body: JSON.stringify(toError('Busy')), code: 'provider_overloaded' },
        ],
      },
    ];
  },
);
