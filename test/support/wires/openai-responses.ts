import { createOpenAiResponsesProvider } from '@model-gateway/core/providers/openai-responses';

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

/** An output item with the events between its beginning and its end. */
interface ScriptedItem {
  readonly item: object;
  readonly start: object;
  readonly events: readonly object[];
}

const words = (said: string): readonly string[] => said.match(/\S+\s*/g) ?? [];

const part = (kind: 'output_text' | 'refusal', said: string): object =>
  kind === 'refusal' ? { type: kind, refusal: said } : { type: kind, text: said, annotations: [], logprobs: [] };

function message(said: string, kind: 'output_text' | 'refusal' = 'output_text'): ScriptedItem {
  const about = { id: 'msg_up', type: 'message', role: 'assistant' };
  const at = { item_id: 'msg_up', content_index: 0 };
  return {
    item: { ...about, status: 'completed', content: [part(kind, said)] },
    start: { ...about, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...at, part: part(kind, '') },
      ...words(said).map((delta) => ({ type: `response.${kind}.delta`, ...at, delta })),
      { type: `response.${kind}.done`, ...at, [kind === 'refusal' ? 'refusal' : 'text']: said },
      { type: 'response.content_part.done', ...at, part: part(kind, said) },
    ],
  };
}

function reasoning(thought: string): ScriptedItem {
  const about = { id: 'rs_up', type: 'reasoning' };
  const at = { item_id: 'rs_up', summary_index: 0 };
  const summary = { type: 'summary_text', text: thought };
  return {
    item: { ...about, summary: [summary], encrypted_content: SIGNATURE },
    start: { ...about, summary: [] },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...summary, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...at, delta: thought.slice(0, 7) },
      { type: 'response.reasoning_summary_text.delta', ...at, delta: thought.slice(7) },
      { type: 'response.reasoning_summary_text.done', ...at, text: thought },
      { type: 'response.reasoning_summary_part.done', ...at, part: summary },
    ],
  };
}

function call(number: number, name: string, pieces: readonly string[]): ScriptedItem {
  const about = { id: `fc_${number}`, type: 'function_call', call_id: `call_${number}`, name };
  const text = pieces.join('');
  return {
    item: { ...about, status: 'completed', arguments: text },
    start: { ...about, status: 'in_progress', arguments: '' },
    events: [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: `fc_${number}`, delta })),
      { type: 'response.function_call_arguments.done', item_id: `fc_${number}`, name, arguments: text },
    ],
  };
}

const RESPONSE = { id: 'resp_up', object: 'response', created_at: 1, model: 'gpt-x', error: null };

interface Ending {
  /** Of an incomplete response. */
  readonly reason?: string;
  readonly reasoned?: number;
}

function toResponse(items: readonly ScriptedItem[], { reason, reasoned = 0 }: Ending = {}): UpstreamResponse {
  const status = reason === undefined ? 'completed' : 'incomplete';
  const begun = { ...RESPONSE, status: 'in_progress', output: [], usage: null };
  const whole = {
    ...RESPONSE,
    status,
    incomplete_details: reason === undefined ? null : { reason },
    output: items.map(({ item }) => item),
    usage: {
      input_tokens: COUNTS.prompt,
      input_tokens_details: { cached_tokens: COUNTS.cached },
      output_tokens: COUNTS.completion,
      output_tokens_details: { reasoning_tokens: reasoned },
      total_tokens: COUNTS.prompt + COUNTS.completion,
    },
  };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ item, start, events: own }, place) => [
      { type: 'response.output_item.added', output_index: place, item: start },
      ...own.map((event) => ({ ...event, output_index: place })),
      { type: 'response.output_item.done', output_index: place, item },
    ]),
    { type: `response.${status}`, response: whole },
  ];
  return { whole, events: events.map((event, number) => ({ ...event, sequence_number: number })) };
}

const say = (said: string, ending?: Ending): UpstreamResponse => toResponse([message(said)], ending);

const refuse = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): UpstreamResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  whole: { error },
});

/** Each of the three forms in which a stream tells of an error is the event of one refusal. */
const flat = (error: object): object => ({ ...error, type: 'error', sequence_number: 0 });
const nested = (error: object): object => ({ type: 'error', error });
const failed = (error: object): object => ({
  type: 'response.failed',
  response: { ...RESPONSE, status: 'failed', error },
});

const refuseOnce = (
  status: number,
  error: object,
  said: string,
  toEvent: (error: object) => object = nested,
): Refusal => ({ ...refuse(status, error), event: toEvent(error), said });

export const script: WireScript = {
  createProvider: (transport) =>
    createOpenAiResponsesProvider({
      slug: 'up',
      name: 'Up',
      baseUrl: 'https://up.example/v1',
      apiKey: 'key-of-up',
      transport,
    }),
  model: 'gpt-5-x',
  toEvent: (payload) => `event: ${(payload as { type: string }).type}\ndata: ${JSON.stringify(payload)}\n\n`,
  end: '',
  responses: {
    text: say(TEXT),
    tools: toResponse([call(0, 'get_weather', ['', '{"city"', ':"Paris"}'])]),
    'tool without arguments': toResponse([call(0, 'get_time', ['{}'])]),
    'parallel tools': toResponse([
      message('One moment.'),
      call(0, 'get_weather', ['{"city":', '"Paris"}']),
      call(1, 'get_weather', ['{"city":"Oslo"}']),
    ]),
    'tool results': say(TEXT),
    images: say(TEXT),
    files: say(TEXT),
    'JSON schema': say('{"city":"Paris"}'),
    reasoning: toResponse([reasoning(THOUGHT), message(TEXT)], { reasoned: COUNTS.reasoning }),
    refusal: toResponse([message('I cannot help with that.', 'refusal')]),
    length: say('Hello', { reason: 'max_output_tokens' }),
    'content filter': say('Hello', { reason: 'content_filter' }),
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
      { message: `temperature is out of range; ${SPILLED}`, code: 'invalid_prompt', param: 'temperature' },
      '"param":"temperature"',
      flat,
    ),
    'rate limit': refuseOnce(
      429,
      { message: `3 requests a minute; ${SPILLED}`, code: 'rate_limit_exceeded' },
      'rate_limit_exceeded',
      failed,
    ),
    moderation: {
      ...refuseOnce(
        403,
        {
          message: 'Your input was flagged',
          code: 403,
          metadata: { reasons: ['violence', 'harassment'], flagged_input: 'how to hurt' },
        },
        'violence',
      ),
      reasons: ['violence', 'harassment'],
    },
    forbidden: refuseOnce(
      403,
      { message: `Country not supported; ${SPILLED}`, code: 'unsupported_country', status: 403 },
      'Country',
    ),
  },
  contextTooLong: 'context_length_exceeded',
  errorEvent: failed({ code: 'server_is_overloaded', message: 'Overloaded' }),
  sent: {
    tools: {
      tools: [
        { type: 'function', name: 'get_weather', parameters: { required: ['city'] } },
        { type: 'function', name: 'get_time' },
      ],
      tool_choice: 'auto',
    },
    'tool results': {
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user' },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
        { type: 'function_call', call_id: 'call_2', name: 'get_weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'call_1', output: '21 °C' },
        { type: 'function_call_output', call_id: 'call_2', output: '-8 °C' },
      ],
    },
    images: {
      input: [
        {
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: `data:image/png;base64,${DATA.pixel}` },
          ],
        },
      ],
    },
    files: {
      input: [
        {
          content: [
            { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${DATA.pdf}` },
            { type: 'input_text' },
          ],
        },
      ],
    },
    'JSON schema': { text: { format: { type: 'json_schema', name: 'place', strict: true, schema: SCHEMA } } },
    reasoning: {
      reasoning: { effort: 'high' },
      max_output_tokens: 4000,
      store: false,
    },
  },
  sentBack: {
    input: [
      { role: 'user' },
      {
        type: 'reasoning',
        id: 'rs_up',
        summary: [{ type: 'summary_text', text: THOUGHT }],
        encrypted_content: SIGNATURE,
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] },
      { role: 'user' },
    ],
  },
};
