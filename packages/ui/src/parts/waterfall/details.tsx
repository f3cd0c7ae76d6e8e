import { showControls } from '../text/show-controls.ts';
import { describeLane, describeTime } from './describe-lane.ts';
import type { Lane, Piece } from './lane.ts';

/** What the details tell of. */
export interface Pointed {
  readonly lane: Lane;
  readonly pieces: readonly Piece[];
}

const MAX_DETAIL_CHARACTERS = 300;

/** What is pointed at, in words; always there, so that nothing moves. */
export function Details({ pointed }: { pointed: Pointed | null }) {
  return (
    <div role="note" aria-label="Details" className="mx-4 mt-1 min-h-14 rounded-md bg-raised px-3 py-1.5 text-xs">
      {pointed === null ? (
        <span className="text-ink-faint">
          Point at a bar for its details. Drag over a span to zoom, or turn the wheel over the axis. With the focus on
          the picture, + and − zoom, arrows move, 0 resets.
        </span>
      ) : (
        <PointedAt pointed={pointed} />
      )}
    </div>
  );
}

function PointedAt({ pointed: { lane, pieces } }: { pointed: Pointed }) {
  const [first] = pieces;
  const detail = showControls(lane.detail.join(' '));
  return (
    <>
      <p className="figures font-medium break-words">{describeLane(lane)}</p>
      {first !== undefined && (
        <p className="figures break-words text-ink-soft">
          {pieces.length === 1
            ? `${showControls(first.label)}, ${describeTime(first)}`
            : `${pieces.length} close together; zoom in to tell them apart`}
        </p>
      )}
      {detail !== '' && (
        <p className="break-words text-ink-soft">
          {detail.slice(0, MAX_DETAIL_CHARACTERS)}
          {detail.length > MAX_DETAIL_CHARACTERS && '…'}
        </p>
      )}
    </>
  );
}
