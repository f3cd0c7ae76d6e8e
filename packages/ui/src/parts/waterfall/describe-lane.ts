import { formatDuration } from '../../format/quantity.ts';
import { showControls } from '../text/show-controls.ts';
import { extentOf, type Lane, type Piece } from './lane.ts';

/** `from 320 ms, took 600 ms`; `at 320 ms` for a moment. */
export function describeTime({ atMs, tookMs }: Pick<Piece, 'atMs' | 'tookMs'>): string {
  if (tookMs === null) return `at ${formatDuration(atMs)}`;
  return `from ${formatDuration(atMs)}, took ${tookMs < 1 ? 'under 1\u00a0ms' : formatDuration(tookMs)}`;
}

/** The offset and the duration of a lane, as two figures. */
export function figuresOf(lane: Lane): { readonly at: string; readonly took: string } {
  const extent = extentOf(lane);
  if (extent === null) return { at: '', took: '' };
  const isMoment = lane.pieces.every(({ tookMs }) => tookMs === null);
  const took = isMoment ? '' : extent.tookMs < 1 ? '<\u00a01\u00a0ms' : formatDuration(extent.tookMs);
  return { at: formatDuration(extent.atMs), took };
}

/** All of a lane in one sentence, for those who do not see it. */
export function describeLane(lane: Lane): string {
  const extent = extentOf(lane);
  const isMoment = lane.pieces.every(({ tookMs }) => tookMs === null);
  const time = extent === null ? '' : describeTime(isMoment ? { atMs: extent.atMs, tookMs: null } : extent);
  return [lane.label, lane.status, time]
    .filter((part) => part !== '')
    .map(showControls)
    .join(', ');
}
