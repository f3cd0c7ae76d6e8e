import type { Usage } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';

/** One text of a request, on its way to a model. */
export interface RequestText {
  readonly text: string;
  /** Role of the message it stands in; null outside of messages. */
  readonly role: string | null;
  /** It goes on where the text before it stopped: the parts of one message are read as one. */
  readonly isContinued: boolean;
  readonly form: TextForm;
  /** Names the place in an error; only where `form` is `fixed`. */
  readonly place?: string | undefined;
}

/**
 * What may take the place of a part of a text:
 * - `text`: anything.
 * - `arguments`: JSON as text; it must stay JSON. Its characters may be escaped.
 * - `result`: JSON or prose; JSON stays JSON where that is possible.
 * - `name`: letters, digits, dots, dashes and underscores, as names of properties are.
 * - `fixed`: nothing, because the call would mean something else or be refused: names of tools, ids, words of the protocol.
 */
export type TextForm = 'text' | 'arguments' | 'result' | 'name' | 'fixed';

/** Copies a request with each of its texts replaced by the result of `change`, in a fixed order. */
export type TextMap<Request> = (request: Request, change: (text: RequestText) => string) => Request;

/**
 * Changes a text at its place. `part` is a text of form `text` that goes on from the part before it; the place names what
 * is fixed.
 */
export type Visit = (text: string, form: TextForm | 'part', place?: string) => string;

/** A text has been replaced, and what it stands in would not be valid with the replacement. */
export class UnredactableError extends Error {
  /** What cannot be replaced, as a noun. */
  readonly place: string;

  constructor(place: string) {
    super(`${place} cannot be redacted`);
    this.place = place;
  }
}

/** Visits the texts of one message, or texts outside of messages. */
export function toVisitor(change: (text: RequestText) => string, role: RequestText['role'] = null): Visit {
  let isAfterPart = false;
  return (text, form, place) => {
    const isContinued = form === 'part' && isAfterPart;
    isAfterPart = form === 'part';
    return change({ text, role, isContinued, form: form === 'part' ? 'text' : form, place });
  };
}

/** Changes every item of a list; the list itself when nothing has changed. */
export function mapList<Item>(list: Item[], change: (item: Item) => Item): Item[];
export function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[];
export function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let mapped: Item[] | undefined;
  for (const [index, item] of list.entries()) {
    const changed = change(item);
    if (changed !== item) (mapped ??= [...list])[index] = changed;
  }
  return mapped ?? list;
}

/**
 * About how many tokens a text has, not rounded, so that pieces add up to the whole. English text has about four
 * characters a token; other scripts come closer to one token a character.
 */
export function weighText(text: string): number {
  let ascii = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 128) ascii += 1;
  return ascii / 4 + (text.length - ascii) * 0.75;
}

/** Tokens that a chat format adds around each message. */
export const TOKENS_A_MESSAGE = 4;

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/**
 * Token counts for a completion whose upstream reported none, marked as estimated. Images and files are not counted.
 * `completion` is its text, or what that weighs.
 */
export function estimateUsage(messages: readonly ChatMessage[], completion: string | number): Usage {
  const prompt = messages.reduce((sum, message) => sum + TOKENS_A_MESSAGE + Math.ceil(weighText(textOf(message))), 0);
  const said = Math.ceil(typeof completion === 'number' ? completion : weighText(completion));
  return { prompt_tokens: prompt, completion_tokens: said, total_tokens: prompt + said, estimated: true };
}

/** About how many tokens a prompt has: everything that a model reads, also the tools and earlier calls; never 0. */
export function estimatePrompt({ messages, tools, response_format: format }: ChatCompletionRequest): number {
  const read = JSON.stringify([messages, tools ?? [], format ?? null], (name, value: unknown) =>
    typeof value === 'string' && value.startsWith('data:') ? '' : value,
  );
  return Math.ceil(weighText(read)) + messages.length * TOKENS_A_MESSAGE;
}
