/**
 * Reads a body to its end as UTF-8. Above `maxBytes` it stops and returns what it has, which suits error pages; whole
 * answers are limited by the transport.
 */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let total = 0;
  for await (const bytes of body) {
    total += bytes.byteLength;
    text += decoder.decode(bytes, { stream: true });
    if (total > maxBytes) return text;
  }
  return text + decoder.decode();
}
