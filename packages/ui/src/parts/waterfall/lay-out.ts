import { endOf, type Lane, type Piece, type PieceTone } from './lane.ts';
import type { Span } from './view.ts';

/** A bar on the screen: one piece, or several that stand too close to be told apart. */
export interface Box {
  readonly leftPx: number;
  readonly widthPx: number;
  readonly tone: PieceTone;
  readonly isMoment: boolean;
  readonly pieces: readonly Piece[];
}

export interface LaidLane {
  readonly boxes: readonly Box[];
  /** Pieces that are beyond the edges of the view. */
  readonly before: number;
  readonly after: number;
}

const MIN_BAR_PX = 3;
const MOMENT_PX = 9;
/** Bars this close are one. */
const MERGE_PX = 1;

/** Lays the bars of a lane on the screen. */
export function layOutLane({ pieces }: Lane, { fromMs, toMs }: Span, widthPx: number): LaidLane {
  const boxes: Box[] = [];
  let before = 0;
  let after = 0;
  if (widthPx <= 0) return { boxes, before, after };
  const scale = widthPx / Math.max(toMs - fromMs, 0.001);
  for (const piece of pieces) {
    if (endOf(piece) < fromMs) before += 1;
    else if (piece.atMs > toMs) after += 1;
    else
      push(
        boxes,
        toBox(piece, (ms) => (ms - fromMs) * scale, widthPx),
      );
  }
  return { boxes, before, after };
}

function toBox(piece: Piece, toPx: (ms: number) => number, widthPx: number): Box {
  const { tone } = piece;
  const isMoment = piece.tookMs === null;
  const start = Math.max(0, toPx(piece.atMs));
  const end = Math.min(widthPx, toPx(endOf(piece)));
  const width = isMoment ? MOMENT_PX : Math.max(end - start, MIN_BAR_PX);
  const left = isMoment ? start - MOMENT_PX / 2 : start;
  return {
    leftPx: Math.min(Math.max(left, 0), Math.max(widthPx - width, 0)),
    widthPx: width,
    tone,
    isMoment,
    pieces: [piece],
  };
}

/** Adds a box, or makes the last one longer by it. */
function push(boxes: Box[], box: Box): void {
  const last = boxes.at(-1);
  const isClose =
    last?.tone === box.tone && last.isMoment === box.isMoment && box.leftPx - (last.leftPx + last.widthPx) < MERGE_PX;
  // Bars as wide as can be told apart touch where one begins as the other ends; they stay two.
  const isTiny = box.widthPx <= MIN_BAR_PX || (last !== undefined && last.widthPx <= MIN_BAR_PX) || box.isMoment;
  const mayMerge = last !== undefined && isClose && (isTiny || last.pieces.length > 1);
  if (!mayMerge) return void boxes.push(box);
  const end = Math.max(last.leftPx + last.widthPx, box.leftPx + box.widthPx);
  boxes[boxes.length - 1] = { ...last, widthPx: end - last.leftPx, pieces: [...last.pieces, ...box.pieces] };
}
