import { LongText } from './long-text.tsx';
import { showControls } from './show-controls.ts';

/** Above this a text is shown in lines as it is: laying out so much at once would hold up the page. */
const MAX_CHARACTERS = 50_000;

/** Whether a text may be laid out whole, and read as markdown. */
export const isReadableMarkdown = (text: string): boolean => text.length <= MAX_CHARACTERS && !isCostlyMarkdown(text);

/** Text of a model or a caller without any reading of it. */
export function PlainText({ text }: { text: string }) {
  if (!isReadableMarkdown(text)) return <LongText text={text} />;
  return <div className="max-w-prose text-sm break-words whitespace-pre-wrap">{showControls(text)}</div>;
}

/** Marks of containers at the beginning of a line: each opens an element within the one before. */
const MANY_CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){50}/m;
/** Characters that can surround an emphasis or a link; an underscore within a word cannot. */
const MARK_OR_PARAGRAPH = /\n[ \t]*\n|[*~]+|(?<!\w)_+|_+(?!\w)|[[\]]/g;
/** A thousand marks in one paragraph, or a hundred in each of a hundred: some tenths of a second. */
const MAX_COST = 500_000;
const MAX_FOOTNOTE_MARKS = 1000;
/** Each becomes an element or more. */
const MAX_CELLS = 8000;
const MAX_LINES = 5000;

/**
 * Whether reading a text as markdown could hold up the page. Nested as no person writes, a few kilobytes take the
 * parser minutes, and more calls within one another than there is room for.
 */
export function isCostlyMarkdown(text: string): boolean {
  return (
    MANY_CONTAINERS.test(text) ||
    count(text, '[^') > MAX_FOOTNOTE_MARKS ||
    count(text, '|') > MAX_CELLS ||
    count(text, '\n') > MAX_LINES ||
    toCost(text) > MAX_COST
  );
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** The parser may compare every mark of a paragraph with all before it. */
function toCost(text: string): number {
  let marks = 0;
  let cost = 0;
  for (const [found] of text.matchAll(MARK_OR_PARAGRAPH)) {
    if (found.startsWith('\n')) marks = 0;
    else cost += ++marks;
  }
  return cost;
}
