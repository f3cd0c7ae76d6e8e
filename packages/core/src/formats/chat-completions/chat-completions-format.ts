import { isReasoningHidden } from '../../chat/chat-kind.ts';
import type { CompletionEncoder, CompletionEnvelope, Format, WholeCompletion } from '../../chat/format.ts';
import { type ErrorBody, toErrorBody } from '../../foundation/errors.ts';
import type {
  ChatChunk,
  ChatChunkChoice,
  ChatCompletionResult,
  ChatDelta,
  FinishReason,
  Usage,
} from '../../wire/chat-chunk.ts';
import { parseChatCompletion } from '../../wire/chat-request.ts';

/** A comment, which clients pass over. */
export const KEEP_ALIVE_FRAME = ': SERVICE PROCESSING\n\n';
export const DONE_FRAME = 'data: [DONE]\n\n';

/** `POST /chat/completions`: the form that calls have within the gateway, so that nothing is converted. */
export const chatCompletionsFormat: Format = {
  name: 'chat',
  parse: (body) => ({ request: parseChatCompletion(body), encoder }),
};

const encoder: CompletionEncoder = {
  keepAlive: KEEP_ALIVE_FRAME,

  createFrames(envelope, request) {
    const encoder = createFrameEncoder(envelope, isReasoningHidden(request));
    return {
      encode: encoder.encode,
      encodeEcho: encoder.encodeEcho,
      // The last chunk carries the members.
      encodeEnd({ reason, native, usage, citations, members }) {
        const beside = citations === undefined ? members : { ...members, citations };
        return usage === undefined
          ? encoder.encodeFinish(reason, native, beside) + DONE_FRAME
          : encoder.encodeFinish(reason, native) + encoder.encodeUsage(usage, beside) + DONE_FRAME;
      },
      encodeError: (error, native) => encoder.encodeError(toErrorBody(error), native, error.beside) + DONE_FRAME,
    };
  },

  toWhole: (completion, request) => toResult(completion, isReasoningHidden(request)),
};

/** Members of a completion's last chunk beside its choices. */
type ChunkMembers = Readonly<Record<string, unknown>> | undefined;

/** Encodes the chunks of one completion as server-sent frames (wire.md 7). */
interface FrameEncoder {
  /** Without finish reasons and usage, which are sent once and last (docs/decisions/0002). */
  encode(chunks: readonly ChatChunk[]): string;
  encodeFinish(reason: FinishReason, native: string | null, beside?: ChunkMembers): string;
  encodeUsage(usage: Usage, beside?: ChunkMembers): string;
  encodeError(error: ErrorBody, native: string | null, beside?: ChunkMembers): string;
  /** Encodes the body that was sent to one endpoint (wire.md 6.9). */
  encodeEcho(upstreamBody: unknown): string;
}

/** Creates an encoder. With `hideReasoning`, reasoning is left out of the frames. */
export function createFrameEncoder(envelope: CompletionEnvelope, hideReasoning: boolean): FrameEncoder {
  // Everything up to the choices is equal in each frame, so it is serialised once.
  const { id, created, model, provider, systemFingerprint, serviceTier } = envelope;
  const repeated = JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    provider,
    ...(systemFingerprint !== undefined && { system_fingerprint: systemFingerprint }),
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
  });
  const head = `data: ${repeated.slice(0, -1)},`;
  const textHead = `${head}"choices":[{"index":0,"delta":{"role":"assistant","content":`;
  const textTail = '},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}\n\n';

  const encodeChoice = (choice: ChatChunkChoice): string => {
    const { delta } = choice;
    if (isTextOnly(choice)) return textHead + JSON.stringify(delta.content) + textTail;
    const shown = hideReasoning ? withoutReasoning(delta) : delta;
    if (isEmpty(shown) && choice.logprobs === undefined) return '';
    const encoded = {
      index: choice.index,
      delta: { role: 'assistant', content: '', ...shown },
      finish_reason: null,
      native_finish_reason: null,
      logprobs: choice.logprobs ?? null,
    };
    return `${head}"choices":[${JSON.stringify(encoded)}]}\n\n`;
  };

  const encodeEmpty = (reason: string, native: string | null): string =>
    `"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":${JSON.stringify(reason)},` +
    `"native_finish_reason":${JSON.stringify(native)},"logprobs":null}]}\n\n`;

  return {
    encode(chunks) {
      let frames = '';
      for (const chunk of chunks) for (const choice of chunk.choices) frames += encodeChoice(choice);
      return frames;
    },
    encodeFinish: (reason, native, beside) => head + toMembers(beside) + encodeEmpty(reason, native),
    encodeUsage: (usage, beside) => `${head}${toMembers(beside)}"choices":[],"usage":${JSON.stringify(usage)}}\n\n`,
    encodeError: (error, native, beside) =>
      `${head}${toMembers(beside)}"error":${JSON.stringify(error)},${encodeEmpty('error', native)}`,
    encodeEcho: (upstreamBody) =>
      `${head}"choices":[],"debug":${JSON.stringify({ echo_upstream_body: upstreamBody })}}\n\n`,
  };
}

/** Members of an object that is being written, each with its comma. */
const toMembers = (members: ChunkMembers): string =>
  members === undefined ? '' : `${JSON.stringify(members).slice(1, -1)},`;

/** True for by far the most frequent kind of chunk. */
function isTextOnly({ index, delta, logprobs }: ChatChunkChoice): boolean {
  if (index !== 0 || logprobs !== undefined || typeof delta.content !== 'string') return false;
  for (const field in delta) if (field !== 'content') return false;
  return true;
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The body of an unstreamed chat completion. With `hidesReasoning`, reasoning is left out of it. */
function toResult(completion: WholeCompletion, hidesReasoning: boolean): ChatCompletionResult {
  const { id, created, model, provider, chunks, failure, systemFingerprint, serviceTier, citations } = completion;
  const { usage, members } = completion;
  const result: ChatCompletionResult = {
    id,
    object: 'chat.completion',
    created,
    model,
    provider,
    choices: [],
    system_fingerprint: systemFingerprint ?? null,
  };
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason, native_finish_reason, logprobs = null } of choices) {
      const message = toMessage(delta, hidesReasoning);
      const choice: ResultChoice = { index, finish_reason, native_finish_reason, logprobs, message };
      if (finish_reason === 'error' && failure !== null) choice.error = toErrorBody(failure);
      result.choices.push(choice);
    }
  }
  if (serviceTier !== undefined) result.service_tier = serviceTier;
  if (citations !== undefined) result.citations = [...citations];
  if (usage !== undefined) result.usage = usage;
  return members === undefined ? result : { ...result, ...members };
}

type ResultChoice = ChatCompletionResult['choices'][number];
type ResultMessage = ResultChoice['message'];

function toMessage(delta: ChatDelta, hidesReasoning: boolean): ResultMessage {
  const { content = null, refusal = null, reasoning = null } = delta;
  const message: ResultMessage = { role: 'assistant', content, refusal, reasoning: hidesReasoning ? null : reasoning };
  if (delta.reasoning_details && !hidesReasoning) message.reasoning_details = delta.reasoning_details;
  if (delta.tool_calls) {
    message.tool_calls = delta.tool_calls.map(({ id = '', function: { name = '', arguments: given } }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: given },
    }));
  }
  if (delta.images !== undefined) message.images = delta.images;
  if (delta.audio !== undefined) message.audio = delta.audio;
  if (delta.annotations !== undefined) message.annotations = delta.annotations;
  return message;
}

function withoutReasoning(delta: ChatDelta): ChatDelta {
  const { reasoning: _text, reasoning_details: _details, ...others } = delta;
  return others;
}
