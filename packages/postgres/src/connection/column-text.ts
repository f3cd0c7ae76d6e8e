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
