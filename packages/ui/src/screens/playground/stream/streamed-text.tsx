import { memo } from 'react';

import { showControls } from '../../../parts/text/show-controls.ts';
import { toStreamBlocks, toStreamSpans } from './to-stream-pieces.ts';

// Blocks and spans are only ever added, so that their places tell them apart.

/** Text that is still coming. What is there already is left alone: only its last words are worked out with every frame. */
export function StreamedText({ text }: { text: string }) {
  return (
    <div className="text-sm break-words whitespace-pre-wrap">
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
