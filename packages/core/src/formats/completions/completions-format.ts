import { isReasoningHidden } from '../../chat/chat-kind.ts';
import type { CompletionEncoder, CompletionEnvelope, Format, Frames, WholeCompletion } from '../../chat/format.ts';
import { toErrorBody } from '../../foundation/errors.ts';
import { isRecord, parseWith } from '../../foundation/parse.ts';
import type { ChatDelta } from '../../wire/chat-chunk.ts';
import { type ChatCompletionRequest, parseChatCompletion } from '../../wire/chat-request.ts';
import { completionsRequestSchema } from '../../wire/completions.ts';

/** `POST /completions`: the older form, in which a prompt is a text. The prompt becomes a message of the user (wire.md 22.3). */
export const completionsFormat: Format = {
  name: 'completions',
  parse: (body) => ({ request: parseCompletions(body), encoder }),
};

const encoder: CompletionEncoder = { keepAlive: ': SERVICE PROCESSING\n\n', createFrames, toWhole };

/** Fields that this form has and chat completions have not, or in another meaning. */
const OWN_FIELDS = ['prompt', 'suffix', 'echo', 'best_of', 'logprobs', 'messages'];

function parseCompletions(body: unknown): ChatCompletionRequest {
  const { prompt } = parseWith(completionsRequestSchema, body);
  const content = typeof prompt === 'string' ? prompt : (prompt[0] as string);
  const shared = Object.fromEntries(
    Object.entries(isRecord(body) ? body : {}).filter(([name]) => !OWN_FIELDS.includes(name)),
  );
  return parseChatCompletion({ messages: [{ role: 'user', content }], ...shared });
}

const DONE = 'data: [DONE]\n\n';

const toHead = ({ id, created, model, provider, systemFingerprint }: CompletionEnvelope): object => ({
  id,
  object: 'text_completion',
  created,
  model,
  provider,
  ...(systemFingerprint !== undefined && { system_fingerprint: systemFingerprint }),
});

function createFrames(envelope: CompletionEnvelope, request: ChatCompletionRequest): Frames {
  const hidesReasoning = isReasoningHidden(request);
  const head = JSON.stringify(toHead(envelope)).slice(0, -1);
  const toFrame = (members: object): string => `data: ${head},${JSON.stringify(members).slice(1)}\n\n`;
  const toChoices = (delta: ChatDelta, reason: string | null, native: string | null): object => ({
    choices: [toChoice(delta, { reason, native, hidesReasoning })],
  });
  return {
    encode(chunks) {
      let frames = '';
      for (const { choices } of chunks) {
        for (const { delta } of choices)
          if (hasText(delta, hidesReasoning)) frames += toFrame(toChoices(delta, null, null));
      }
      return frames;
    },
    encodeEcho: (upstreamBody) => toFrame({ choices: [], debug: { echo_upstream_body: upstreamBody } }),
    encodeEnd({ reason, native, usage, members }) {
      const finish = toFrame(toChoices({}, reason, native));
      return usage === undefined
        ? toFrame({ ...toChoices({}, reason, native), ...members }) + DONE
        : finish + toFrame({ choices: [], usage, ...members }) + DONE;
    },
    encodeError: (error, native) =>
      toFrame({ error: toErrorBody(error), ...error.beside, ...toChoices({}, 'error', native) }) + DONE,
  };
}

function toWhole(completion: WholeCompletion, request: ChatCompletionRequest): object {
  const hidesReasoning = isReasoningHidden(request);
  const { chunks, failure, usage, members } = completion;
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    ...toHead(completion),
    choices: choices.map(({ delta, finish_reason, native_finish_reason }) => ({
      ...toChoice(delta, { reason: finish_reason, native: native_finish_reason, hidesReasoning }),
      ...(finish_reason === 'error' && failure !== null && { error: toErrorBody(failure) }),
    })),
    ...(usage && { usage }),
    ...members,
  };
}

const hasText = ({ content, refusal, reasoning }: ChatDelta, hidesReasoning: boolean): boolean =>
  Boolean(content) || Boolean(refusal) || (Boolean(reasoning) && !hidesReasoning);

interface ChoiceFacts {
  readonly reason: string | null;
  readonly native: string | null;
  readonly hidesReasoning: boolean;
}

const toChoice = (
  { content, refusal, reasoning }: ChatDelta,
  { reason, native, hidesReasoning }: ChoiceFacts,
): object => ({
  text: (content ?? '') + (refusal ?? ''),
  index: 0,
  logprobs: null,
  finish_reason: reason,
  native_finish_reason: native,
  ...(reasoning && !hidesReasoning && { reasoning }),
});
