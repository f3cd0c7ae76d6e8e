import { isCostlyMarkdown } from './is-costly-markdown.ts';
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
