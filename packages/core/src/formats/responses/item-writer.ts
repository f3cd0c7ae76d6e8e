import { appendAll } from '../../foundation/append-all.ts';
import { isRecord } from '../../foundation/parse.ts';
import type { Scratch } from '../../foundation/platform.ts';
import { createTextSpool, type TextSpool } from '../../foundation/text-spool.ts';
import { type ChatDelta, sealReasoning } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { createSegmentWriter, type SegmentSink, type SegmentWriter, type TextKind } from '../kit/write-segments.ts';
import { type EventSink, toPlace } from './event-sink.ts';
import { createReasoningParts, isRawReasoning, type PartForm, RAW, SUMMARY } from './reasoning-parts.ts';
import { createTextSources, type EndedText } from './text-sources.ts';
import { toCustomInput, type ToolNames } from './tool-names.ts';

export interface ItemWriterOptions {
  /** Makes the id of an item from its prefix and its place. */
  readonly makeId: (prefix: string, place: number) => string;
  readonly names: ToolNames;
  /** The caller asked for what is needed to send reasoning back. */
  readonly keepsReasoning: boolean;
  /** The caller wants no reasoning. */
  readonly hidesReasoning: boolean;
  /** The caller asked for the probabilities of tokens. */
  readonly wantsLogprobs: boolean;
  /** The caller asked for a summary: most clients show nothing else, and a text is better there than nowhere. */
  readonly wantsSummary: boolean;
  /** Takes long texts; null where they stay in memory. */
  readonly spools: Spools | null;
  /** Receives all that is known of the reasoning at a place of the output, whether there is an item of it or not. */
  readonly onReasoning?: ((reasoning: KnownReasoning) => void) | undefined;
}

export interface KnownReasoning {
  readonly details: readonly ReasoningDetail[];
  /** How many items are before it. */
  readonly place: number;
  /** False where it has no text, and the caller did not ask for what else there is. */
  readonly isShown: boolean;
}

/** The long texts of one stream. Its closing events repeat each of them three or four times. */
export interface Spools {
  open(): TextSpool;
  isEmpty(): boolean;
  /** Lets go of all of them. */
  close(): void;
}

export function createSpools(openScratch: (() => Scratch) | undefined): Spools {
  const opened: TextSpool[] = [];
  return {
    open() {
      const spool = createTextSpool(openScratch);
      opened.push(spool);
      return spool;
    },
    isEmpty: () => opened.length === 0,
    close() {
      for (const spool of opened) spool.close();
    },
  };
}

/** Hardly any text is longer: the slow readers of long ones would fill the memory. */
const SPOOL_ABOVE_CHARACTERS = 64 * 1024;

export interface ItemWriter extends Pick<SegmentWriter, 'end'> {
  /** Takes the next delta, and the probabilities of its tokens in the form of chats. */
  write(delta: ChatDelta, logprobs?: unknown): void;
  /** Takes sources that upstream lists beside the message. */
  cite(citations: readonly unknown[]): void;
  /** The items so far, those that have ended. */
  readonly output: readonly Item[];
}

/** Writes the deltas of one completion as output items with their events (wire.md 22.2). */
export function createItemWriter(
  sink: EventSink,
  {
    makeId,
    names,
    keepsReasoning,
    hidesReasoning,
    wantsLogprobs,
    wantsSummary,
    spools,
    onReasoning,
  }: ItemWriterOptions,
): ItemWriter {
  const { emit } = sink;
  const output: Item[] = [];

  const add = (item: Item): void => emit('response.output_item.added', { output_index: output.length, item });
  const finish = (item: Item): void => {
    emit('response.output_item.done', { output_index: output.length, item });
    output.push(item);
  };
  const placeOf = (id: string): object => ({ item_id: id, output_index: output.length });

  const texts = createTextSink({ add, finish, sink, placeOf, makeId: () => makeId('msg', output.length), spools });
  const writer = createSegmentWriter({
    ...createReasoningSink({
      add,
      finish,
      sink,
      placeOf,
      keepsReasoning,
      wantsSummary,
      onEnd: (details, isShown) => onReasoning?.({ details, isShown, place: output.length }),
      makeId: () => makeId('rs', output.length),
    }),
    ...texts.segments,
    ...createCallSink({ add, finish, sink, placeOf, makeId: (prefix) => makeId(prefix, output.length), names }),
  });
  const write: SegmentWriter['write'] = hidesReasoning
    ? ({ reasoning: _text, reasoning_details: _details, ...shown }) => writer.write(shown)
    : writer.write;
  return {
    write(delta, logprobs) {
      if (wantsLogprobs && isRecord(logprobs)) texts.addLogprobs(logprobs['content']);
      write(delta);
      if (delta.annotations !== undefined) texts.sources.add(delta.annotations);
      if (delta.images === undefined) return;
      // An image is an item of its own, so that what has begun ends before it.
      writer.end();
      for (const image of delta.images) {
        const result = toResult(image);
        if (result === undefined) continue;
        const item: Item = { id: makeId('ig', output.length), type: 'image_generation_call', result: null };
        add({ ...item, status: 'in_progress' });
        emit('response.image_generation_call.in_progress', { ...placeOf(item.id) });
        emit('response.image_generation_call.completed', { ...placeOf(item.id) });
        finish({ ...item, status: 'completed', result });
      }
    },
    cite: texts.sources.list,
    end() {
      texts.sources.addListed();
      writer.end();
      texts.end();
    },
    output,
  };
}

/** The base64 of an image in the form of chats. One at an address has no place in this form. */
function toResult(image: unknown): string | undefined {
  const link = isRecord(image) ? image['image_url'] : undefined;
  const url = isRecord(link) ? link['url'] : undefined;
  if (typeof url !== 'string' || !url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  return comma === -1 ? undefined : url.slice(comma + 1);
}

interface SinkParts {
  readonly add: (item: Item) => void;
  readonly finish: (item: Item) => void;
  readonly sink: EventSink;
  /** The members that locate an event. */
  readonly placeOf: (id: string) => object;
  readonly makeId: (prefix: string) => string;
}

interface TextSinkParts extends SinkParts, Pick<ItemWriterOptions, 'spools'> {}

interface TextSink {
  readonly segments: Pick<SegmentSink, 'startText' | 'text' | 'endText'>;
  /** Those of its texts. They are written at the end of a text, as they may come before it has begun. */
  readonly sources: ReturnType<typeof createTextSources>;
  /** Takes the probabilities of tokens whose text comes next. */
  addLogprobs(tokens: unknown): void;
  /** Gives the sources that came after the last text to their texts, without events: these items are done. */
  end(): void;
}

function createTextSink({ add, finish, sink: { emit, emitPiece }, placeOf, makeId, spools }: TextSinkParts): TextSink {
  const sources = createTextSources();
  let id = '';
  let place = '';
  let kind: TextKind = 'text';
  let said = '';
  /** All but the last of a long text, which is `said`. */
  let spool: TextSpool | null = null;
  /** Probabilities of the tokens of this text, and of those whose text has not come yet. */
  let logprobs: unknown[] = [];
  let nextLogprobs: unknown[] = [];
  /** Characters of the completion, and those before this text. */
  let length = 0;
  let begin = 0;
  const ended: EndedText[] = [];
  const at = (): object => ({ ...placeOf(id), content_index: 0 });
  const annotate = (where: object, begin: number, annotations: object[]): void => {
    for (const annotation of sources.take(begin)) {
      const index = annotations.push(annotation) - 1;
      emit('response.output_text.annotation.added', { ...where, annotation_index: index, annotation });
    }
  };
  return {
    sources,
    segments: {
      startText(started) {
        id = makeId('msg');
        kind = started;
        said = '';
        spool = null;
        logprobs = [];
        begin = length;
        place = toPlace(kind === 'refusal' ? at() : { ...at(), logprobs: [] });
        add({ id, type: 'message', role: 'assistant', status: 'in_progress', content: [] });
        emit('response.content_part.added', { ...at(), part: toTextPart(kind, '') });
      },
      text(text) {
        said += text;
        if (kind === 'text') length += text.length;
        if (said.length > SPOOL_ABOVE_CHARACTERS && spools !== null) said = (spool ??= spools.open()).append(said);
        if (kind === 'refusal') {
          emitPiece('response.refusal.delta', place, text);
          // Else the next text would have the probabilities of this one.
          nextLogprobs = [];
        } else if (nextLogprobs.length === 0) emitPiece('response.output_text.delta', place, text);
        else {
          emitPiece('response.output_text.delta', toPlace({ ...at(), logprobs: nextLogprobs }), text);
          appendAll(logprobs, nextLogprobs);
          nextLogprobs = [];
        }
      },
      endText() {
        // All but half a character at the very end, which no client can show.
        spool?.append(said);
        const whole = spool ?? said;
        const annotations: object[] = [];
        if (kind === 'text') appendAll(logprobs, nextLogprobs.splice(0));
        const part = toTextPart(kind, whole, annotations, logprobs);
        if (kind === 'refusal') {
          emit('response.refusal.done', { ...at(), refusal: whole });
        } else {
          sources.addListed();
          sources.giveBack(ended, begin);
          annotate(at(), begin, annotations);
          ended.push({ begin, annotations });
          emit('response.output_text.done', { ...at(), text: whole, logprobs });
        }
        emit('response.content_part.done', { ...at(), part });
        finish({ id, type: 'message', role: 'assistant', status: 'completed', content: [part] });
      },
    },
    addLogprobs(tokens) {
      if (Array.isArray(tokens)) appendAll(nextLogprobs, tokens);
    },
    end: () => sources.giveBack(ended),
  };
}

interface CallSinkParts extends SinkParts {
  readonly names: ToolNames;
}

function createCallSink({
  add,
  finish,
  sink: { emit, emitPiece },
  placeOf,
  makeId,
  names,
}: CallSinkParts): Pick<SegmentSink, 'startCall' | 'arguments' | 'endCall'> {
  let item: Item = { id: '', type: '' };
  let place = '';
  let args = '';
  return {
    startCall(callId, called) {
      const tool = names.find(called);
      const isCustom = tool?.isCustom === true;
      args = '';
      item = {
        id: makeId(isCustom ? 'ctc' : 'fc'),
        type: isCustom ? 'custom_tool_call' : 'function_call',
        status: 'in_progress',
        call_id: callId,
        name: tool?.name ?? called,
        ...(tool && tool.namespace !== null && { namespace: tool.namespace }),
        ...(isCustom ? { input: '' } : { arguments: '' }),
      };
      place = toPlace(placeOf(item.id));
      add(item);
    },
    arguments(text) {
      args += text;
      // Raw text is within JSON, and is known when that has ended.
      if (item.type === 'function_call') emitPiece('response.function_call_arguments.delta', place, text);
    },
    endCall() {
      if (item.type === 'custom_tool_call') {
        const input = toCustomInput(args);
        emit('response.custom_tool_call_input.delta', { ...placeOf(item.id), delta: input });
        emit('response.custom_tool_call_input.done', { ...placeOf(item.id), input });
        finish({ ...item, status: 'completed', input });
        return;
      }
      // Clients read the arguments as JSON.
      if (args.trim() === '') this.arguments('{}');
      emit('response.function_call_arguments.done', { ...placeOf(item.id), name: item['name'], arguments: args });
      finish({ ...item, status: 'completed', arguments: args });
    },
  };
}

interface ReasoningSinkParts extends SinkParts, Pick<ItemWriterOptions, 'keepsReasoning' | 'wantsSummary'> {
  readonly onEnd: (details: readonly ReasoningDetail[], isShown: boolean) => void;
}

function createReasoningSink({
  add,
  finish,
  sink,
  placeOf,
  makeId,
  keepsReasoning,
  wantsSummary,
  onEnd,
}: ReasoningSinkParts): Pick<SegmentSink, 'startReasoning' | 'reasoning' | 'endReasoning'> {
  let id = '';
  let hasBegun = false;
  let pieces: ReasoningDetail[] = [];
  let parts = createReasoningParts(sink, SUMMARY, () => placeOf(id));
  const start = (): void => {
    hasBegun = false;
    pieces = [];
  };
  const begin = (form: PartForm): void => {
    if (hasBegun) return;
    hasBegun = true;
    id = makeId('rs');
    parts = createReasoningParts(sink, form, () => placeOf(id));
    add({ id, type: 'reasoning', status: 'in_progress', ...parts.done() });
  };
  const end = (): void => {
    const details = joinDetails(pieces);
    const signed = details.find(isSigned);
    const isShown = hasBegun || (keepsReasoning && details.some(isSealed));
    onEnd(details, isShown);
    if (!isShown) return;
    begin(SUMMARY);
    parts.end();
    finish({
      id,
      type: 'reasoning',
      status: 'completed',
      ...parts.done(),
      ...(keepsReasoning && { encrypted_content: sealReasoning(details) }),
      ...(signed && { signature: signed['signature'], format: signed['format'] ?? null }),
    });
  };
  return {
    startReasoning: start,
    reasoning(detail) {
      const last = pieces.at(-1);
      const text = textOf(detail.type === 'reasoning.summary' ? detail['summary'] : detail['text']);
      const form = !wantsSummary && isRawReasoning(detail) ? RAW : SUMMARY;
      // An item has one signature, that of its last text, and texts of one form, which stay in their order.
      const isOther = hasBegun && text !== '' && parts.form !== form;
      if (isOther || (last !== undefined && isSigned(last) && last['index'] !== detail['index'])) {
        end();
        start();
      }
      pieces.push(detail);
      if (text === '') return;
      begin(form);
      parts.write(text, detail['index']);
    },
    endReasoning: end,
  };
}

/** An item of a response's output, as it is sent. */
export type Item = Record<string, unknown> & { readonly id: string; readonly type: string };

function toTextPart(
  kind: TextKind,
  text: string | TextSpool,
  annotations: readonly object[] = [],
  logprobs: readonly unknown[] = [],
): object {
  return kind === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations, logprobs };
}

/** Joins the pieces of each block of reasoning, which streams send with one number. */
function joinDetails(pieces: readonly ReasoningDetail[]): ReasoningDetail[] {
  const joined: ReasoningDetail[] = [];
  for (const piece of pieces) {
    const known = joined.findLast(({ type, index }) => type === piece.type && index === piece['index']);
    if (known === undefined || piece.type === 'reasoning.encrypted') joined.push({ ...piece });
    else {
      for (const field of ['text', 'summary'] as const) {
        if (typeof piece[field] === 'string') known[field] = textOf(known[field]) + piece[field];
      }
      if (piece['signature']) known['signature'] = piece['signature'];
    }
  }
  return joined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const isSigned = ({ signature }: ReasoningDetail): boolean => textOf(signature) !== '';

/** Whether a provider needs more than the text to read its reasoning back. */
export const isSealed = (detail: ReasoningDetail): boolean =>
  detail.type === 'reasoning.encrypted' || isSigned(detail) || textOf(detail['id']) !== '';
