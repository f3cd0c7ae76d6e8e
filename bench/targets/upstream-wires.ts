import {
  PROMPT_TOKENS,
  textOfChunk,
  textOfStream,
  type UpstreamScript,
  usageOf,
  WHOLE_TEXT,
  WHOLE_TOKENS,
} from './upstream-script.ts';

/** A wire that the upstream speaks, by the name that the gateway's configuration has for it. */
export type WireName = 'openai' | 'anthropic' | 'openai-responses' | 'google';

/** The scripts in the form of one wire. Events are the text of server-sent events. */
export interface UpstreamWire {
  /** Where the address has the model and the stream, what it begins with. */
  readonly path: string;
  /** The body of the response that is not streamed; the same for all scripts. */
  readonly whole: object;
  /** Events before the first with text. */
  readonly beginning: readonly string[];
  /** The event with a script's text of this number. */
  toText(script: UpstreamScript, index: number): string;
  /** Events after the last with text. */
  toEnding(script: UpstreamScript): readonly string[];
}

const CHAT = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench', system_fingerprint: 'fp_bench' };

const toChatEvent = (fields: object): string =>
  `data: ${JSON.stringify({ ...CHAT, object: 'chat.completion.chunk', ...fields })}\n\n`;

/** A piece of the arguments of one call, which are JSON as a whole. */
function toCallDelta(script: UpstreamScript, index: number): object {
  const text = textOfChunk(script, index);
  const piece = `${index === 0 ? '{"text":"' : ''}${text}${index === script.chunks - 1 ? '"}' : ''}`;
  const called = index === 0 ? { id: 'call_bench', type: 'function' } : {};
  const name = index === 0 ? { name: 'write' } : {};
  return { tool_calls: [{ index: 0, ...called, function: { ...name, arguments: piece } }] };
}

const openai: UpstreamWire = {
  path: '/v1/chat/completions',
  whole: {
    ...CHAT,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: WHOLE_TEXT, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usageOf(WHOLE_TOKENS),
  },
  beginning: [],
  toText(script, index) {
    const delta = script.isCall === true ? toCallDelta(script, index) : { content: textOfChunk(script, index) };
    return toChatEvent({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] });
  },
  toEnding: ({ chunks, isCall }) => [
    toChatEvent({
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: isCall === true ? 'tool_calls' : 'stop' }],
    }),
    toChatEvent({ choices: [], usage: usageOf(chunks) }),
    'data: [DONE]\n\n',
  ],
};

const toNamedEvent = (type: string, members: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

const MESSAGE = { model: 'bench', id: 'msg_bench', type: 'message', role: 'assistant' };
const INPUT = { input_tokens: PROMPT_TOKENS, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const END_TURN = { stop_reason: 'end_turn', stop_sequence: null };

const anthropic: UpstreamWire = {
  path: '/v1/messages',
  whole: {
    ...MESSAGE,
    content: [{ type: 'text', text: WHOLE_TEXT }],
    ...END_TURN,
    usage: { ...INPUT, output_tokens: WHOLE_TOKENS },
  },
  beginning: [
    toNamedEvent('message_start', {
      message: {
        ...MESSAGE,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...INPUT, output_tokens: 1 },
      },
    }),
    toNamedEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    toNamedEvent('ping'),
  ],
  toText(script, index) {
    const delta = { type: 'text_delta', text: textOfChunk(script, index) };
    return toNamedEvent('content_block_delta', { index: 0, delta });
  },
  toEnding: ({ chunks }) => [
    toNamedEvent('content_block_stop', { index: 0 }),
    toNamedEvent('message_delta', { delta: END_TURN, usage: { ...INPUT, output_tokens: chunks } }),
    toNamedEvent('message_stop'),
  ],
};

const RESPONSE = { id: 'resp_bench', object: 'response', created_at: 1_700_000_000, model: 'bench', error: null };
const BEGUN = { ...RESPONSE, status: 'in_progress', output: [], usage: null };
const ITEM = { id: 'msg_bench', type: 'message', role: 'assistant' };
const AT = { item_id: 'msg_bench', output_index: 0, content_index: 0 };
/** The number of the first event with text. */
const FIRST_TEXT = 4;

const toPart = (text: string): object => ({ type: 'output_text', annotations: [], logprobs: [], text });
const toItem = (text: string): object => ({ ...ITEM, status: 'completed', content: [toPart(text)] });

function toResponse(text: string, completionTokens: number): object {
  return {
    ...RESPONSE,
    status: 'completed',
    output: [toItem(text)],
    usage: {
      input_tokens: PROMPT_TOKENS,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: PROMPT_TOKENS + completionTokens,
    },
  };
}

const toNumbered = (type: string, number: number, members: object): string =>
  toNamedEvent(type, { sequence_number: number, ...members });

const responses: UpstreamWire = {
  path: '/v1/responses',
  whole: toResponse(WHOLE_TEXT, WHOLE_TOKENS),
  beginning: [
    toNumbered('response.created', 0, { response: BEGUN }),
    toNumbered('response.in_progress', 1, { response: BEGUN }),
    toNumbered('response.output_item.added', 2, {
      output_index: 0,
      item: { ...ITEM, status: 'in_progress', content: [] },
    }),
    toNumbered('response.content_part.added', 3, { ...AT, part: toPart('') }),
  ],
  toText(script, index) {
    const delta = textOfChunk(script, index);
    return toNumbered('response.output_text.delta', FIRST_TEXT + index, { ...AT, delta, logprobs: [] });
  },
  toEnding(script) {
    const text = textOfStream(script);
    const next = FIRST_TEXT + script.chunks;
    return [
      toNumbered('response.output_text.done', next, { ...AT, text, logprobs: [] }),
      toNumbered('response.content_part.done', next + 1, { ...AT, part: toPart(text) }),
      toNumbered('response.output_item.done', next + 2, { output_index: 0, item: toItem(text) }),
      toNumbered('response.completed', next + 3, { response: toResponse(text, script.chunks) }),
    ];
  },
};

const toGoogle = (text: string, completionTokens: number, isLast: boolean): object => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, ...(isLast && { finishReason: 'STOP' }), index: 0 }],
  usageMetadata: {
    promptTokenCount: PROMPT_TOKENS,
    candidatesTokenCount: completionTokens,
    totalTokenCount: PROMPT_TOKENS + completionTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: PROMPT_TOKENS }],
  },
  modelVersion: 'bench',
  responseId: 'resp_bench',
});

const toGoogleEvent = (text: string, completionTokens: number, isLast = false): string =>
  `data: ${JSON.stringify(toGoogle(text, completionTokens, isLast))}\r\n\r\n`;

const google: UpstreamWire = {
  path: '/v1/models/',
  whole: toGoogle(WHOLE_TEXT, WHOLE_TOKENS, true),
  beginning: [],
  toText: (script, index) => toGoogleEvent(textOfChunk(script, index), index + 1),
  toEnding: ({ chunks }) => [toGoogleEvent('', chunks, true)],
};

/** Every wire, by its name. */
export const UPSTREAM_WIRES: Readonly<Record<WireName, UpstreamWire>> = {
  openai,
  anthropic,
  'openai-responses': responses,
  google,
};
