/** A chat request as the scripted upstream reads it. */
export interface UpstreamRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly tool_call_id?: string }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly unknown[];
  readonly response_format?: { readonly type: string };
  readonly reasoning_effort?: string;
  readonly audio?: { readonly voice: string };
}

interface UpstreamMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly UpstreamToolCall[];
  readonly audio?: {
    readonly id: string;
    readonly data: string;
    readonly transcript: string;
    readonly expires_at: number;
  };
}

interface UpstreamToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A response of the OpenAI wire, to be sent in one piece or as events. */
export interface ScriptedCompletion {
  readonly message: UpstreamMessage;
  readonly finish: 'stop' | 'tool_calls';
  readonly usage: Readonly<Record<string, unknown>>;
}

export interface ScriptedError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error: { readonly message: string; readonly type: string; readonly code: string | null };
}

const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 8,
  total_tokens: 20,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

/** Statuses of the upstream's responses for models of these names. The 401 holds what must never be shown. */
export const SCRIPTED_ERRORS: Readonly<Record<string, ScriptedError>> = {
  'bad-request': {
    status: 400,
    error: { message: 'This model has no such voice', type: 'invalid_request_error', code: null },
  },
  unauthorized: {
    status: 401,
    error: { message: 'Incorrect API key provided: sk-upstream-key-0001', type: 'auth_error', code: 'invalid_api_key' },
  },
  'rate-limited': {
    status: 429,
    headers: { 'retry-after': '7' },
    error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
  },
  broken: { status: 500, error: { message: 'The server had an error', type: 'server_error', code: null } },
};

/** Writes the response that the model of this name gives. Unknown names respond as `text` does. */
export function toScriptedCompletion(request: UpstreamRequest): ScriptedCompletion {
  switch (request.model) {
    case 'tools':
      return completeWithTools(request, [toToolCall('call_1', { city: 'Paris' })]);
    case 'parallel-tools':
      return completeWithTools(request, [
        toToolCall('call_1', { city: 'Paris' }),
        toToolCall('call_2', { city: 'Oslo' }),
      ]);
    case 'first-tool':
      return completeWithTools(request, [callFirstTool(request)]);
    case 'read':
      return say(`I read ${JSON.stringify(request.messages)}`);
    case 'image':
      return say(`I see ${imageUrlOf(request)}`);
    case 'json-schema':
      return say(request.response_format?.type === 'json_schema' ? '{"city":"Paris","country":"France"}' : 'no schema');
    case 'reasoning':
      return {
        ...say(`Thought with effort ${request.reasoning_effort ?? 'unset'}.`),
        message: {
          role: 'assistant',
          content: `Thought with effort ${request.reasoning_effort ?? 'unset'}.`,
          reasoning_content: 'First this, then that.',
        },
        usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 5 } },
      };
    case 'speech':
      return {
        ...say(''),
        message: { role: 'assistant', content: null, audio: speakAs(request.audio?.voice ?? 'nobody') },
        usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 8 } },
      };
    case 'refusal':
      return {
        ...say(''),
        message: { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
      };
    default:
      return say('Hello there, how are you? ☕ 你好');
  }
}

const say = (content: string): ScriptedCompletion => ({
  message: { role: 'assistant', content },
  finish: 'stop',
  usage: USAGE,
});

const speakAs = (voice: string): NonNullable<UpstreamMessage['audio']> => ({
  id: 'audio_1',
  data: btoa('RIFF'),
  transcript: `Good morning from ${voice}`,
  expires_at: 1_800_000_000,
});

const toToolCall = (id: string, args: object): UpstreamToolCall => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify(args) },
});

/** Calls the first tool that is offered with the text of the last message, which must be JSON. */
function callFirstTool({ tools = [], messages }: UpstreamRequest): UpstreamToolCall {
  const [tool] = tools as readonly { readonly function: { readonly name: string } }[];
  const said = messages.findLast(({ role }) => role === 'user')?.content;
  const text = typeof said === 'string' ? said : '{}';
  return { id: 'call_1', type: 'function', function: { name: tool?.function.name ?? 'none', arguments: text } };
}

/** Calls the tools, or speaks once their results are there. */
function completeWithTools({ messages }: UpstreamRequest, calls: readonly UpstreamToolCall[]): ScriptedCompletion {
  const results = messages.filter(({ role }) => role === 'tool');
  if (results.length > 0)
    return say(results.map(({ tool_call_id, content }) => `${tool_call_id}: ${String(content)}`).join('; '));
  return { message: { role: 'assistant', content: null, tool_calls: calls }, finish: 'tool_calls', usage: USAGE };
}

function imageUrlOf({ messages }: UpstreamRequest): string {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const image = parts.find((part: { type?: string }) => part.type === 'image_url') as
    | { image_url: { url: string } }
    | undefined;
  return image?.image_url.url ?? 'nothing';
}

const ENVELOPE = { id: 'chatcmpl-upstream-1', created: 1_735_689_600, system_fingerprint: 'fp_1' };

/** The response in one piece. */
export function toWholeBody({ model }: UpstreamRequest, { message, finish, usage }: ScriptedCompletion): object {
  const choice = { index: 0, message, finish_reason: finish, logprobs: null };
  return { ...ENVELOPE, object: 'chat.completion', model, choices: [choice], usage };
}

/** The response as events, without their framing; `[DONE]` is not among them. */
export function toEventBodies(
  request: UpstreamRequest,
  { message, finish, usage }: ScriptedCompletion,
): readonly object[] {
  const chunk = (delta: object, reason: string | null = null): object => ({
    ...ENVELOPE,
    object: 'chat.completion.chunk',
    model: request.model,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const pieces = (text: string | null | undefined): readonly string[] => text?.match(/\S+\s*/g) ?? [];
  return [
    chunk({ role: 'assistant', content: message.content === null ? null : '' }),
    ...pieces(message.reasoning_content).map((text) => chunk({ reasoning_content: text })),
    ...pieces(message.content).map((content) => chunk({ content })),
    ...pieces(message.refusal).map((refusal) => chunk({ refusal })),
    ...toAudioDeltas(message).map((audio) => chunk({ audio })),
    ...toToolDeltas(message.tool_calls ?? []).map((delta) => chunk({ tool_calls: [delta] })),
    chunk({}, finish),
    ...(request.stream_options?.include_usage === true
      ? [{ ...ENVELOPE, object: 'chat.completion.chunk', model: request.model, choices: [], usage }]
      : []),
  ];
}

/** The id, the transcript in words, and the sound. */
function toAudioDeltas({ audio }: UpstreamMessage): readonly object[] {
  if (audio === undefined) return [];
  const { id, transcript, data, expires_at } = audio;
  const words = transcript.match(/\S+\s*/g) ?? [];
  return [{ id, transcript: '' }, ...words.map((word) => ({ transcript: word })), { data }, { expires_at }];
}

/**
 * The beginnings of all calls first, then the halves of their arguments in turn, as models that call in parallel do.
 */
function toToolDeltas(calls: readonly UpstreamToolCall[]): readonly object[] {
  const half = (text: string): number => Math.ceil(text.length / 2);
  const piece = (index: number, text: string): object => ({ index, function: { arguments: text } });
  return [
    ...calls.map(({ id, type, function: { name } }, index) => ({ index, id, type, function: { name, arguments: '' } })),
    ...calls.map(({ function: { arguments: text } }, index) => piece(index, text.slice(0, half(text)))),
    ...calls.map(({ function: { arguments: text } }, index) => piece(index, text.slice(half(text)))),
  ];
}
