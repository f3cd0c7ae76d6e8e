import { appendAll } from '../../../foundation/append-all.ts';
import { objectsOf, type Unchecked } from '../../../foundation/parse.ts';
import type { ChatDelta } from '../../../wire/chat-chunk.ts';
import { REASONING_FORMAT } from '../request/to-reasoning-items.ts';

/** Converts the output items of one completion to deltas. Holds what has been read of each. */
export interface OutputItemReader {
  /** An item has begun. */
  start(place: number, item: Unchecked): void;
  /** A piece of an item: the event's type, and the event. */
  push(place: number, type: string, event: Unchecked): ChatDelta | undefined;
  /** The whole item: what no piece has brought yet, and what only the whole has. */
  finish(place: number, item: Unchecked): ChatDelta | undefined;
  isFinished(place: number): boolean;
  toolCallCount(): number;
  searchCount(): number;
}

interface OpenItem {
  id: string | null;
  /** Length of each text that has been read, by its kind and its number in the item. */
  readonly read: Map<string, number>;
  /** By the same, where each begins in the completion: the number of a detail, or a place in the text. */
  readonly begins: Map<string, number>;
  call: { readonly index: number } | null;
  isFinished: boolean;
}

type Kind = 'text' | 'refusal' | 'summary' | 'reasoning';

interface Piece {
  readonly kind: Kind;
  readonly number: number;
  readonly text: string;
}

/** `makeId` makes the id of a call without one, from its number in the completion. */
export function createOutputItemReader(makeId: (number: number) => string): OutputItemReader {
  return new ItemReader(makeId);
}

/** A class, because there is one per call (docs/decisions/0016). */
class ItemReader implements OutputItemReader {
  private readonly makeId: (number: number) => string;
  private readonly items = new Map<number, OpenItem>();
  private calls = 0;
  private searches = 0;
  private detailCount = 0;
  private textLength = 0;
  /** The item whose text came last. */
  private speaking: OpenItem | null = null;
  private hasReasoned = false;

  constructor(makeId: (number: number) => string) {
    this.makeId = makeId;
  }

  toolCallCount = (): number => this.calls;
  searchCount = (): number => this.searches;
  isFinished = (place: number): boolean => this.items.get(place)?.isFinished === true;

  start(place: number, item: Unchecked): void {
    const open = this.itemAt(place);
    if (typeof item['id'] === 'string') open.id = item['id'];
    if (isCall(item)) this.callAt.set(open, item);
  }

  push(place: number, type: string, event: Unchecked): ChatDelta | undefined {
    const item = this.itemAt(place);
    const text = textOf(event['delta']);
    switch (type) {
      case 'response.output_text.delta':
        return this.add(item, { kind: 'text', number: numberOf(event['content_index']), text });
      case 'response.refusal.delta':
        return this.add(item, { kind: 'refusal', number: numberOf(event['content_index']), text });
      case 'response.reasoning_summary_text.delta':
        return this.add(item, { kind: 'summary', number: numberOf(event['summary_index']), text });
      case 'response.reasoning_text.delta':
        return this.add(item, { kind: 'reasoning', number: numberOf(event['content_index']), text });
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return text === '' ? undefined : this.addArguments(item, text);
      default:
        return undefined;
    }
  }

  finish(place: number, whole: Unchecked): ChatDelta | undefined {
    const item = this.itemAt(place);
    if (item.isFinished) return undefined;
    item.isFinished = true;
    if (typeof whole['id'] === 'string') item.id = whole['id'];
    if (isCall(whole)) {
      this.callAt.set(item, whole);
      return this.finishCall(item, whole);
    }
    switch (whole['type']) {
      case 'message':
        return this.finishMessage(item, whole);
      case 'reasoning':
        return this.finishReasoning(item, whole);
      case 'image_generation_call':
        return toImages(whole);
      case 'web_search_call':
        this.searches += 1;
        return undefined;
      default:
        // What other tools of upstream's own did is no part of a chat completion.
        return undefined;
    }
  }

  /** The calls as they were announced, for the name and the id. */
  private readonly callAt = new Map<OpenItem, Unchecked>();

  private itemAt(place: number): OpenItem {
    const known = this.items.get(place);
    if (known !== undefined) return known;
    const item: OpenItem = { id: null, read: new Map(), begins: new Map(), call: null, isFinished: false };
    this.items.set(place, item);
    return item;
  }

  private add(item: OpenItem, { kind, number, text }: Piece): ChatDelta | undefined {
    if (text === '') return undefined;
    const key = `${kind} ${number}`;
    const before = item.read.get(key) ?? 0;
    item.read.set(key, before + text.length);
    if (kind === 'refusal') return { refusal: text };
    if (kind === 'text') {
      const said = this.withBreak(item, text);
      if (before === 0) item.begins.set(key, this.textLength - text.length);
      return { content: said };
    }
    return this.toReasoning(item, { key, kind, text, isNew: before === 0 });
  }

  /** A message after another one is a paragraph of its own. */
  private withBreak(item: OpenItem, text: string): string {
    const isNext = this.speaking !== null && this.speaking !== item && this.textLength > 0;
    this.speaking = item;
    const said = isNext ? `\n\n${text}` : text;
    this.textLength += said.length;
    return said;
  }

  private toReasoning(
    item: OpenItem,
    { key, kind, text, isNew }: { key: string; kind: Kind; text: string; isNew: boolean },
  ): ChatDelta {
    const index = item.begins.get(key) ?? this.detailCount;
    if (isNew) {
      item.begins.set(key, index);
      this.detailCount += 1;
    }
    const isNext = isNew && this.hasReasoned;
    this.hasReasoned = true;
    const about = { format: REASONING_FORMAT, index, ...(item.id !== null && { id: item.id }) };
    const detail =
      kind === 'summary'
        ? { type: 'reasoning.summary', summary: text, ...about }
        : { type: 'reasoning.text', text, ...about };
    return { reasoning: isNext ? `\n\n${text}` : text, reasoning_details: [detail] };
  }

  private addArguments(item: OpenItem, text: string): ChatDelta {
    const announced = this.callAt.get(item) ?? {};
    const isCustom = announced['type'] === 'custom_tool_call';
    item.read.set('arguments 0', (item.read.get('arguments 0') ?? 0) + text.length);
    // Raw text becomes the one member of an object, as functions have their arguments.
    const escaped = isCustom ? JSON.stringify(text).slice(1, -1) : text;
    if (item.call !== null) return { tool_calls: [{ index: item.call.index, function: { arguments: escaped } }] };
    item.call = { index: this.calls };
    this.calls += 1;
    const { index } = item.call;
    const id = textOf(announced['call_id']) || item.id || this.makeId(index);
    const name = textOf(announced['name']);
    const begun = isCustom ? `{"input":"${escaped}` : escaped;
    return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: begun } }] };
  }

  private finishCall(item: OpenItem, whole: Unchecked): ChatDelta | undefined {
    const isCustom = whole['type'] === 'custom_tool_call';
    const full = isCustom ? textOf(whole['input']) : textOf(whole['arguments']).trim() || '{}';
    const rest = full.slice(item.read.get('arguments 0') ?? 0);
    const delta: ChatDelta = {};
    if (rest !== '' || item.call === null) addDelta(delta, this.addArguments(item, rest));
    if (isCustom && item.call !== null) {
      addDelta(delta, { tool_calls: [{ index: item.call.index, function: { arguments: '"}' } }] });
    }
    return toDelta(delta);
  }

  private finishMessage(item: OpenItem, whole: Unchecked): ChatDelta | undefined {
    const delta: ChatDelta = {};
    for (const [number, part] of objectsOf(whole['content']).entries()) {
      const isRefusal = part['type'] === 'refusal';
      if (!isRefusal && part['type'] !== 'output_text') continue;
      const text = textOf(isRefusal ? part['refusal'] : part['text']);
      addDelta(delta, this.addRest(item, { kind: isRefusal ? 'refusal' : 'text', number, text }));
      const annotations = toAnnotations(part['annotations'], item.begins.get(`text ${number}`) ?? 0);
      if (annotations.length > 0) appendAll((delta.annotations ??= []), annotations);
    }
    return toDelta(delta);
  }

  private finishReasoning(item: OpenItem, whole: Unchecked): ChatDelta | undefined {
    const delta: ChatDelta = {};
    const { summary, content, encrypted_content: data } = whole;
    for (const [number, { text }] of objectsOf(summary).entries()) {
      addDelta(delta, this.addRest(item, { kind: 'summary', number, text: textOf(text) }));
    }
    for (const [number, { text }] of objectsOf(content).entries()) {
      addDelta(delta, this.addRest(item, { kind: 'reasoning', number, text: textOf(text) }));
    }
    if (typeof data === 'string' && data !== '') {
      const index = this.detailCount;
      this.detailCount += 1;
      const about = { format: REASONING_FORMAT, index, ...(item.id !== null && { id: item.id }) };
      addDelta(delta, { reasoning_details: [{ type: 'reasoning.encrypted', data, ...about }] });
    }
    return toDelta(delta);
  }

  private addRest(item: OpenItem, { kind, number, text }: Piece): ChatDelta | undefined {
    return this.add(item, { kind, number, text: text.slice(item.read.get(`${kind} ${number}`) ?? 0) });
  }
}

const isCall = ({ type }: Unchecked): boolean => type === 'function_call' || type === 'custom_tool_call';

function toDelta(delta: ChatDelta): ChatDelta | undefined {
  for (const _ in delta) return delta;
  return undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Adds one delta to another, so that pieces of one call become one. */
export function addDelta(sum: ChatDelta, delta: ChatDelta | undefined): void {
  if (delta === undefined) return;
  if (delta.content) sum.content = (sum.content ?? '') + delta.content;
  if (delta.refusal) sum.refusal = (sum.refusal ?? '') + delta.refusal;
  if (delta.reasoning) sum.reasoning = (sum.reasoning ?? '') + delta.reasoning;
  if (delta.reasoning_details) appendAll((sum.reasoning_details ??= []), delta.reasoning_details);
  for (const call of delta.tool_calls ?? []) {
    const known = sum.tool_calls?.find(({ index }) => index === call.index);
    if (known === undefined) (sum.tool_calls ??= []).push(call);
    else known.function.arguments += call.function.arguments;
  }
  if (delta.annotations) appendAll((sum.annotations ??= []), delta.annotations);
  if (delta.images) appendAll((sum.images ??= []), delta.images);
}

/** Citations of pages; those of files that upstream keeps have no form in a chat completion. */
function toAnnotations(value: unknown, startsAt: number): object[] {
  return objectsOf(value).flatMap(({ type, url, title, start_index: start, end_index: end, content }) => {
    if (type !== 'url_citation' || typeof url !== 'string') return [];
    return [
      {
        type: 'url_citation',
        url_citation: {
          url,
          title: textOf(title),
          ...(typeof content === 'string' && { content }),
          start_index: startsAt + numberOf(start),
          end_index: startsAt + numberOf(end),
        },
      },
    ];
  });
}

/** A picture that upstream has drawn. */
function toImages({ result, output_format: format }: Unchecked): ChatDelta | undefined {
  if (typeof result !== 'string' || result === '') return undefined;
  const url = `data:image/${typeof format === 'string' ? format : 'png'};base64,${result}`;
  return { images: [{ type: 'image_url', image_url: { url } }] };
}
