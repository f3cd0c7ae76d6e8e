/** More than any completion has, and few enough for whatever walks through it level by level. */
export const MAX_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether JSON is nested more than a thousand levels deep. `JSON.parse` reads as many levels as there are, whereas
 * `JSON.stringify` exhausts the stack after some thousand. What is short, as most events are, cannot be deep and costs
 * nothing. Does not check whether the text is valid JSON.
 */
export function isNestedTooDeep(text: string): boolean {
  // Each level has a bracket at both ends.
  if (text.length <= 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findEndOfString(text, at + 1);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** The position of the closing quotation mark, or the end of the text. */
function findEndOfString(text: string, start: number): number {
  for (let at = start; ;) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    // A quotation mark after an odd number of backslashes belongs to the string.
    let backslashes = 0;
    while (end - 1 - backslashes >= start && text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    at = end + 1;
  }
}
