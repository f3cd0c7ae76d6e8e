import { formatDuration } from '../../format/quantity.ts';
import { showControls } from '../text/show-controls.ts';
import { timelineMessages } from './messages.ts';

/** A span of the axis, in milliseconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a bar means; shown in words as well, because many people cannot distinguish colours. */
export type PieceTone = 'plain' | 'wait' | 'work' | 'good' | 'bad' | 'gap';

/** A bar of a row, or a moment where it has no duration. */
export interface Piece {
  /** Milliseconds on the common axis. */
  readonly atMs: number;
  /** Null for a moment. */
  readonly tookMs: number | null;
  readonly tone: PieceTone;
  readonly label: string;
}

/** A step on its own line, with its bars in order of time. Texts of others are in it: show their controls. */
export interface TimelineRow {
  readonly id: string;
  readonly label: string;
  /** How it ended, in a word; may be empty. */
  readonly status: string;
  readonly tone: PieceTone;
  readonly detail: readonly string[];
  readonly pieces: readonly Piece[];
}

/** A moment that concerns all rows. */
export interface Marker {
  readonly atMs: number;
  readonly label: string;
}

/** Everything on one axis of time. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly markers: readonly Marker[];
  /** What is seen at first. */
  readonly home: Span;
  readonly whole: Span;
}

export const endOf = ({ atMs, tookMs }: Pick<Piece, 'atMs' | 'tookMs'>): number => atMs + (tookMs ?? 0);

/** From the first bar to the end of the last; null for a row without any. */
function extentOf({ pieces }: Pick<TimelineRow, 'pieces'>): { readonly atMs: number; readonly tookMs: number } | null {
  const [first] = pieces;
  if (first === undefined) return null;
  const end = pieces.reduce((latest, piece) => Math.max(latest, endOf(piece)), first.atMs);
  return { atMs: first.atMs, tookMs: end - first.atMs };
}

/** What came long after the rest, a retry hours later for one, is beyond the edge at first. */
const MAX_HOME_FACTOR = 3;
const MIN_HOME_MS = 20;

/** Puts rows on an axis. `endMs` is when the call itself ended. */
export function toTimeline(rows: readonly TimelineRow[], markers: readonly Marker[], endMs: number): Timeline {
  const ends = rows.flatMap(({ pieces }) => pieces.map(endOf));
  const last = Math.max(endMs, 1, ...ends);
  const near = Math.max(endMs * MAX_HOME_FACTOR, MIN_HOME_MS);
  const home = Math.max(endMs, 1, ...ends.filter((end) => end <= near));
  const toSpan = (toMs: number): Span => ({ fromMs: 0, toMs });
  return { rows, markers, home: toSpan(home), whole: toSpan(last) };
}

/** `from 320 ms, took 600 ms`; `at 320 ms` for a moment. */
export function describeTime({ atMs, tookMs }: Pick<Piece, 'atMs' | 'tookMs'>): string {
  const t = timelineMessages();
  if (tookMs === null) return t.at(formatDuration(atMs));
  return t.fromTook(formatDuration(atMs), tookMs < 1 ? t.instant : formatDuration(tookMs));
}

/** The offset and the duration of a row, as two figures. */
export function figuresOf(row: TimelineRow): { readonly at: string; readonly took: string } {
  const extent = extentOf(row);
  if (extent === null) return { at: '', took: '' };
  const isMoment = row.pieces.every(({ tookMs }) => tookMs === null);
  const took = isMoment ? '' : extent.tookMs < 1 ? '<\u00a01\u00a0ms' : formatDuration(extent.tookMs);
  return { at: formatDuration(extent.atMs), took };
}

/** All of a row in one sentence, for screen readers. */
export function describeRow(row: TimelineRow): string {
  const extent = extentOf(row);
  const isMoment = row.pieces.every(({ tookMs }) => tookMs === null);
  const time = extent === null ? '' : describeTime(isMoment ? { atMs: extent.atMs, tookMs: null } : extent);
  return [row.label, row.status, time]
    .filter((part) => part !== '')
    .map(showControls)
    .join(', ');
}
