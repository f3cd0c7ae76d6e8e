const utf8 = new TextDecoder();

/**
 * Reads a body to its end as UTF-8. Above `maxBytes` it stops and returns what it has, which suits error pages; whole
 * answers are limited by the transport.
 */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const bytes of body) {
    total += bytes.byteLength;
    pieces.push(bytes);
    if (total > maxBytes) break;
  }
  // Most answers come in one piece, and one decoder for all is cheaper than one for each.
  if (pieces.length === 1) return utf8.decode(pieces[0]);
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return utf8.decode(whole);
}
