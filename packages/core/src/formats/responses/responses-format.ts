import type {
  CompletionEncoder,
  CompletionEnvelope,
  Format,
  Frames,
  FrameText,
  WholeCompletion,
} from '../../chat/format.ts';
import { isRecord, parseWith, type Unchecked } from '../../foundation/parse.ts';
import { isTextSpool, type TextSpool } from '../../foundation/text-spool.ts';
import type { Usage } from '../../wire/chat-chunk.ts';
import { type NativePiece, withNative } from '../../wire/native-request.ts';
import { type ResponsesRequest, responsesRequestSchema, toItemId } from '../../wire/responses.ts';
import {
  createItemWriter,
  createSpools,
  type Emit,
  type EventSink,
  type ItemWriterOptions,
  type Spools,
} from './item-writer.ts';
import { toChatRequest } from './to-chat-request.ts';
import { reasonOf, toEnding, toResponse, toResponsesUsage, withBase } from './to-response.ts';
import { nameTools, type ToolNames } from './tool-names.ts';

/** `POST /responses`: OpenAI's newer form of a chat call, without anything that is kept (wire.md 22.2). */
export const responsesFormat: Format = {
  name: 'responses',
  parse(body) {
    const checked = parseWith(responsesRequestSchema, body);
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
    return { request, encoder: createResponseEncoder(checked, names) };
  },
};

const DONE = 'data: [DONE]\n\n';

/** Only the items of a whole response are needed. */
const NOWHERE: EventSink = { emit: () => undefined, emitPiece: () => undefined };

/** Encodes the completion of one request, whose fields a response repeats. */
function createResponseEncoder(body: ResponsesRequest, names: ToolNames): CompletionEncoder {
  const keepsReasoning = body.include?.includes('reasoning.encrypted_content') === true;
  const optionsOf = ({ id }: CompletionEnvelope): ItemWriterOptions => ({
    names,
    keepsReasoning,
    hidesReasoning: body.reasoning?.['exclude'] === true,
    makeId: (prefix, place) => toItemId(prefix, id, place),
    spools: null,
  });
  return {
    keepAlive: ': SERVICE PROCESSING\n\n',
    createFrames: (envelope, _, openScratch) =>
      createFrames(envelope, body, { ...optionsOf(envelope), spools: createSpools(openScratch) }),
    toWhole(completion) {
      const { chunks, failure, usage, members, created } = completion;
      const own = chunks.flatMap(({ native = [] }) => native).find(({ type }) => type === 'whole');
      const response = toResponse(completion, body);
      if (own !== undefined) {
        return toOwnEnding(toOwn(JSON.parse(own.data) as Unchecked, completion, response), usage, members);
      }
      const writer = createItemWriter(NOWHERE, optionsOf(completion));
      for (const { choices } of chunks) for (const { delta } of choices) writer.write(delta);
      writer.end();
      const end = { reason: reasonOf(completion), output: writer.output, usage, error: failure };
      return { ...response, completed_at: created, ...toEnding(end), ...members };
    },
  };
}

/** Writes one stream of this form: each event with its number, the end when the gateway knows the cost. */
function createFrames(
  envelope: CompletionEnvelope,
  body: ResponsesRequest,
  options: ItemWriterOptions & { readonly spools: Spools },
): Frames {
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
  const response = toResponse(envelope, body);
  const begin = (given: Record<string, unknown> = response): void => {
    if (hasBegun) return;
    hasBegun = true;
    emit('response.created', { response: given });
    emit('response.in_progress', { response: given });
  };
  const native = createNativeEvents({
    begin: (given) => begin(given && toOwn(given, envelope, response)),
    emit,
    emitNumbered(type, toData) {
      begin();
      text += toFrame(type, toData(number));
      number += 1;
    },
  });
  const output = (): readonly object[] => (isNative ? native.output : writer.output);
  const take = (end = '', onRead?: () => void): FrameText => {
    const taken = text + end;
    const parts = before;
    text = '';
    before = [];
    return parts.length === 0 ? taken : readParts([...parts, taken], onRead);
  };
  return {
    encode(chunks) {
      for (const { native: pieces, choices } of chunks) {
        if (pieces !== undefined) {
          isNative = true;
          for (const piece of pieces) native.write(piece);
        } else if (!isNative) {
          for (const { delta } of choices) {
            begin();
            writer.write(delta);
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
          : toOwnEnding(toOwn(own, envelope, response), usage, members);
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
  readonly output: readonly object[];
  /** Upstream's last response; null before it has come. */
  ending(): Unchecked | null;
}

interface NativeEventsOptions {
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

function createNativeEvents({ begin, emit, emitNumbered }: NativeEventsOptions): NativeEvents {
  const output: object[] = [];
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
      emit(type, { ...members, ...(item !== undefined && { item }) });
    },
  };
}

/** A response of upstream's own, under the names that it has here. What it lacks, and clients need, is as `base` has it. */
function toOwn(
  given: Unchecked,
  { id, model, provider }: CompletionEnvelope,
  base: Unchecked,
): Record<string, unknown> {
  return { ...withBase(given, base), id, model, provider };
}

/** The last response of upstream's own, with what it has cost here. */
function toOwnEnding(
  own: Unchecked,
  usage: Usage | undefined,
  members: WholeCompletion['members'],
): Record<string, unknown> {
  const given = isRecord(own['usage']) ? own['usage'] : null;
  return { ...own, usage: usage === undefined ? given : withCosts(toResponsesUsage(usage), given), ...members };
}

/** The counts that upstream names, and the costs that the gateway knows. */
function withCosts(counted: Unchecked, given: Unchecked | null): Unchecked {
  if (given === null) return counted;
  const costs = Object.entries(counted).filter(([name]) => !/token/.test(name));
  return { ...counted, ...given, ...Object.fromEntries(costs) };
}
