import { memo, useLayoutEffect, useRef } from 'react';

import type { GenerationContent } from '../../../api/types.ts';
import { formatCount } from '../../../format/quantity.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import type { Arrival } from './to-arrivals.ts';

/** More than fits is not laid out again with every piece. */
const MAX_SHOWN_CHARACTERS = 20_000;

interface ReplayedTextProps {
  readonly output: Pick<GenerationContent['output'], 'completion' | 'reasoning'>;
  /** The last that had come; undefined before the first. */
  readonly arrival: Arrival | undefined;
  /** Keeps the end of the text in sight. */
  readonly isFollowed: boolean;
}

/** The completion as far as it had come. It cannot be trusted, and is shown as plain text. */
export const ReplayedText = memo(function ReplayedText({ output, arrival, isFollowed }: ReplayedTextProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const reasoning = (output.reasoning ?? '').slice(0, arrival?.reasoningLength ?? 0);
  const text = (output.completion ?? '').slice(0, arrival?.textLength ?? 0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isFollowed && element !== null) element.scrollTop = element.scrollHeight;
  }, [arrival, isFollowed]);
  return (
    <div
      ref={scroller}
      role="region"
      aria-label="The answer at this moment"
      tabIndex={0}
      className="scroll-thin mx-4 mb-3 min-h-24 flex-2 overflow-y-auto rounded-lg border border-line bg-surface p-3 text-sm break-words whitespace-pre-wrap outline-offset-[-2px]"
    >
      {arrival === undefined && <span className="text-ink-faint">Nothing had come yet.</span>}
      {reasoning !== '' && <Tail text={reasoning} className="mb-2 border-l-2 border-line pl-2 text-ink-faint" />}
      {text !== '' && <Tail text={text} />}
    </div>
  );
});

function Tail({ text, className }: { text: string; className?: string }) {
  const hidden = Math.max(0, text.length - MAX_SHOWN_CHARACTERS);
  return (
    <div className={className}>
      {hidden > 0 && <p className="text-xs text-ink-faint">{formatCount(hidden)} characters before this…</p>}
      {showControls(text.slice(hidden))}
    </div>
  );
}
