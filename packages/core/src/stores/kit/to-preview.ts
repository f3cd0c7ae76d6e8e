import type { GenerationContent } from '../../wire/generations/generation.ts';

/** Characters of a preview. */
const MAX_LENGTH = 120;
/** Limit of the text that is looked at, because white space in it may be of any length. */
const MAX_LOOKED_AT = 1000;

/** The beginning of what the user said last, in one line, for lists; null where the user said nothing. */
export function toPreview({ input }: Pick<GenerationContent, 'input'>): string | null {
  const text = 'prompt' in input ? input.prompt : textOf(lastOfUser(input.messages));
  const line = text
    .slice(0, MAX_LOOKED_AT)
    .replace(/[\p{Cc}\p{Z}\u2028\u2029]+/gu, ' ')
    .trim();
  if (line === '') return null;
  // By code points, so that no character is cut in two.
  const characters = Array.from(line);
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : line;
}

function lastOfUser(messages: readonly unknown[]): unknown {
  const isOfUser = (message: unknown): boolean => isObject(message) && message['role'] === 'user';
  const last = messages.findLast(isOfUser);
  return isObject(last) ? last['content'] : undefined;
}

/** The text of a message's content; of one without text, the kinds of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.filter(isObject);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text.slice(0, MAX_LOOKED_AT)] : []));
  return texts.length > 0 ? texts.join(' ') : parts.map(({ type }) => `[${String(type)}]`).join(' ');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
