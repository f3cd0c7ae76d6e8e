import { createDice } from '../gateways/cached-chats.ts';

/**
 * A session as a coding agent sent it, without what it says: long texts are their numbers and lengths, so that equal
 * ones are equal and the sizes are true. What all requests have in common is written once.
 */
export interface RecordedSession {
  /** `/api/v1/messages` */
  readonly path: string;
  /** Tools, texts of the system, messages and items, each once. */
  readonly parts: readonly unknown[];
  /** In the place of a list of those: their indices. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

type Body = Readonly<Record<string, unknown>>;

const LISTS: ReadonlySet<string> = new Set(['tools', 'system', 'messages', 'input']);
/** Shorter texts are names, types and ids, which are the form of a request. */
const LONG_TEXT = 64;
const HIDDEN = /^~(\d+):(\d+)$/;

/** Records requests to one path, in the order in which they were sent. */
export function recordSession(path: string, bodies: readonly Body[]): RecordedSession {
  const texts = new Map<string, string>();
  const parts = new Map<string, number>();
  const hideText = (text: string): string => {
    if (text.length < LONG_TEXT || isJson(text)) return text;
    const hidden = texts.get(text) ?? `~${texts.size}:${text.length}`;
    texts.set(text, hidden);
    return hidden;
  };
  const toIndex = (part: unknown): number => {
    const json = JSON.stringify(mapTexts(part, hideText));
    const index = parts.get(json) ?? parts.size;
    parts.set(json, index);
    return index;
  };
  const requests = bodies.map((body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        LISTS.has(name) && Array.isArray(value) ? value.map(toIndex) : mapTexts(value, hideText),
      ]),
    ),
  );
  return { path, parts: [...parts.keys()].map((json) => JSON.parse(json) as unknown), requests };
}

/** Arguments of tools have to stay JSON. */
function isJson(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

const WORDS =
  'const value return import from test expect file line error build module index the of and to read write open each'.split(
    ' ',
  );

/**
 * The requests of a session with made-up words of the same lengths. Another `number` is another conversation with the same
 * tools and instructions.
 */
export function playSession({ parts, requests }: RecordedSession, number = 0): Body[] {
  const say = (part: unknown): unknown => {
    const own = isOfProgram(part) ? 0 : number;
    return mapTexts(part, (text) => {
      const [, seed = '', length = ''] = HIDDEN.exec(text) ?? [];
      return seed === '' ? text : toWords(Number(seed) + own * 100_003, Number(length));
    });
  };
  const said = parts.map(say);
  return requests.map((request) =>
    Object.fromEntries(
      Object.entries(request).map(([name, value]) => [
        name,
        LISTS.has(name) && Array.isArray(value) ? value.map((index: number) => said[index]) : say(value),
      ]),
    ),
  );
}

/** Tools and instructions are the same for all that use a program; only a conversation has these roles. */
const isOfProgram = (part: unknown): boolean =>
  !/"(role":"(user|assistant)|type":"(reasoning|function_call|function_call_output))"/.test(JSON.stringify(part));

function toWords(seed: number, length: number): string {
  const dice = createDice(seed + 1);
  let text = '';
  while (text.length < length) text += `${WORDS[dice(WORDS.length)]}${dice(8) === 0 ? dice(1000) : ''} `;
  return text.slice(0, length);
}
