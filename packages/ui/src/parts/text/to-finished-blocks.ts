/** A growing Markdown text: what will be read as it is now, block by block, and what may still change its meaning. */
export interface FinishedBlocks {
  readonly finished: readonly string[];
  readonly rest: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
/** So far it may become an item of a list, or not. */
const MAYBE_ITEM = /^(?:[-*+]|\d{1,9}[.)]?)$/;

/**
 * Cuts a Markdown text between its blocks: where a line that is not indented follows an empty one, outside of fenced
 * code and of lists. Each block read by itself gives what it gives within the text, but for links that are defined
 * elsewhere. The blocks together with `rest` are the text.
 */
export function toFinishedBlocks(text: string): FinishedBlocks {
  const finished: string[] = [];
  let start = 0;
  let isList = false;
  let fence: string | undefined;
  let isAfterBlank = false;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const isLast = end === -1;
    const line = isLast ? text.slice(at) : text.slice(at, end);
    if (fence === undefined) {
      const isItem = LIST_ITEM.test(line);
      const isBlank = line.trim() === '';
      if (isAfterBlank && at > start && isNewBlock(line, { isItem, isList, isLast })) {
        finished.push(text.slice(start, at));
        start = at;
      }
      if (at === start) isList = isItem;
      isAfterBlank = isBlank;
      fence = FENCE.exec(line)?.[1];
    } else if (isFenceEnd(line, fence) && !isLast) fence = undefined;
    at = isLast ? text.length : end + 1;
  }
  return { finished, rest: text.slice(start) };
}

interface LineFacts {
  readonly isItem: boolean;
  /** The block before is a list. */
  readonly isList: boolean;
  /** It may still grow. */
  readonly isLast: boolean;
}

function isNewBlock(line: string, { isItem, isList, isLast }: LineFacts): boolean {
  if (line.trim() === '' || /^[ \t]/.test(line)) return false;
  if (!isList) return true;
  return !isItem && !(isLast && MAYBE_ITEM.test(line));
}

function isFenceEnd(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === fence.charAt(0).repeat(trimmed.length);
}
