import { endOf, type TimelineRow, type Piece, type PieceTone, type Span } from './timeline.ts';

/** A bar on the screen: one piece, or several that are too close to be distinguished. */
export interface Box {
  readonly leftPx: number;
  readonly widthPx: number;
  readonly tone: PieceTone;
  readonly isMoment: boolean;
  readonly pieces: readonly Piece[];
}

export interface LaidRow {
  readonly boxes: readonly Box[];
  /** Pieces that are beyond the edges of the view. */
  readonly before: number;
  readonly after: number;
}

const MIN_BAR_PX = 3;
const MOMENT_PX = 9;
/** Bars this close are one. */
const MERGE_PX = 1;

/** Lays the bars of a row on the screen. */
export function layOutRow({ pieces }: TimelineRow, { fromMs, toMs }: Span, widthPx: number): LaidRow {
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
  // Bars as wide as can be distinguished touch where one begins as the other ends; they stay two.
  const isTiny = box.widthPx <= MIN_BAR_PX || (last !== undefined && last.widthPx <= MIN_BAR_PX) || box.isMoment;
  const mayMerge = last !== undefined && isClose && (isTiny || last.pieces.length > 1);
  if (!mayMerge) return void boxes.push(box);
  const end = Math.max(last.leftPx + last.widthPx, box.leftPx + box.widthPx);
  boxes[boxes.length - 1] = { ...last, widthPx: end - last.leftPx, pieces: [...last.pieces, ...box.pieces] };
}

/** Nearer there is nothing to be seen: times are whole milliseconds. */
const MIN_SPAN_MS = 2;
/** Room for a label such as `12 min 30 s`. */
const TICK_PX = 84;
/** Steps that are read as round, in seconds; from 1 s to a day those of clocks. */
const STEPS_S = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200,
  14_400, 28_800, 43_200, 86_400,
];

/** Zooms by a factor, below 1 nearer, around a moment that stays where it is. */
export function zoomAt(view: Span, whole: Span, factor: number, atMs: number): Span {
  const length = clampLength((view.toMs - view.fromMs) * factor, whole);
  const share = (atMs - view.fromMs) / (view.toMs - view.fromMs || 1);
  return moveInto(atMs - share * length, length, whole);
}

/** Moves sideways, at most to the edge. */
export const panBy = (view: Span, whole: Span, byMs: number): Span =>
  moveInto(view.fromMs + byMs, view.toMs - view.fromMs, whole);

/** The view of a span, given in either direction. */
export function toView(whole: Span, oneMs: number, otherMs: number): Span {
  const fromMs = Math.max(whole.fromMs, Math.min(oneMs, otherMs));
  const toMs = Math.min(whole.toMs, Math.max(oneMs, otherMs));
  return moveInto(fromMs, clampLength(toMs - fromMs, whole), whole);
}

/** Round moments for the labels of the axis. */
export function toTicks({ fromMs, toMs }: Span, widthPx: number): readonly number[] {
  const least = (toMs - fromMs) / Math.max(1, Math.floor(widthPx / TICK_PX));
  const days = 86_400_000;
  const found = STEPS_S.find((seconds) => seconds * 1000 >= least);
  const step = found === undefined ? Math.ceil(least / days) * days : Math.round(found * 1000);
  const ticks: number[] = [];
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) ticks.push(at);
  return ticks;
}

const clampLength = (length: number, whole: Span): number =>
  Math.min(Math.max(length, MIN_SPAN_MS), whole.toMs - whole.fromMs);

function moveInto(fromMs: number, length: number, whole: Span): Span {
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}
