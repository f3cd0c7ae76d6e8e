import type { EndedTexts } from '../../chat/format.ts';
import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { isTextSpool } from '../../foundation/text-spool.ts';
import { openReasoning, sealReasoning } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail, ToolCall } from '../../wire/chat-request.ts';
import type { KeptText } from '../../wire/kept-response.ts';
import { isOwnItemId } from '../../wire/response-items.ts';
import { isSealed, type KnownReasoning } from './item-writer.ts';
import { toCustomInput } from './tool-names.ts';

/**
 * The form in which the items of a response are stored beside the texts of its content: no text is stored twice, and
 * reasoning keeps what its provider needs to read it back, whether its caller asked for that or not.
 */

/** In characters. A place takes about as many. */
const SHORT_TEXT = 48;

/** The member of an item of reasoning that holds its details, and of one that is stored for them alone. */
const DETAILS = '$details';
const HIDDEN = '$hidden';

/** What is known of a completion when it has ended. */
export interface EndedItems {
  readonly items: readonly Unchecked[];
  /** In order. */
  readonly reasonings: readonly KnownReasoning[];
  /** The caller asked for what is needed to send reasoning back. */
  readonly keepsReasoning: boolean;
}

/** Converts the items of a completion to the form in which they are stored. */
export function toKeptItems({ items, reasonings, keepsReasoning }: EndedItems, texts: EndedTexts): unknown[] {
  const put = createPlaces(items, texts, keepsReasoning);
  const kept: unknown[] = [];
  const rest = [...reasonings];
  const takeAt = (place: number): KnownReasoning | undefined => (rest[0]?.place === place ? rest.shift() : undefined);
  const keepHidden = (place: number): ReasoningDetail[] | undefined => {
    for (let next = takeAt(place); next !== undefined; next = takeAt(place)) {
      const details = put.details(next.details);
      if (next.isShown) return details;
      if (details.length > 0) kept.push({ type: 'reasoning', [HIDDEN]: true, [DETAILS]: details });
    }
    return undefined;
  };
  for (const [place, item] of items.entries()) {
    const details = keepHidden(place);
    kept.push(details === undefined ? put.item(item) : { ...put.item(withoutSeal(item)), [DETAILS]: details });
  }
  keepHidden(items.length);
  return kept;
}

/** What an item says again of what its details say. */
function withoutSeal({
  encrypted_content: _sealed,
  signature: _signature,
  format: _format,
  ...item
}: Unchecked): Unchecked {
  return item;
}

interface Places {
  item(item: Unchecked): Unchecked;
  /** The details of reasoning that is more than its text; else none. */
  details(details: readonly ReasoningDetail[]): ReasoningDetail[];
}

/** Finds the texts of items in those of the content, where they follow one another in the same order. */
function createPlaces(items: readonly Unchecked[], texts: EndedTexts, keepsReasoning: boolean): Places {
  const { toolCalls, text, textLength, reasoning: thought, reasoningLength } = texts;
  /** A text of which a part was put aside cannot be searched; it is that of the only item that there is. */
  const isOnly = (type: string): boolean => {
    const [first, ...others] = items.filter((item) => item['type'] === type);
    const parts = ['content', 'summary'].flatMap((name) => first?.[name] ?? []);
    return others.length === 0 && parts.length === 1;
  };
  const completion = createCursor('completion', text, textLength, isOnly('message'));
  const reasoning = createCursor('reasoning', thought, reasoningLength, isOnly('reasoning'));
  const ofDetails = createCursor('reasoning', thought, reasoningLength, false);

  const toParts = (parts: unknown, find: Cursor): unknown =>
    Array.isArray(parts)
      ? parts.map((part: unknown) => {
          if (!isRecord(part)) return part;
          const name = part['type'] === 'refusal' ? 'refusal' : 'text';
          return name in part ? { ...part, [name]: find(part[name]) } : part;
        })
      : parts;
  const toMade = (item: Unchecked, name: 'arguments' | 'input'): unknown => {
    const call = toolCalls.findIndex(({ id }) => id === item['call_id']);
    const made = toolCalls[call]?.function.arguments ?? '';
    const said = name === 'input' ? toCustomInput(made) : made;
    const isSame = said.length > SHORT_TEXT && said === item[name];
    return isSame ? ({ $text: name, call } satisfies KeptText) : item[name];
  };
  return {
    item(item) {
      switch (item['type']) {
        case 'message':
          return { ...item, content: toParts(item['content'], completion) };
        case 'reasoning': {
          const { summary, content } = item;
          return {
            ...item,
            ...(summary !== undefined && { summary: toParts(summary, reasoning) }),
            ...(content !== undefined && { content: toParts(content, reasoning) }),
          };
        }
        case 'function_call':
          return { ...item, arguments: toMade(item, 'arguments') };
        case 'custom_tool_call':
          return { ...item, input: toMade(item, 'input') };
        default:
          return item;
      }
    },
    details: (details) =>
      keepsReasoning || details.some(isSealed)
        ? details.map((detail) => {
            const name = detail.type === 'reasoning.summary' ? 'summary' : 'text';
            return typeof detail[name] === 'string' ? { ...detail, [name]: ofDetails(detail[name]) } : detail;
          })
        : [],
  };
}

type Cursor = (text: unknown) => unknown;

/** `isAll`: there is one text alone, which is all of it. */
function createCursor($text: 'completion' | 'reasoning', whole: string, length: number, isAll: boolean): Cursor {
  let cursor = 0;
  return (text) => {
    if (whole.length < length) {
      if (isAll) return { $text, at: 0, length } satisfies KeptText;
      return isTextSpool(text) ? [...text.read()].join('') : text;
    }
    const said = isTextSpool(text) ? [...text.read()].join('') : text;
    if (typeof said !== 'string' || said.length < SHORT_TEXT) return said;
    const at = whole.indexOf(said, cursor);
    if (at === -1) return said;
    cursor = at + said.length;
    return { $text, at, length: said.length } satisfies KeptText;
  };
}

/** The texts of a stored content. */
export interface KeptTexts {
  readonly completion: string | null;
  readonly reasoning: string | null;
  readonly tool_calls?: readonly ToolCall[] | undefined;
}

/** Puts the texts of the content into stored items. */
export function fromKeptItems(kept: readonly unknown[], texts: KeptTexts): Unchecked[] {
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read);
    if (!isRecord(value)) return value;
    if (typeof value['$text'] === 'string') return readText(value as unknown as KeptText, texts);
    return value;
  };
  const readMembers = (value: unknown, names: readonly string[]): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, own]) => [name, names.includes(name) ? read(own) : own]))
      : value;
  const readParts = (parts: unknown): unknown =>
    Array.isArray(parts) ? parts.map((part) => readMembers(part, ['text', 'refusal', 'summary'])) : parts;
  return kept.filter(isRecord).map((item) => {
    const whole: Record<string, unknown> = { ...(readMembers(item, ['arguments', 'input']) as Unchecked) };
    if (item['type'] !== 'message' && item['type'] !== 'reasoning') return whole;
    for (const name of ['content', 'summary', DETAILS]) if (name in whole) whole[name] = readParts(whole[name]);
    return whole;
  });
}

function readText(place: KeptText, { completion, reasoning, tool_calls: calls = [] }: KeptTexts): string {
  switch (place.$text) {
    case 'completion':
      return (completion ?? '').slice(place.at, place.at + place.length);
    case 'reasoning':
      return (reasoning ?? '').slice(place.at, place.at + place.length);
    case 'arguments':
      return calls[place.call]?.function.arguments ?? '';
    case 'input':
      return toCustomInput(calls[place.call]?.function.arguments ?? '');
  }
}

/**
 * Items that have been read, as their caller receives them. `withSeal`: with what is needed to send reasoning back;
 * null for as much of it as they have from an upstream of this form that nobody asked.
 */
export function toShownItems(items: readonly Unchecked[], withSeal: boolean | null): Unchecked[] {
  return items
    .filter((item) => item[HIDDEN] !== true)
    .map(({ [DETAILS]: given, ...item }) => {
      const details = readDetails(given);
      if (details === null) return withSeal === false ? withoutSealed(item) : item;
      const signed = details.find(({ signature }) => typeof signature === 'string' && signature !== '');
      return {
        ...item,
        ...(withSeal === true && details.length > 0 && { encrypted_content: sealReasoning(details) }),
        ...(signed && { signature: signed['signature'], format: signed['format'] ?? null }),
      };
    });
}

/** An item as a caller receives it who did not ask for what is needed to send reasoning back. */
export function withoutSealed({ encrypted_content: _sealed, ...item }: Unchecked): Unchecked {
  return item;
}

/**
 * Items that have been read, as a request sends them back: reasoning with all that its provider needs. Reasoning behind
 * the id of an upstream that keeps nothing is left out, and then the other items go without the ids that they have there.
 */
export function toHistoryItems(items: readonly Unchecked[]): Unchecked[] {
  const isLost = (item: Unchecked): boolean =>
    item['type'] === 'reasoning' &&
    item[DETAILS] === undefined &&
    !isOwnItemId(item['id']) &&
    typeof item['encrypted_content'] !== 'string' &&
    !(Array.isArray(item['content']) && item['content'].length > 0);
  const isIncomplete = items.some(isLost);
  return items
    .filter((item) => !isLost(item))
    .map(({ [DETAILS]: given, [HIDDEN]: isHidden, ...item }) => {
      const details = readDetails(given);
      if (details !== null && details.length > 0) {
        return { ...item, ...(isHidden === true && { summary: [] }), encrypted_content: sealReasoning(details) };
      }
      if (!isIncomplete || item['type'] === 'reasoning') return item;
      const { id: _id, ...others } = item;
      return others;
    });
}

function readDetails(given: unknown): ReasoningDetail[] | null {
  if (!Array.isArray(given)) return null;
  return openReasoning(sealReasoning(given as ReasoningDetail[]));
}
