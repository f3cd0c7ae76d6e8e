type Vector = readonly number[] | string;

/**
 * Converts a vector to the requested format. Clients decode base64 as little-endian 32-bit floats without a check, so a
 * list of numbers in its place would become a short and wrong vector.
 */
export function toFormat(vector: Vector, format: 'float' | 'base64'): number[] | string {
  if (format === 'base64') return typeof vector === 'string' ? vector : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : [...vector];
}

const BYTES = 4;

function toBase64(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (const [index, value] of vector.entries()) view.setFloat32(index * BYTES, value, true);
  let text = '';
  for (const byte of new Uint8Array(view.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

function fromBase64(text: string): number[] {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, index) => view.getFloat32(index * BYTES, true));
}
