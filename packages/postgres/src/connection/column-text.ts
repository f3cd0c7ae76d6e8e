import { createHash } from 'node:crypto';

const SPECIAL = /[\0\\]|\p{Surrogate}/u;
const UNFIT = /[\0\p{Surrogate}]/u;
const HALF_PAIRS = /\p{Surrogate}/gu;

/**
 * An id as a column can hold it. PostgreSQL refuses NUL, and half a surrogate pair would become another character:
 * texts with either are escaped, and those with a backslash too, so that no two ids become one.
 */
export function toColumnId(id: string): string {
  return SPECIAL.test(id) ? JSON.stringify(id).slice(1, -1) : id;
}

/** A text for people as a column can hold it: without NUL, and with U+FFFD for half a surrogate pair. */
export function toColumnText(text: string): string {
  return UNFIT.test(text) ? text.replaceAll('\0', '').replace(HALF_PAIRS, '\uFFFD') : text;
}

/** The id of a column that was made by `toColumnId`. */
export function fromColumnId(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Texts of this length fit an index together with others of a row, in any language. */
const MAX_FACT_BYTES = 400;
const KEPT_FACT_CHARS = 100;

/**
 * A fact as a column can hold it, and as queries ask for it: without NUL, which PostgreSQL refuses, and short enough for
 * an index. What is cut keeps a hash, so that no two texts become one.
 */
export function toFactText(text: string): string {
  const plain = toColumnText(text);
  if (plain.length <= MAX_FACT_BYTES / 4 || Buffer.byteLength(plain) <= MAX_FACT_BYTES) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return `${toColumnText(plain.slice(0, KEPT_FACT_CHARS))}…${hash}`;
}
