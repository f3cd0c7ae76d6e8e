import { memo } from 'react';

import { showControls } from './show-controls.ts';

// Blocks and spans are only ever added, so that their places tell them apart.

interface StreamedTextProps {
  readonly text: string;
  readonly className?: string;
}

/** Text that is still coming. What is there already is left alone: only its last words are worked out with every frame. */
export function StreamedText({ text, className = 'text-sm break-words whitespace-pre-wrap' }: StreamedTextProps) {
  return (
    <div className={className}>
      {toStreamBlocks(text).map((block, at) => (
        <Block key={at} text={block} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <div>
      {toStreamSpans(text).map((span, at) => (
        <Span key={at} text={span} />
      ))}
    </div>
  );
});

const Span = memo(function Span({ text }: { text: string }) {
  return <span>{showControls(text)}</span>;
});

const MIN_BLOCK_CHARACTERS = 200;
const MIN_SPAN_CHARACTERS = 200;

/** Cuts a growing text at line ends; every block but the last is without its line end, and stays the same. */
export function toStreamBlocks(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start + MIN_BLOCK_CHARACTERS);
    // A line end that nothing follows would be a block without height.
    if (end === -1 || end === text.length - 1) break;
    blocks.push(text.slice(start, end));
    start = end + 1;
  }
  blocks.push(text.slice(start));
  return blocks;
}

/** Cuts a block after spaces, in the same way: so far the browser has shaped its characters, and need not do so again. */
export function toStreamSpans(block: string): string[] {
  const spans: string[] = [];
  let start = 0;
  for (;;) {
    const space = block.indexOf(' ', start + MIN_SPAN_CHARACTERS);
    if (space === -1) break;
    spans.push(block.slice(start, space + 1));
    start = space + 1;
  }
  spans.push(block.slice(start));
  return spans;
}
