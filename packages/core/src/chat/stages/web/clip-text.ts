/** A text of at most this many characters, and not half of one at its end. */
export function clipText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
}
