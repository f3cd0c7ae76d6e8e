/** A span of the axis, in milliseconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
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
