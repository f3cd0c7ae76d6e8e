import { createBedrockProvider } from '@model-gateway/core/providers/bedrock';
import { EventStreamCodec } from '@smithy/core/event-streams';

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

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => new TextEncoder().encode(text),
);

/** A message of AWS's own encoder: an event by its type, or an exception. */
export function toAwsMessage(payload: object): Uint8Array {
  const [type = '', body] = Object.entries(payload ?? {})[0] ?? [];
  const kind = type.endsWith('Exception') ? 'exception' : 'event';
  return codec.encode({
    headers: {
      [`:${kind}-type`]: { type: 'string', value: type.slice(0, 200) },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: kind },
    },
    body: new TextEncoder().encode(JSON.stringify(body ?? null)),
  });
}

/** A content block with the events it is streamed in. */
interface ScriptedBlock {
  readonly block: object;
  readonly start?: object;
  readonly deltas: readonly object[];
}

const text = (said: string): ScriptedBlock => ({
  block: { text: said },
  deltas: (said.match(/\S+\s*/g) ?? []).map((piece) => ({ text: piece })),
});
const thinking = (thought: string): ScriptedBlock => ({
  block: { reasoningContent: { reasoningText: { text: thought, signature: SIGNATURE } } },
  deltas: [
    { reasoningContent: { text: thought.slice(0, 7) } },
    { reasoningContent: { text: thought.slice(7) } },
    { reasoningContent: { signature: SIGNATURE } },
  ],
});
const tool = (toolUseId: string, name: string, input: object, pieces: readonly string[]): ScriptedBlock => ({
  block: { toolUse: { toolUseId, name, input } },
  start: { toolUse: { toolUseId, name } },
  deltas: pieces.map((piece) => ({ toolUse: { input: piece } })),
});

const USAGE = {
  inputTokens: COUNTS.prompt - COUNTS.cached,
  outputTokens: COUNTS.completion,
  totalTokens: COUNTS.prompt + COUNTS.completion,
  cacheReadInputTokens: COUNTS.cached,
  cacheWriteInputTokens: 0,
};
const METRICS = { latencyMs: 275 };

function toResponse(blocks: readonly ScriptedBlock[], stopReason = 'end_turn'): UpstreamResponse {
  return {
    whole: {
      output: { message: { role: 'assistant', content: blocks.map(({ block }) => block) } },
      stopReason,
      usage: USAGE,
      metrics: METRICS,
    },
    events: [
      { messageStart: { role: 'assistant' } },
      ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start } }]),
        ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
        { contentBlockStop: { contentBlockIndex } },
      ]),
      { messageStop: { stopReason } },
      { metadata: { usage: USAGE, metrics: METRICS } },
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
  headers: {
    'content-type': 'application/json',
    'x-amzn-errortype': `${type}:http://internal.amazon.com/`,
    ...headers,
  },
  whole: { message },
});
const refuseOnce = (status: number, type: string, message: string, said: string): Refusal => ({
  ...refuse(status, type, message),
  event: { [`${type.charAt(0).toLowerCase()}${type.slice(1)}`]: { message } },
  said,
});

export const script: WireScript = {
  createProvider: (transport) =>
    createBedrockProvider({
      slug: 'up',
      name: 'Up',
      baseUrl: 'https://up.example/v1',
      apiKey: 'key-of-up',
      transport,
    }),
  model: 'openai.gpt-oss-120b-1:0',
  toEvent: toAwsMessage,
  end: '',
  responses: {
    text: say(TEXT),
    tools: toResponse([tool('tooluse_0', 'get_weather', { city: 'Paris' }, ['{"city"', ':"Paris"}'])], 'tool_use'),
    'tool without arguments': toResponse([tool('tooluse_0', 'get_time', {}, [''])], 'tool_use'),
    'parallel tools': toResponse(
      [
        text('One moment.'),
        tool('tooluse_0', 'get_weather', { city: 'Paris' }, ['{"city":', '"Paris"}']),
        tool('tooluse_1', 'get_weather', { city: 'Oslo' }, ['{"city":"Oslo"}']),
      ],
      'tool_use',
    ),
    'tool results': say(TEXT),
    images: say(TEXT),
    files: say(TEXT),
    'JSON schema': say('{"city":"Paris"}'),
    reasoning: toResponse([thinking(THOUGHT), text(TEXT)]),
    refusal: say('I cannot help with that.', 'content_filtered'),
    length: say('Hello', 'max_tokens'),
    'content filter': say('Hello', 'guardrail_intervened'),
  },
  errors: {
    'rate limit': refuse(429, 'ThrottlingException', 'Too many requests, please wait', { 'retry-after': '7' }),
    overload: refuse(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request'),
    'context too long': refuse(400, 'ValidationException', 'Input is too long for requested model: 8193 tokens'),
  },
  refusals: {
    'bad request': refuseOnce(400, 'ValidationException', `temperature: range 0..1; ${SPILLED}`, 'temperature'),
    'rate limit': refuseOnce(429, 'ThrottlingException', `3 requests a minute; ${SPILLED}`, '3 requests'),
    moderation: {
      ...refuseOnce(400, 'ValidationException', 'Output blocked by content filtering policy', 'content filtering'),
      reasons: ['Output blocked by content filtering policy'],
    },
    forbidden: refuseOnce(403, 'AccessDeniedException', `No access in this region; ${SPILLED}`, 'No access'),
  },
  contextTooLong: 'context_length_exceeded',
  errorEvent: { serviceUnavailableException: { message: 'Overloaded' } },
  brokenOff: { ...say('Hello', 'malformed_model_output'), native: 'malformed_model_output' },
  sent: {
    tools: {
      toolConfig: {
        tools: [
          { toolSpec: { name: 'get_weather', inputSchema: { json: { required: ['city'] } } } },
          { toolSpec: { name: 'get_time' } },
        ],
      },
    },
    'tool results': {
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Paris' } } },
            { toolUse: { toolUseId: 'call_2', name: 'get_weather', input: { city: 'Oslo' } } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_1', content: [{ text: '21 °C' }] } },
            { toolResult: { toolUseId: 'call_2', content: [{ text: '-8 °C' }] } },
          ],
        },
      ],
    },
    images: {
      messages: [{ content: [{ text: 'What is this?' }, { image: { format: 'png', source: { bytes: DATA.pixel } } }] }],
    },
    files: {
      messages: [
        {
          content: [{ document: { format: 'pdf', source: { bytes: DATA.pdf } } }, { text: 'Sum it up.' }],
        },
      ],
    },
    'JSON schema': {
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'place', schema: JSON.stringify(SCHEMA) } },
        },
      },
    },
    reasoning: { additionalModelRequestFields: { reasoning_effort: 'high' }, inferenceConfig: { maxTokens: 4000 } },
  },
  sentBack: {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ reasoningContent: { reasoningText: { text: THOUGHT, signature: SIGNATURE } } }, { text: TEXT }],
      },
      { role: 'user' },
    ],
  },
  expected: {
    // A refusal is a response that was broken off; what was said until then is its text.
    refusal: { content: 'I cannot help with that.', finish: 'content_filter' },
  },
};
