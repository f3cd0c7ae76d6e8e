import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';

import {
  COUNTS,
  DATA,
  type Refusal,
  SCHEMA,
  SIGNATURE,
  SPILLED,
  TEXT,
  THOUGHT,
  type UpstreamResponse,
  type WireScript,
} from './wire-script.ts';

const INPUT = {
  input_tokens: COUNTS.prompt - COUNTS.cached,
  cache_read_input_tokens: COUNTS.cached,
  cache_creation_input_tokens: 0,
};

/** A content block with the pieces it is streamed in. */
interface ScriptedBlock {
  readonly block: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

const text = (said: string): ScriptedBlock => ({
  block: { type: 'text', text: said },
  start: { type: 'text', text: '' },
  deltas: (said.match(/\S+\s*/g) ?? []).map((piece) => ({ type: 'text_delta', text: piece })),
});
const thinking = (thought: string): ScriptedBlock => ({
  block: { type: 'thinking', thinking: thought, signature: SIGNATURE },
  start: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: thought.slice(0, 7) },
    { type: 'thinking_delta', thinking: thought.slice(7) },
    { type: 'signature_delta', signature: SIGNATURE },
  ],
});
const tool = (id: string, name: string, input: object, pieces: readonly string[]): ScriptedBlock => ({
  block: { type: 'tool_use', id, name, input },
  start: { type: 'tool_use', id, name, input: {} },
  deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
});

function toResponse(blocks: readonly ScriptedBlock[], stopReason = 'end_turn'): UpstreamResponse {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_sequence: null };
  return {
    whole: {
      ...message,
      content: blocks.map(({ block }) => block),
      stop_reason: stopReason,
      usage: { ...INPUT, output_tokens: COUNTS.completion },
    },
    events: [
      {
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, usage: { ...INPUT, output_tokens: 1 } },
      },
      { type: 'ping' },
      ...blocks.flatMap(({ start, deltas }, index) => [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: COUNTS.completion },
      },
      { type: 'message_stop' },
    ],
  };
}

const say = (said: string, stopReason?: string): UpstreamResponse => toResponse([text(said)], stopReason);
const refuse = (
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): UpstreamResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  whole: { type: 'error', error: { type, message }, request_id: 'req_1' },
});

const refuseOnce = (status: number, type: string, message: string, said: string): Refusal => ({
  ...refuse(status, type, message),
  event: { type: 'error', error: { type, message } },
  said,
});

export const script: WireScript = {
  createProvider: (transport) =>
    createAnthropicProvider({
      slug: 'up',
      name: 'Up',
      baseUrl: 'https://up.example/v1',
      apiKey: 'key-of-up',
      transport,
    }),
  model: 'claude-sonnet-4-5',
  toEvent: (payload) => `event: ${(payload as { type: string }).type}\ndata: ${JSON.stringify(payload)}\n\n`,
  end: '',
  responses: {
    text: say(TEXT),
    tools: toResponse([tool('toolu_0', 'get_weather', { city: 'Paris' }, ['', '{"city"', ':"Paris"}'])], 'tool_use'),
    'tool without arguments': toResponse([tool('toolu_0', 'get_time', {}, [''])], 'tool_use'),
    'parallel tools': toResponse(
      [
        text('One moment.'),
        tool('toolu_0', 'get_weather', { city: 'Paris' }, ['{"city":', '"Paris"}']),
        tool('toolu_1', 'get_weather', { city: 'Oslo' }, ['{"city":"Oslo"}']),
      ],
      'tool_use',
    ),
    'tool results': say(TEXT),
    images: say(TEXT),
    files: say(TEXT),
    'JSON schema': say('{"city":"Paris"}'),
    reasoning: toResponse([thinking(THOUGHT), text(TEXT)]),
    refusal: say('I cannot help with that.', 'refusal'),
    length: say('Hello', 'max_tokens'),
    'content filter': say('Hello', 'refusal'),
  },
  errors: {
    'rate limit': refuse(429, 'rate_limit_error', 'Slow down', { 'retry-after': '7' }),
    overload: refuse(529, 'overloaded_error', 'Overloaded'),
    'context too long': refuse(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
  },
  refusals: {
    'bad request': refuseOnce(
      400,
      'invalid_request_error',
      `temperature: range 0..1; ${SPILLED}`,
      'invalid_request_error',
    ),
    'rate limit': refuseOnce(429, 'rate_limit_error', `3 requests a minute; ${SPILLED}`, 'rate_limit_error'),
    moderation: {
      ...refuseOnce(400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content filtering'),
      reasons: ['Output blocked by content filtering policy'],
    },
    forbidden: refuseOnce(403, 'permission_error', `This region is not served; ${SPILLED}`, 'permission_error'),
  },
  contextTooLong: 'context_length_exceeded',
  errorEvent: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  sent: {
    tools: {
      tools: [{ name: 'get_weather', input_schema: { required: ['city'] } }, { name: 'get_time' }],
      tool_choice: { type: 'auto' },
    },
    'tool results': {
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1' },
            { type: 'tool_result', tool_use_id: 'call_2' },
          ],
        },
      ],
    },
    images: {
      messages: [
        {
          content: [
            { type: 'text' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA.pixel } },
          ],
        },
      ],
    },
    files: {
      messages: [
        {
          content: [
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: DATA.pdf } },
            { type: 'text' },
          ],
        },
      ],
    },
    'JSON schema': { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    reasoning: { thinking: { type: 'enabled', budget_tokens: 3200 }, max_tokens: 4000 },
  },
  sentBack: {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: THOUGHT, signature: SIGNATURE },
          { type: 'text', text: TEXT },
        ],
      },
      { role: 'user' },
    ],
  },
  expected: {
    // A refusal is a response that was broken off; what was said until then is its text.
    refusal: { content: 'I cannot help with that.', finish: 'content_filter' },
  },
};
