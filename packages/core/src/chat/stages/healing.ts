import type { Pipeline } from '../../calls/model-call.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { Begin, Stage } from './stage.ts';

/** Repairs the JSON of completions, where the request requires it (wire.md 9.1). */
export const healingStage: Stage = {
  plugins: ['response-healing'],
  plan: ({ call, pipeline }) => (isJsonWhole(call.request) ? { begin: (next) => heal(next, pipeline) } : null),
};

/** Whether the request is for an unstreamed completion in JSON. */
function isJsonWhole({ stream, response_format: format }: ChatCompletionRequest): boolean {
  return stream !== true && (format?.type === 'json_object' || format?.type === 'json_schema');
}

/** Repairs the JSON of a completion that ended by itself; one that was cut off remains unchanged. */
function heal(next: Begin, pipeline: Pipeline): Begin {
  return async (turn) => {
    const completion = await next(turn);
    let isHealed = false;
    const first = completion.first.map((chunk): ChatChunk => ({
      ...chunk,
      choices: chunk.choices.map((choice) => {
        const { content } = choice.delta;
        const healed = choice.finish_reason === 'stop' && content ? healJson(content) : null;
        if (healed === null) return choice;
        isHealed = true;
        return { ...choice, delta: { ...choice.delta, content: healed } };
      }),
    }));
    if (isHealed) pipeline.add({ type: 'response_healing', name: 'response-healing', summary: 'JSON was mended' });
    return { ...completion, first };
  };
}

/**
 * Repairs text that should be one JSON document; null when it is one, or holds none. Removes fences and prose around
 * it, fixes quotes, commas, brackets, literals and strings, and invents nothing: a key without a value is dropped.
 */
export function healJson(text: string): string | null {
  if (isJson(text)) return null;
  const start = text.search(/[[{]/);
  if (start === -1) return null;
  const healed = createReader(text, start).value();
  return healed !== null && isJson(healed) ? healed : null;
}

const LITERALS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['undefined', 'null'],
  ['NaN', 'null'],
]);

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const BARE_WORD = /[^\s"'`,:{}[\]]+|`+/y;
const BLANK = /(?:\s|\/\/[^\n]*)*/y;
const MAX_DEPTH = 64;

/** Reads a document leniently and writes it strictly. Numbers keep their digits. */
function createReader(source: string, start: number): { value: () => string | null } {
  let at = start;
  let depth = 0;

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const peek = (): string => {
    match(BLANK);
    return source[at] ?? '';
  };

  /** Null where there is none. */
  const value = (): string | null => {
    const next = peek();
    if (next === '{') return nested(object);
    if (next === '[') return nested(list);
    if (next === '"' || next === "'") return string(next);
    const number = match(NUMBER);
    if (number !== '') return toJsonNumber(number);
    const word = match(BARE_WORD);
    return word === '' ? null : (LITERALS.get(word) ?? JSON.stringify(word));
  };

  const nested = (read: () => string): string | null => {
    if (depth >= MAX_DEPTH) return null;
    depth += 1;
    at += 1;
    const text = read();
    depth -= 1;
    return text;
  };

  const object = (): string => {
    const members: string[] = [];
    for (let next = peek(); next !== '' && next !== '}' && next !== ']'; next = peek()) {
      if (next === ',') {
        at += 1;
        continue;
      }
      const key = next === '"' || next === "'" ? string(next) : JSON.stringify(match(BARE_WORD));
      if (peek() !== ':') {
        // No member at all. An invalid key must not end the loop.
        if (key === '""') at += 1;
        continue;
      }
      at += 1;
      const member = value();
      if (member !== null) members.push(`${key}:${member}`);
    }
    if (source[at] === '}') at += 1;
    return `{${members.join()}}`;
  };

  const list = (): string => {
    const items: string[] = [];
    for (let next = peek(); next !== '' && next !== ']' && next !== '}'; next = peek()) {
      if (next === ',') {
        at += 1;
        continue;
      }
      const item = value();
      if (item === null) at += 1;
      else items.push(item);
    }
    if (source[at] === ']') at += 1;
    return `[${items.join()}]`;
  };

  const string = (quote: string): string => {
    let text = '';
    at += 1;
    while (at < source.length && source[at] !== quote) {
      if (source[at] === '\\') {
        text += unescape(source.slice(at, at + 6));
        at += /^\\u[\da-f]{4}/i.test(source.slice(at, at + 6)) ? 6 : 2;
      } else {
        text += source[at];
        at += 1;
      }
    }
    at += 1;
    return JSON.stringify(text);
  };

  return { value };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescape(text: string): string {
  const code = /^\\u([\da-f]{4})/i.exec(text)?.[1];
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  const letter = text[1] ?? '';
  return ESCAPES[letter] ?? letter;
}

/** JSON has no plus sign, and a digit on each side of the point. */
function toJsonNumber(text: string): string {
  const number = text
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|e)/i, '')
    .replace(/^(-?)0+(?=\d)/, '$1');
  return isJson(number) ? number : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
