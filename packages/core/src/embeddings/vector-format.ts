type Vector = readonly number[] | string;

/**
 * Converts a vector to the requested format. Clients decode base64 as little-endian 32-bit floats without a check, so a
 * list of numbers in its place, or other characters, would become a short and wrong vector. Throws where it is no base64.
 */
export function toFormat(vector: Vector, format: 'float' | 'base64'): readonly number[] | string {
  if (format === 'base64') return typeof vector === 'string' ? checkBase64(vector) : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : vector;
}

const BYTES = 4;
/** Far fewer than the arguments that a function may have. */
const BYTES_A_PIECE = 8192;

function checkBase64(text: string): string {
  atob(text);
  return text;
}

function toBase64(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (let index = 0; index < vector.length; index += 1) view.setFloat32(index * BYTES, vector[index] as number, true);
  let text = '';
  for (let at = 0; at < view.byteLength; at += BYTES_A_PIECE) {
    const piece = new Uint8Array(view.buffer, at, Math.min(BYTES_A_PIECE, view.byteLength - at));
    text += String.fromCharCode.apply(null, piece as unknown as number[]);
  }
  return btoa(text);
}

function fromBase64(text: string): number[] {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let index = 0; index < decoded.length; index += 1) bytes[index] = decoded.charCodeAt(index);
  const view = new DataView(bytes.buffer);
  const vector = Array.from<number>({ length: Math.floor(bytes.length / BYTES) });
  for (let index = 0; index < vector.length; index += 1) vector[index] = view.getFloat32(index * BYTES, true);
  return vector;
}
