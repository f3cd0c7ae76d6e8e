/** Cuts a text into lines to be shown: at its line ends, and where a line would become longer than `width` characters. */
export function splitLines(text: string, width: number): string[] {
  const lines: string[] = [];
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (end === start) lines.push('');
    for (let at = start; at < end;) {
      const cut = toCut(text, Math.min(at + width, end));
      lines.push(text.slice(at, cut));
      at = cut;
    }
    start = end + 1;
  }
  return lines;
}

/** The two halves of a character outside the basic plane stay together. */
function toCut(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff && at < text.length ? at + 1 : at;
}
