const encoder = new TextEncoder();

/** Texts from this length on, which are nearly always media in base64, are written as they are. */
const LONG_TEXT = 256 * 1024;
/** What JSON would escape, and what takes more than a byte. */
const NOT_PLAIN = /[^ !#-[\]-~]/;
/** A message, its parts, one of them, its media and the data of that are the deepest. */
const MAX_DEPTH = 6;

/**
 * Writes the body of a call as JSON: as bytes where its messages hold long media, otherwise as text. `JSON.stringify` looks
 * for escapes in 20 MB of audio for 300 ms, during which no other call goes on; a regular expression needs a sixth of that.
 */
export function toJsonBody(body: Readonly<Record<string, unknown>>): string | Uint8Array {
  const { messages, contents, input } = body;
  if (!holdsLongText(messages ?? contents ?? input, 0)) return JSON.stringify(body);
  // No text of the body can hold it by chance or by intent.
  const mark = crypto.randomUUID();
  const texts: string[] = [];
  const json = JSON.stringify(body, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length < LONG_TEXT || NOT_PLAIN.test(value)) return value;
    texts.push(value);
    return mark;
  });
  return texts.length === 0 ? json : join(json.split(mark), texts);
}

function holdsLongText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length >= LONG_TEXT;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((item) => holdsLongText(item, depth + 1));
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (holdsLongText(members[name], depth + 1)) return true;
  return false;
}

/** Puts a text between each piece and the next. Each of its characters is a byte. */
function join(pieces: readonly string[], texts: readonly string[]): Uint8Array {
  const between = pieces.map((piece) => encoder.encode(piece));
  const length = [...between, ...texts].reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const [index, piece] of between.entries()) {
    bytes.set(piece, at);
    at += piece.length;
    const text = texts[index] ?? '';
    encoder.encodeInto(text, bytes.subarray(at));
    at += text.length;
  }
  return bytes;
}
