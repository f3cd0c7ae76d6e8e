import type { CSSProperties, RefObject } from 'react';

import { formatTick } from '../../format/quantity.ts';
import { classNames } from '../class-names.ts';
import { showControls } from '../text/show-controls.ts';
import { type Box, layOutRow, toTicks } from './lay-out.ts';
import { timelineMessages } from './messages.ts';
import { type Timeline, describeRow, figuresOf, type TimelineRow, type Piece, type PieceTone } from './timeline.ts';
import type { Zoom } from './use-zoom.ts';

/** Names take the room that they need, at most 28 %: `--names` is their width. */
const GRID = 'grid grid-cols-[minmax(6.5rem,min(28%,var(--names,28%)))_minmax(0,1fr)_4.5rem]';

interface PlotProps {
  readonly timeline: Timeline;
  readonly zoom: Zoom;
  readonly widthPx: number;
}

/** Round times above the rows; to be dragged over, and zoomed by the wheel. */
export function Axis({ zoom, widthPx, axis }: PlotProps & { readonly axis: RefObject<HTMLDivElement | null> }) {
  const ticks = toTicks(zoom.view, widthPx);
  const toPlace = (tick: number): number => toPx(tick, zoom, widthPx);
  // A label that ends at its tick needs the room of two.
  const shown = ticks.filter((tick, at) => {
    const before = ticks[at - 1];
    return before === undefined || !isAtEdge(toPlace(tick), widthPx) || toPlace(tick) - toPlace(before) > EDGE_ROOM_PX;
  });
  return (
    <div aria-hidden="true" className={GRID}>
      <span />
      <div
        ref={axis}
        data-axis
        title={timelineMessages().axisHelp}
        className="relative h-6 cursor-crosshair border-b border-line text-2xs text-ink-faint"
        {...toPointerHandlers(zoom)}
      >
        {shown.map((tick) => (
          <span
            key={tick}
            className="figures absolute bottom-0.5 whitespace-nowrap"
            style={toTickStyle(toPlace(tick), widthPx)}
          >
            {formatTick(tick)}
          </span>
        ))}
      </div>
      <span />
    </div>
  );
}

const toPx = (ms: number, { view }: Zoom, widthPx: number): number =>
  ((ms - view.fromMs) / Math.max(view.toMs - view.fromMs, 0.001)) * widthPx;

const TICK_ROOM_PX = 40;
const EDGE_ROOM_PX = 130;
const isAtEdge = (px: number, widthPx: number): boolean => px > widthPx - TICK_ROOM_PX;

/** The last label would stand out over the edge. */
const toTickStyle = (px: number, widthPx: number): CSSProperties =>
  isAtEdge(px, widthPx) ? { right: Math.max(0, widthPx - px) } : { left: px };

const toPointerHandlers = ({ onPointerDown, onPointerMove, onPointerUp, onPointerCancel }: Zoom) => ({
  onPointerDown,
  onPointerMove,
  onPointerUp,
  onPointerCancel,
});

interface RowProps extends Omit<PlotProps, 'timeline'> {
  readonly id: string;
  readonly row: TimelineRow;
  readonly isCurrent: boolean;
  readonly onPoint: (pieces: readonly Piece[]) => void;
  readonly onPick: () => void;
}

/** One row: its name, its bars and its duration. */
export function Row({ id, row, zoom, widthPx, isCurrent, onPoint, onPick }: RowProps) {
  const { boxes, before, after } = layOutRow(row, zoom.view, widthPx);
  const { took } = figuresOf(row);
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      onPointerEnter={() => onPoint([])}
      onPointerDown={onPick}
      className={classNames(GRID, 'items-center rounded hover:bg-raised/60', isCurrent && 'bg-raised')}
    >
      <span className="sr-only">{describeRow(row)}</span>
      <span aria-hidden="true" className="flex min-w-0 items-baseline gap-1 py-1 pr-2 text-xs">
        <span className={row.status === '' ? 'min-w-0 truncate' : 'max-w-[72%] shrink-0 truncate'}>
          {showControls(row.label)}
        </span>
        {row.status !== '' && (
          <span className={classNames('min-w-0 truncate', row.tone === 'bad' ? 'text-bad' : 'text-ink-faint')}>
            {showControls(row.status)}
          </span>
        )}
      </span>
      <div
        aria-hidden="true"
        data-plot
        className="relative h-6 cursor-crosshair overflow-hidden"
        {...toPointerHandlers(zoom)}
      >
        {boxes.map((box, index) => (
          <Bar key={index} box={box} onPoint={onPoint} />
        ))}
        {boxes.length === 0 && before > 0 && <Beyond side="left" />}
        {boxes.length === 0 && after > 0 && <Beyond side="right" />}
      </div>
      <span aria-hidden="true" className="figures pl-2 text-right text-2xs whitespace-nowrap text-ink-soft">
        {took}
      </span>
    </div>
  );
}

function Beyond({ side }: { side: 'left' | 'right' }) {
  return (
    <span className={classNames('absolute top-0.5 text-xs text-ink-faint', side === 'left' ? 'left-0.5' : 'right-0.5')}>
      {side === 'left' ? timelineMessages().before : timelineMessages().after}
    </span>
  );
}

/** Failed bars are hatched, gaps are outlines, waiting is pale: told apart without colours. */
const TONES: Readonly<Record<PieceTone, string>> = {
  plain: 'bg-ink-faint',
  wait: 'bg-accent/35 border border-accent/70',
  work: 'bg-accent',
  good: 'bg-good',
  bad: 'bg-bad bar-hatched',
  gap: 'border border-dashed border-caution bg-caution-soft/60',
};

function Bar({ box, onPoint }: { box: Box; onPoint: (pieces: readonly Piece[]) => void }) {
  return (
    <div
      data-bar={box.tone}
      onPointerEnter={() => onPoint(box.pieces)}
      onPointerLeave={() => onPoint([])}
      className={classNames(
        'absolute forced-color-adjust-none',
        box.isMoment ? 'top-[7px] h-[9px] rotate-45 rounded-xs' : 'top-1.5 h-3 rounded-xs',
        TONES[box.tone],
      )}
      style={{ left: box.leftPx, width: box.widthPx }}
    />
  );
}

/** Lines across all rows, and the span that is being dragged over. */
export function Markers({ timeline, zoom, widthPx }: PlotProps) {
  const { dragged } = zoom;
  return (
    <div aria-hidden="true" className={classNames(GRID, 'pointer-events-none absolute inset-0')}>
      <span />
      <div className="relative overflow-hidden">
        {timeline.markers.map(({ label, atMs }) => {
          const px = toPx(atMs, zoom, widthPx);
          if (px < 0 || px > widthPx) return null;
          return (
            <span
              key={label}
              data-marker={label}
              className="absolute top-6 bottom-0 border-l border-dashed border-line-strong"
              style={{ left: Math.min(px, widthPx - 1) }}
            />
          );
        })}
        {dragged !== null && (
          <span
            className="absolute inset-y-0 border-x border-accent bg-accent/15"
            style={{ left: Math.min(dragged.fromPx, dragged.toPx), width: Math.abs(dragged.toPx - dragged.fromPx) }}
          />
        )}
      </div>
      <span />
    </div>
  );
}
