import type { Provider, Transport } from '@model-gateway/core';

/** A response of an upstream, in its own wire format. */
export interface UpstreamResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response in one piece. */
  readonly whole: object;
  /** The same response as events without their framing; absent where a response is never streamed. */
  readonly events?: readonly object[];
}

/** The caller's view of a completion, in terms that the wires have in common. */
export interface ExpectedResponse {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly calls?: readonly (readonly [name: string, argumentText: string])[];
  readonly finish?: string;
}

/** One wire, spoken by an upstream that knows its lines: a response to every case that the contract has. */
export interface WireScript {
  /** `createOpenAiProvider` and its like, from the file of that name in `packages/core/src/providers`. */
  createProvider(transport: Transport): Provider;
  readonly model: string;
  /** Frames one event, as text or as bytes. */
  toEvent(payload: object): string | Uint8Array;
  /** Follows the last event. */
  readonly end: string;
  readonly responses: Readonly<Record<ResponseCase, UpstreamResponse>>;
  readonly errors: Readonly<Record<ErrorCase, UpstreamResponse>>;
  /** Refusals whose reasons the caller has to learn; each is the first event of a stream, too. */
  readonly refusals: Readonly<Record<RefusalCase, Refusal>>;
  /** A completion that upstream itself ends with an error after its text; absent where the wire has no word for that. */
  readonly brokenOff?: UpstreamResponse & { readonly native: string };
  /** The event that breaks a response off with an error. */
  readonly errorEvent: object;
  /** Error type of a context that is too long. When upstream states it in words only, it is an ordinary bad request. */
  readonly contextTooLong: 'context_length_exceeded' | 'invalid_request';
  /** Fields that the upstream request of a case must have. */
  readonly sent: Readonly<Record<SentCase, object>>;
  /** Form of an assistant's message whose reasoning is sent back, between two messages of the user. */
  readonly sentBack: object;
  /** Where this wire has no word for what others say otherwise. */
  readonly expected?: Partial<Readonly<Record<ResponseCase, ExpectedResponse>>>;
}

export type ResponseCase =
  | 'text'
  | 'tools'
  | 'tool without arguments'
  | 'parallel tools'
  | 'tool results'
  | 'images'
  | 'files'
  | 'JSON schema'
  | 'reasoning'
  | 'refusal'
  | 'length'
  | 'content filter';
export type ErrorCase = 'rate limit' | 'overload' | 'context too long';
export type RefusalCase = 'bad request' | 'rate limit' | 'moderation' | 'forbidden';

/** A refusal of an upstream that repeats what must not be shown: see `SPILLED`. */
export interface Refusal extends UpstreamResponse {
  /** The same refusal as the first event of a stream with status 200. */
  readonly event: object;
  /** What moderation objected to, as the caller learns it. */
  readonly reasons?: readonly string[];
  /** A part of upstream's own body that `error.metadata.raw` must have. */
  readonly said: string;
}

/** What an upstream spills in its errors: its key, its host, a token and the addresses behind it. */
export const SPILLED =
  'key-of-up at https://up.example/v1 with Bearer abc.def.ghi via 10.1.2.3:8000 and http://llm.internal/x';
/** Nothing of this may reach the caller. */
export const SPILLED_PARTS = /key-of-up|up\.example|abc\.def|10\.1\.2\.3|llm\.internal/;

export type SentCase = 'tools' | 'tool results' | 'images' | 'files' | 'JSON schema' | 'reasoning';

/**
 * The counts of every completion: 12 prompt tokens, 4 of them from a cache, 8 completion tokens; with reasoning, 5 of
 * the 8.
 */
export const COUNTS = { prompt: 12, cached: 4, completion: 8, reasoning: 5 };

export const TEXT = 'Hello there, how are you? ☕ 你好';
export const THOUGHT = 'First this, then that.';

export const SIGNATURE = 'c2lnbmVk';

const PIXEL = 'iVBORw0KGgo=';
const PDF = 'JVBERi0xLjQ=';
export const DATA = { pixel: PIXEL, pdf: PDF };

const user = (content: unknown): object[] => [{ role: 'user', content }];
const called = (id: string, city: string): object => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
});
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS = [
  { type: 'function', function: { name: 'get_weather', description: 'Tells the weather', parameters: PARAMETERS } },
  { type: 'function', function: { name: 'get_time', description: 'Tells the time' } },
];
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Request of the caller in each case. */
export const REQUESTS: Readonly<Record<ResponseCase | ErrorCase, object>> = {
  text: {},
  tools: { tools: TOOLS, tool_choice: 'auto' },
  'tool without arguments': { tools: TOOLS },
  'parallel tools': { tools: TOOLS },
  'tool results': {
    tools: TOOLS,
    messages: [
      { role: 'system', content: 'Be brief.' },
      ...user('Weather in Paris and Oslo?'),
      { role: 'assistant', content: null, tool_calls: [called('call_1', 'Paris'), called('call_2', 'Oslo')] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 °C' },
      { role: 'tool', tool_call_id: 'call_2', content: '-8 °C' },
    ],
  },
  images: {
    messages: user([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ]),
  },
  files: {
    messages: user([
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      { type: 'text', text: 'Sum it up.' },
    ]),
  },
  'JSON schema': {
    response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: SCHEMA } },
  },
  reasoning: { reasoning: { effort: 'high' }, max_tokens: 4000 },
  refusal: {},
  length: { max_tokens: 2 },
  'content filter': {},
  'rate limit': {},
  overload: {},
  'context too long': {},
};

/** Result for the caller in each case, unless the wire's script has another. */
export const EXPECTED: Readonly<Record<ResponseCase, ExpectedResponse>> = {
  text: { content: TEXT, finish: 'stop' },
  tools: { content: null, calls: [['get_weather', '{"city":"Paris"}']], finish: 'tool_calls' },
  'tool without arguments': { content: null, calls: [['get_time', '{}']], finish: 'tool_calls' },
  'parallel tools': {
    content: 'One moment.',
    calls: [
      ['get_weather', '{"city":"Paris"}'],
      ['get_weather', '{"city":"Oslo"}'],
    ],
    finish: 'tool_calls',
  },
  'tool results': { content: TEXT, finish: 'stop' },
  images: { content: TEXT, finish: 'stop' },
  files: { content: TEXT, finish: 'stop' },
  'JSON schema': { content: '{"city":"Paris"}', finish: 'stop' },
  reasoning: { content: TEXT, reasoning: THOUGHT, finish: 'stop' },
  refusal: { content: null, refusal: 'I cannot help with that.', finish: 'stop' },
  length: { content: 'Hello', finish: 'length' },
  'content filter': { content: 'Hello', finish: 'content_filter' },
};
