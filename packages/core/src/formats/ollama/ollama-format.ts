import { isReasoningHidden } from '../../chat/chat-kind.ts';
import type {
  CompletionEncoder,
  CompletionEnd,
  CompletionEnvelope,
  CompletionTiming,
  Format,
  Frames,
  WholeCompletion,
} from '../../chat/format.ts';
import { appendAll } from '../../foundation/append-all.ts';
import { type GatewayError, toErrorBody } from '../../foundation/errors.ts';
import { isRecord, parseWith } from '../../foundation/parse.ts';
import type { ChatChunkChoice, FinishReason, Usage } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ReasoningDetail } from '../../wire/chat-request.ts';
import { ollamaChatRequestSchema, ollamaGenerateRequestSchema } from '../../wire/ollama.ts';
import { readArguments } from '../kit/read-arguments.ts';
import { createSegmentWriter, type SegmentWriter } from '../kit/write-segments.ts';
import { toChatRequest, toPromptRequest } from './to-chat-request.ts';

/** The media type of streams: a JSON document a line. */
export const NDJSON = 'application/x-ndjson';

/** `POST /api/chat`: Ollama's form of a chat call (github.com/ollama/ollama, docs/api.md). */
export const ollamaChatFormat: Format = {
  name: 'ollama-chat',
  parse: (body) => ({ request: toChatRequest(parseWith(ollamaChatRequestSchema, body)), encoder: chatEncoder }),
};

/** `POST /api/generate`: the same with one prompt. */
export const ollamaGenerateFormat: Format = {
  name: 'ollama-generate',
  parse: (body) => ({
    request: toPromptRequest(parseWith(ollamaGenerateRequestSchema, body)),
    encoder: generateEncoder,
  }),
};

/** What a model has said, all of it or one piece. */
interface Said {
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly object[];
}

/** Where a form has what was said. */
interface Place {
  readonly toMembers: (said: Said) => object;
  /** What stands around the text in the JSON of a line with nothing else in it, as nearly all are. */
  readonly aroundText: readonly [before: string, after: string];
}

const chatEncoder = createEncoder({
  toMembers: (said) => ({ message: { role: 'assistant', ...said } }),
  aroundText: ['"message":{"role":"assistant","content":', '}'],
});
// This form has no tools.
const generateEncoder = createEncoder({
  toMembers: ({ content, thinking }) => ({ response: content, ...(thinking !== undefined && { thinking }) }),
  aroundText: ['"response":', ''],
});

function createEncoder(place: Place): CompletionEncoder {
  return {
    mediaType: NDJSON,
    // White space before the next line: several clients take an empty line for broken JSON.
    keepAlive: ' ',
    createFrames: (envelope, request) => createLines(envelope, request, place),
    toWhole: (completion, request) => toWhole(completion, request, place),
  };
}

function createLines(
  envelope: CompletionEnvelope,
  request: ChatCompletionRequest,
  { toMembers, aroundText }: Place,
): Frames {
  // The same in each line, so it is serialised once.
  const head = `${JSON.stringify(toHead(envelope)).slice(0, -1)},`;
  const textHead = head + aroundText[0];
  const textTail = `${aroundText[1]},"done":false}\n`;
  let lines = '';
  const toLine = (members: object): string => `${head}${JSON.stringify(members).slice(1)}\n`;
  const writer = createSaying(request, {
    text: (content) => void (lines += textHead + JSON.stringify(content) + textTail),
    say(said, logprobs) {
      lines += toLine({ ...toMembers(said), done: false, ...(logprobs !== undefined && { logprobs }) });
    },
  });
  const take = (): string => {
    const taken = lines;
    lines = '';
    return taken;
  };
  return {
    encode(chunks) {
      for (const { choices } of chunks) for (const choice of choices) writer.write(choice);
      return take();
    },
    // No line has a place for it.
    encodeEcho: () => '',
    encodeEnd(end) {
      writer.end();
      return take() + toLine({ ...toMembers({ content: '' }), ...toEnd(end) });
    },
    encodeError: (error) => take() + toErrorLine(error),
  };
}

const toErrorLine = (error: GatewayError): string =>
  `${JSON.stringify({ error: toErrorBody(error).message, ...error.beside })}\n`;

/** Throws the failure of a completion that broke off: the form has no place for it beside a part of a message. */
function toWhole(completion: WholeCompletion, request: ChatCompletionRequest, { toMembers }: Place): object {
  const { chunks, failure } = completion;
  if (failure !== null) throw failure;
  let content = '';
  let thinking = '';
  const calls: object[] = [];
  const logprobs: unknown[] = [];
  const writer = createSaying(request, {
    text: (text) => void (content += text),
    say(said, given = []) {
      content += said.content;
      thinking += said.thinking ?? '';
      appendAll(calls, said.tool_calls ?? []);
      appendAll(logprobs, given);
    },
  });
  const choices = chunks.flatMap((chunk) => chunk.choices);
  for (const choice of choices) writer.write(choice);
  writer.end();
  const reason = choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? 'stop';
  return {
    ...toHead(completion),
    ...toMembers({
      content,
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }),
    ...(logprobs.length > 0 && { logprobs }),
    ...toEnd({ ...completion, reason }),
  };
}

const toHead = ({ model, created }: CompletionEnvelope): object => ({
  model,
  created_at: new Date(created * 1000).toISOString(),
});

interface Saying extends Pick<SegmentWriter, 'end'> {
  write(choice: ChatChunkChoice): void;
}

/** Receives a completion piece by piece. */
interface Listener {
  /** Text, and nothing else. */
  text(content: string): void;
  say(said: Said, logprobs?: readonly unknown[]): void;
}

/** Says a completion piece by piece. A call of a tool is one piece, because its arguments are an object here. */
function createSaying(request: ChatCompletionRequest, { text, say }: Listener): Saying {
  const hidesReasoning = isReasoningHidden(request);
  let call = { id: '', name: '', json: '' };
  let index = 0;
  let logprobs: readonly unknown[] | undefined;
  const ignore = (): void => undefined;
  const writer = createSegmentWriter({
    startReasoning: ignore,
    reasoning(detail) {
      const thinking = textOf(detail);
      if (thinking !== '' && !hidesReasoning) say({ content: '', thinking });
    },
    endReasoning: ignore,
    startText: ignore,
    text(content) {
      if (logprobs === undefined) return text(content);
      say({ content }, logprobs);
      logprobs = undefined;
    },
    endText: ignore,
    startCall: (id, name) => void (call = { id, name, json: '' }),
    arguments: (json) => void (call.json += json),
    endCall() {
      const { id, name, json } = call;
      say({ content: '', tool_calls: [{ id, function: { index, name, arguments: readArguments(json) } }] });
      index += 1;
    },
  });
  return {
    write(choice) {
      logprobs = choice.logprobs === undefined ? undefined : toLogprobs(choice.logprobs);
      writer.write(choice.delta);
      if (logprobs !== undefined) say({ content: '' }, logprobs);
      logprobs = undefined;
    },
    end: writer.end,
  };
}

const textOf = ({ text, summary }: ReasoningDetail): string =>
  typeof text === 'string' ? text : typeof summary === 'string' ? summary : '';

/** Those of the text; undefined for none. */
function toLogprobs(given: unknown): readonly unknown[] | undefined {
  const list = isRecord(given) ? given['content'] : undefined;
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

const NANOSECONDS_A_MS = 1_000_000;

/** A call of a tool ends a turn as any other text does. */
const toReason = (reason: FinishReason): string => (reason === 'tool_calls' ? 'stop' : reason);

type End = Pick<CompletionEnd, 'reason' | 'usage' | 'members' | 'timing'>;

const toEnd = ({ reason, usage, members, timing }: End): object => ({
  done: true,
  done_reason: toReason(reason),
  ...toFigures(usage, timing),
  ...members,
});

function toFigures(usage: Usage | undefined, timing: CompletionTiming | undefined): object {
  const { generation_time: totalMs, latency: firstMs } = timing ?? {};
  const total = (totalMs ?? 0) * NANOSECONDS_A_MS;
  const first = Math.min((firstMs ?? 0) * NANOSECONDS_A_MS, total);
  return {
    total_duration: total,
    load_duration: 0,
    ...(usage !== undefined && { prompt_eval_count: usage.prompt_tokens }),
    prompt_eval_duration: first,
    ...(usage !== undefined && { eval_count: usage.completion_tokens }),
    eval_duration: total - first,
  };
}
