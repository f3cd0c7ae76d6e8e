/** Where the lines of a text begin, found out piece by piece: a long text takes longer than a page may stand still. */
export interface LineIndex {
  /** Lines found so far. */
  readonly count: number;
  readonly isComplete: boolean;
  /** Looks for as many further lines. */
  advance(lines: number): void;
  /** The text of a line without its end. Empty where there is none. */
  textOf(line: number): string;
}

/** Lines to show: cut at line ends and after `width` characters. At most `maxLines` are looked for. */
export function createLineIndex(text: string, width: number, maxLines: number): LineIndex {
  // Numbers, not texts: a hundred thousand pieces of a text would cost more memory than it has itself.
  let starts = new Uint32Array(1024);
  let count = 0;
  let at = 0;
  let lineEnd = toLineEnd(text, 0);
  let isComplete = false;
  const add = (): void => {
    if (count === starts.length) {
      const larger = new Uint32Array(count * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count] = at;
    count += 1;
  };
  const step = (): void => {
    add();
    at = toCut(text, Math.min(at + width, lineEnd));
    if (at < lineEnd) return;
    if (lineEnd === text.length) isComplete = true;
    at = lineEnd + 1;
    lineEnd = toLineEnd(text, at);
  };
  return {
    get count() {
      return count;
    },
    get isComplete() {
      return isComplete || count >= maxLines;
    },
    advance(lines) {
      const last = Math.min(count + lines, maxLines);
      while (!isComplete && count < last) step();
    },
    textOf(line) {
      if (line < 0 || line >= count) return '';
      const start = starts[line] ?? 0;
      const end = line + 1 < count ? (starts[line + 1] ?? 0) : Math.min(at, text.length);
      return text.slice(start, text.charAt(end - 1) === '\n' && end > start ? end - 1 : end);
    },
  };
}

function toLineEnd(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found;
}

/** The two halves of a character outside the basic plane stay together. */
function toCut(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff && at < text.length ? at + 1 : at;
}
