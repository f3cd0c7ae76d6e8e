/**
 * Escapes what is not ASCII in code without comments, where it is in literals alone: V8 decodes a text of one byte a
 * character faster, and keeps it in half the memory.
 */
export function toAscii(code) {
  const [unsafe] = /(?:\\|String\.raw`[^`]*)[^\0-\x7f].{0,20}/.exec(code) ?? [];
  if (unsafe !== undefined) throw new Error(`A character in this place cannot be written in ASCII: ${unsafe}`);
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
