import type {
  CompletionEncoder,
  CompletionEnvelope,
  EndedCompletion,
  Format,
  Frames,
  FrameText,
  ParsedChat,
  WholeCompletion,
} from '../../chat/format.ts';
import { isRecord, parseWith, type Unchecked } from '../../foundation/parse.ts';
import { isTextSpool, type TextSpool } from '../../foundation/text-spool.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import { refuseField } from '../../wire/fields.ts';
import type { KeptResponse } from '../../wire/kept-response.ts';
import { type NativePiece, withNative } from '../../wire/native-request.ts';
import { toItemId } from '../../wire/response-items.ts';
import { type ResponsesRequest, responsesRequestSchema, SEALED_REASONING } from '../../wire/responses.ts';
import type { Emit, EventSink } from './event-sink.ts';
import {
  createItemWriter,
  createSpools,
  type ItemWriterOptions,
  type KnownReasoning,
  type Spools,
} from './item-writer.ts';
import { toKeptMembers } from './kept-members.ts';
import { toKeptItems, withoutSealed } from './kept-response.ts';
import { toChatRequest, wantsLogprobs } from './to-chat-request.ts';
import { reasonOf, toEnding, toOwn, toOwnEnding, toResponse } from './to-response.ts';
import { nameTools, type ToolNames } from './tool-names.ts';

/** `POST /responses`: OpenAI's newer form of a chat call, of which nothing is kept (wire.md 22.2). */
export const responsesFormat: Format = {
  name: 'responses',
  parse: (body) => parseResponses(body, null),
};

/** A response that is stored, and the one that it continues. */
export interface Keeping {
  /** Null for the first of a conversation. */
  readonly previousId: string | null;
  readonly isStored: boolean;
}

/** Reads a request, whose input is whole. `keeping`: null for a response that is neither stored nor continues another. */
export function parseResponses(body: unknown, keeping: Keeping | null): ParsedChat {
  const checked = parseWith(responsesRequestSchema, body);
  if (checked.previous_response_id) {
    throw refuseField('previous_response_id', 'cannot be followed in this call: send the whole input');
  }
  const names = nameTools(checked);
  const request = withNative(toChatRequest(checked, names), {
    form: 'responses',
    body: body as Readonly<Record<string, unknown>>,
    headers: {},
    read(other) {
      const again = parseWith(responsesRequestSchema, other);
      return toChatRequest(again, nameTools(again));
    },
  });
  return { request, encoder: createResponseEncoder(checked, names, keeping) };
}

const DONE = 'data: [DONE]\n\n';

/** Only the items of a whole response are needed. */
const NOWHERE: EventSink = { emit: () => undefined, emitPiece: () => undefined };

/** Encodes the completion of one request, whose fields a response repeats. */
function createResponseEncoder(body: ResponsesRequest, names: ToolNames, keeping: Keeping | null): CompletionEncoder {
  const keepsReasoning = body.include?.includes(SEALED_REASONING) === true;
  const isStored = keeping?.isStored === true;
  const about = { store: isStored, previous_response_id: keeping?.previousId ?? null };
  const hidesSeal = !keepsReasoning && body.store === true;
  const reasonings: KnownReasoning[] = [];
  const optionsOf = ({ id }: CompletionEnvelope): ItemWriterOptions => ({
    names,
    keepsReasoning,
    hidesReasoning: body.reasoning?.['exclude'] === true,
    wantsLogprobs: wantsLogprobs(body),
    wantsSummary: typeof body.reasoning?.['summary'] === 'string',
    makeId: (prefix, place) => toItemId(prefix, id, place),
    spools: null,
    onReasoning: isStored ? (reasoning) => void reasonings.push(reasoning) : undefined,
  });
  let end: EndOutput | null = null;
  let whole: (EndedOutput & Pick<WholeCompletion, 'chunks'>) | null = null;
  const endWhole = (completion: CompletionEnvelope, chunks: readonly ChatChunk[]): EndedOutput => {
    if (whole?.chunks !== chunks) whole = { ...readWhole(completion, chunks), chunks };
    return whole;
  };
  const readWhole = (completion: CompletionEnvelope, chunks: readonly ChatChunk[]): EndedOutput => {
    const own = chunks.flatMap(({ native = [] }) => native).find(({ type }) => type === 'whole');
    if (own !== undefined) {
      const given = JSON.parse(own.data) as Unchecked;
      const output = Array.isArray(given['output']) ? given['output'].filter(isRecord) : [];
      return { output, own: given };
    }
    const writer = createItemWriter(NOWHERE, optionsOf(completion));
    for (const { choices, upstream } of chunks) {
      if (upstream?.citations !== undefined) writer.cite(upstream.citations);
      for (const { delta, logprobs } of choices) writer.write(delta, logprobs);
    }
    writer.end();
    return { output: writer.output, own: null };
  };
  return {
    keepAlive: ': SERVICE PROCESSING\n\n',
    createFrames(envelope, _, openScratch) {
      const options = { ...optionsOf(envelope), spools: createSpools(openScratch) };
      const frames = createFrames(envelope, { body, about, hidesSeal }, options);
      ({ end } = frames);
      return frames;
    },
    toWhole(completion) {
      const { chunks, failure, usage, members, created } = completion;
      const { output, own } = endWhole(completion, chunks);
      const response = { ...toResponse(completion, body), ...about };
      if (own !== null) {
        return toOwnEnding(toOwn(hidesSeal ? withShownOutput(own) : own, completion, response), usage, members);
      }
      const end = { reason: reasonOf(completion), output, usage, error: failure };
      return { ...response, completed_at: created, ...toEnding(end), ...members };
    },
    ...(isStored && {
      keep(completion: EndedCompletion): KeptResponse {
        const { chunks, error, isCancelled, texts } = completion;
        const isComplete = error === null && !isCancelled;
        const { output, own } =
          chunks === null ? (end?.(isComplete) ?? { output: [], own: null }) : endWhole(completion, chunks);
        return {
          members: toKeptMembers(completion, { body, about, own: isComplete ? own : null }),
          items: toKeptItems({ items: output, reasonings, keepsReasoning }, texts),
        };
      },
    }),
  };
}

/** The output of a completion that has ended, and the response as upstream gave it, where upstream's form is this one. */
interface EndedOutput {
  readonly output: readonly Unchecked[];
  readonly own: Unchecked | null;
}

/** Ends the output of a stream, and returns it: of one that is not complete, the items that have ended. */
type EndOutput = (isComplete: boolean) => EndedOutput;

function withShownOutput(own: Unchecked): Unchecked {
  const { output } = own;
  return Array.isArray(output) ? { ...own, output: output.filter(isRecord).map(withoutSealed) } : own;
}

/** What the responses of one stream have to say, beside the completion. */
interface ResponseFacts {
  readonly body: ResponsesRequest;
  readonly about: Unchecked;
  /** Upstream sends what is needed to send reasoning back, which the caller did not ask for. */
  readonly hidesSeal: boolean;
}

/** Writes one stream of this form: each event with its number, the end when the gateway knows the cost. */
function createFrames(
  envelope: CompletionEnvelope,
  { body, about, hidesSeal }: ResponseFacts,
  options: ItemWriterOptions & { readonly spools: Spools },
): Frames & { readonly end: EndOutput } {
  const { spools } = options;
  let text = '';
  /** What comes before `text`, where there is a long text in it. */
  let before: FramePart[] = [];
  let number = 0;
  let hasBegun = false;
  let isNative = false;
  const sink: EventSink = {
    emit(type, members) {
      const event = { type, sequence_number: number, ...members };
      number += 1;
      if (spools.isEmpty()) text += toFrame(type, JSON.stringify(event));
      else {
        const [first, ...others] = toParts(event, envelope.id);
        before.push(`${text}event: ${type}\ndata: ${first}`, ...others);
        text = '\n\n';
      }
    },
    emitPiece(type, place, piece) {
      const data = `{"type":"${type}","sequence_number":${number},${place},"delta":${JSON.stringify(piece)}}`;
      text += toFrame(type, data);
      number += 1;
    },
  };
  const { emit } = sink;
  const writer = createItemWriter(sink, options);
  const response = { ...toResponse(envelope, body), ...about };
  const begin = (given: Record<string, unknown> = response): void => {
    if (hasBegun) return;
    hasBegun = true;
    emit('response.created', { response: given });
    emit('response.in_progress', { response: given });
  };
  const native = createNativeEvents({
    toShown: hidesSeal ? withoutSealed : null,
    begin: (given) => begin(given && toOwn(given, envelope, response)),
    emit,
    emitNumbered(type, toData) {
      begin();
      text += toFrame(type, toData(number));
      number += 1;
    },
  });
  const output = (): readonly Unchecked[] => (isNative ? native.output : writer.output);
  const take = (end = '', onRead?: () => void): FrameText => {
    const taken = text + end;
    const parts = before;
    text = '';
    before = [];
    return parts.length === 0 ? taken : readParts([...parts, taken], onRead);
  };
  return {
    encode(chunks) {
      for (const { native: pieces, choices, upstream } of chunks) {
        if (upstream?.citations !== undefined) writer.cite(upstream.citations);
        if (pieces !== undefined) {
          isNative = true;
          for (const piece of pieces) native.write(piece);
        } else if (!isNative) {
          for (const { delta, logprobs } of choices) {
            begin();
            writer.write(delta, logprobs);
          }
        }
      }
      return take();
    },
    // Strict clients refuse events that they do not know.
    encodeEcho: () => '',
    encodeEnd({ reason, usage, members }) {
      begin();
      if (!isNative) writer.end();
      const own = native.ending();
      const ending =
        own === null
          ? {
              ...response,
              completed_at: envelope.created,
              ...toEnding({ reason, usage, output: output(), error: null }),
              ...members,
            }
          : toOwnEnding(toOwn(hidesSeal ? withShownOutput(own) : own, envelope, response), usage, members);
      emit(`response.${String((ending as Unchecked)['status'])}`, { response: ending });
      return take(DONE, spools.close);
    },
    encodeError(error) {
      begin();
      const ending = toEnding({ reason: 'error', usage: undefined, output: output(), error });
      emit('response.failed', { response: { ...response, ...ending, ...error.beside } });
      return take(DONE, spools.close);
    },
    close: spools.close,
    end(isComplete) {
      if (isComplete) {
        begin();
        if (!isNative) writer.end();
      }
      const own = native.ending();
      const given = own?.['output'];
      return { output: Array.isArray(given) && given.length > 0 ? given.filter(isRecord) : output(), own };
    },
  };
}

const toFrame = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

/** A part of frames: text as it is sent, or a text that is put aside and stands in a string of JSON. */
type FramePart = string | TextSpool;

/**
 * Writes an event as JSON, each long text in it as a part of its own. The place of one is marked by a text that no caller
 * else can have written, as the id of the response is random.
 */
function toParts(event: object, id: string): readonly [string, ...FramePart[]] {
  const mark = `long text of ${id}`;
  const spools: TextSpool[] = [];
  const json = JSON.stringify(event, (_, value: unknown) => {
    if (!isTextSpool(value)) return value;
    spools.push(value);
    return mark;
  });
  const [first = '', ...others] = json.split(mark);
  return [first, ...others.flatMap((part, index) => [spools[index] ?? '', part])];
}

function* readParts(parts: readonly FramePart[], onRead?: () => void): Generator<string> {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else for (const piece of part.read()) yield JSON.stringify(piece).slice(1, -1);
  }
  onRead?.();
}

/** Events of upstream's own, given back under the gateway's numbers. */
export interface NativeEvents {
  write(piece: NativePiece): void;
  /** The items so far, those that have ended. */
  readonly output: readonly Unchecked[];
  /** Upstream's last response; null before it has come. */
  ending(): Unchecked | null;
}

interface NativeEventsOptions {
  /** What is shown of an item; null for all of it. */
  readonly toShown: ((item: Unchecked) => Unchecked) | null;
  /** Begins the stream, once, with upstream's response if it has sent one. */
  readonly begin: (given: Unchecked | undefined) => void;
  readonly emit: Emit;
  /** Writes an event whose data is text already, and needs its number alone. */
  readonly emitNumbered: (type: string, toData: (number: number) => string) => void;
}

const BEGINNINGS: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

/** Events that end a stream of this form; the end is written when the gateway knows the cost. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/** Within a text of JSON the quotes would be escaped, so this is a member. */
const NUMBER = /"sequence_number":\s*\d+/;

function createNativeEvents({ toShown, begin, emit, emitNumbered }: NativeEventsOptions): NativeEvents {
  const output: Unchecked[] = [];
  let end: Unchecked | null = null;
  return {
    output,
    ending: () => end,
    write({ type, data }) {
      // Most events are pieces of text, and parsing them is the larger part of the work.
      if (type.endsWith('.delta') && NUMBER.test(data) && !/[\r\n]/.test(data)) {
        emitNumbered(type, (number) => data.replace(NUMBER, `"sequence_number":${number}`));
        return;
      }
      const event = JSON.parse(data) as Unchecked;
      const given = isRecord(event['response']) ? event['response'] : undefined;
      begin(BEGINNINGS.has(type) ? given : undefined);
      if (BEGINNINGS.has(type) || type === '') return;
      if (ENDS.has(type)) {
        end = { status: type.slice('response.'.length), ...given };
        return;
      }
      const { type: _type, sequence_number: _number, item, ...members } = event;
      if (type === 'response.output_item.done' && isRecord(item)) output.push(item);
      const shown = toShown !== null && isRecord(item) ? toShown(item) : item;
      emit(type, { ...members, ...(item !== undefined && { item: shown }) });
    },
  };
}
