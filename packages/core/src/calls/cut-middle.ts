/** Takes the middle out of a text so that `length` characters are left, the mark in its place included. */
export function cutMiddle(text: string, length: number, mark: string): string {
  if (text.length <= length) return text;
  const kept = Math.max(length - mark.length, 1);
  const half = Math.ceil(kept / 2);
  // A cut within a surrogate pair removes the other half too.
  const start = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '');
  const end = text.slice(text.length - (kept - half)).replace(/^[\uDC00-\uDFFF]/, '');
  return start + mark + end;
}
