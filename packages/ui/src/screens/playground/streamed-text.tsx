import { memo } from 'react';

import { showControls } from '../../parts/show-controls.ts';
import { toStreamPieces } from './to-stream-pieces.ts';

/** Text that is still coming. What is there already is left alone: only the last piece is laid out with every frame. */
export function StreamedText({ text }: { text: string }) {
  return (
    <div className="text-sm break-words whitespace-pre-wrap">
      {toStreamPieces(text).map((piece, at) => (
        // Pieces are only ever added.
        <Piece key={at} text={piece} />
      ))}
    </div>
  );
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <div>{showControls(text)}</div>;
});
