const utf8 = new TextDecoder();
/** No error body worth reading is longer; a proxy's page may be. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Reads a body to its end as UTF-8. Above `maxBytes` it stops and returns the text so far, which is enough for error
 * pages; the transport limits whole responses.
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<string> {
  return toText(await readBytes(body, maxBytes));
}

/** Reads the body of an error up to a limit; empty when it broke off. */
export async function readErrorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return toText(await readErrorBytes(body));
}

export function readErrorBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return readBytes(body, MAX_ERROR_BYTES).catch(() => new Uint8Array());
}

/** UTF-8 as text. One decoder for all is cheaper than one for each. */
export function toText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** The same as `readText`, in bytes. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const bytes of body) {
    total += bytes.byteLength;
    pieces.push(bytes);
    if (total > maxBytes) break;
  }
  // Most bodies arrive in one piece.
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
