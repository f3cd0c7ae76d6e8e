/** Decodes base64, in the plain alphabet or that of URLs, with or without padding. Throws `DOMException` for other text. */
export function decodeBase64(text: string): Uint8Array {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

const encoder = new TextEncoder();
/** A multiple of three, so that pieces of it can stand one after the other. */
const STEP = 24 * 1024;

/** Encodes bytes that come in pieces as one text of base64, itself in pieces. */
export function* toBase64Pieces(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let left = new Uint8Array(0);
  for (const piece of pieces) {
    let at = 0;
    if (left.length > 0) {
      const missing = Math.min(3 - left.length, piece.length);
      left = new Uint8Array([...left, ...piece.subarray(0, missing)]);
      at = missing;
      if (left.length < 3) continue;
      yield encode(left);
      left = new Uint8Array(0);
    }
    const end = piece.length - ((piece.length - at) % 3);
    for (; at < end; at += STEP) yield encode(piece.subarray(at, Math.min(at + STEP, end)));
    left = piece.slice(end);
  }
  if (left.length > 0) yield encode(left);
}

function encode(bytes: Uint8Array): Uint8Array {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return encoder.encode(btoa(binary));
}
