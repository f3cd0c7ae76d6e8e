import { createOpenAiProvider } from '@model-gateway/core/providers/openai';

import { toEvent } from '../upstreams/chunkings.ts';
import {
  COUNTS,
  DATA,
  type Refusal,
  SCHEMA,
  SPILLED,
  TEXT,
  THOUGHT,
  type UpstreamResponse,
  type WireScript,
} from './wire-script.ts';

const usageOf = (reasoning: number): object => ({
  prompt_tokens: COUNTS.prompt,
  completion_tokens: COUNTS.completion,
  total_tokens: COUNTS.prompt + COUNTS.completion,
  prompt_tokens_details: { cached_tokens: COUNTS.cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

/** The same message whole and as deltas. */
function toResponse(message: object, deltas: readonly object[], finish = 'stop', reasoning = 0): UpstreamResponse {
  const chunk = (delta: object, reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
    usage: null,
  });
  const usage = usageOf(reasoning);
  return {
    whole: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
      usage,
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finish),
      { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage },
    ],
  };
}

const say = (content: string, finish = 'stop'): UpstreamResponse =>
  toResponse(
    { content },
    (content.match(/\S+\s*/g) ?? []).map((text) => ({ content: text })),
    finish,
  );

const call = (index: number, name: string, text: string): object => ({
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: text },
});
const begin = (index: number, name: string): object => ({ tool_calls: [{ index, ...call(index, name, '') }] });
const go = (index: number, text: string): object => ({ tool_calls: [{ index, function: { arguments: text } }] });
const refuse = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): UpstreamResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  whole: { error },
});

const refuseOnce = (status: number, error: Readonly<Record<string, unknown>>, said: string): Refusal => ({
  ...refuse(status, error),
  // Within a stream, the status stands in the error.
  event: { error: { ...error, status } },
  said,
});

export const script: WireScript = {
  createProvider: (transport) =>
    createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl: 'https://up.example/v1', apiKey: 'key-of-up', transport }),
  model: 'gpt-x',
  toEvent,
  end: 'data: [DONE]\n\n',
  responses: {
    text: say(TEXT),
    tools: toResponse(
      { content: null, tool_calls: [call(0, 'get_weather', '{"city":"Paris"}')] },
      [begin(0, 'get_weather'), go(0, '{"city"'), go(0, ':"Paris"}')],
      'tool_calls',
    ),
    'tool without arguments': toResponse(
      { content: null, tool_calls: [call(0, 'get_time', '')] },
      [begin(0, 'get_time')],
      'tool_calls',
    ),
    'parallel tools': toResponse(
      {
        content: 'One moment.',
        tool_calls: [call(0, 'get_weather', '{"city":"Paris"}'), call(1, 'get_weather', '{"city":"Oslo"}')],
      },
      [
        { content: 'One ' },
        { content: 'moment.' },
        begin(0, 'get_weather'),
        begin(1, 'get_weather'),
        go(0, '{"city":'),
        go(1, '{"city":'),
        go(0, '"Paris"}'),
        go(1, '"Oslo"}'),
      ],
      'tool_calls',
    ),
    'tool results': say(TEXT),
    images: say(TEXT),
    files: say(TEXT),
    'JSON schema': say('{"city":"Paris"}'),
    reasoning: toResponse(
      { content: TEXT, reasoning_content: THOUGHT },
      [
        { reasoning_content: THOUGHT.slice(0, 7) },
        { reasoning_content: THOUGHT.slice(7) },
        { content: TEXT.slice(0, 9) },
        { content: TEXT.slice(9) },
      ],
      'stop',
      COUNTS.reasoning,
    ),
    refusal: toResponse({ content: null, refusal: 'I cannot help with that.' }, [
      { refusal: 'I cannot ' },
      { refusal: 'help with that.' },
    ]),
    length: say('Hello', 'length'),
    'content filter': say('Hello', 'content_filter'),
  },
  errors: {
    'rate limit': refuse(
      429,
      { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' },
      { 'retry-after': '7' },
    ),
    overload: refuse(503, { message: 'The engine is overloaded', type: 'server_error', code: null }),
    'context too long': refuse(400, {
      message: 'The context has 8192 tokens at most',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    }),
  },
  refusals: {
    'bad request': refuseOnce(
      400,
      { message: `temperature is out of range; ${SPILLED}`, type: 'invalid_request_error', param: 'temperature' },
      '"param":"temperature"',
    ),
    'rate limit': refuseOnce(
      429,
      { message: `3 requests a minute; ${SPILLED}`, type: 'requests' },
      '"type":"requests"',
    ),
    moderation: {
      ...refuseOnce(
        403,
        {
          message: 'Your input was flagged',
          code: 403,
          metadata: { reasons: ['violence', 'harassment'], flagged_input: 'how to hurt', spilled: SPILLED },
        },
        'violence',
      ),
      reasons: ['violence', 'harassment'],
    },
    forbidden: refuseOnce(
      403,
      { message: `Country not supported; ${SPILLED}`, code: 'unsupported_country' },
      'Country',
    ),
  },
  brokenOff: { ...say('Hello', 'insufficient_system_resource'), native: 'insufficient_system_resource' },
  contextTooLong: 'context_length_exceeded',
  errorEvent: { error: { message: 'Overloaded', type: 'overloaded_error', code: 503 } },
  sent: {
    tools: {
      tools: [{ type: 'function', function: { name: 'get_weather' } }, { function: { name: 'get_time' } }],
      tool_choice: 'auto',
    },
    'tool results': {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
            { id: 'call_2', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
        { role: 'tool', tool_call_id: 'call_2', content: '-8 °C' },
      ],
    },
    images: {
      messages: [
        {
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA.pixel}` } },
          ],
        },
      ],
    },
    files: {
      messages: [
        {
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${DATA.pdf}` } },
            { type: 'text' },
          ],
        },
      ],
    },
    'JSON schema': {
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: SCHEMA } },
    },
    reasoning: { reasoning_effort: 'high', max_tokens: 4000 },
  },
  // This wire has no place for it; servers that do are presets, with tests of their own.
  sentBack: { messages: [{ role: 'user' }, { role: 'assistant', content: TEXT }, { role: 'user' }] },
};
