import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type CSSProperties, type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { classNames } from '../class-names.ts';
import { Button } from '../controls/button.tsx';
import { Choice } from '../controls/field.tsx';
import { useMedia } from '../dialogs/use-media.ts';
import { showControls } from '../text/show-controls.ts';
import { describeLane, describeTime, figuresOf } from './describe-lane.ts';
import type { Course, Lane, Piece, PieceTone } from './lane.ts';
import { type Box, layOutLane } from './lay-out.ts';
import { StepList } from './step-list.tsx';
import { useWidth } from './use-width.ts';
import { useZoom, type Zoom } from './use-zoom.ts';
import { toTicks } from './view.ts';

interface WaterfallProps {
  /** Name of the picture, read out. */
  readonly label: string;
  readonly course: Course;
}

/** Everything on one axis of time, as a picture that zooms, or as a list. */
export function Waterfall({ label, course }: WaterfallProps) {
  const isWide = useMedia('(min-width: 40rem)');
  const [chosen, setChosen] = useState<'picture' | 'list' | null>(null);
  const form = chosen ?? (isWide ? 'picture' : 'list');
  return (
    <section aria-label={label} className="flex flex-col border-b border-line pb-2">
      {form === 'picture' ? (
        <Picture label={label} course={course} onList={() => setChosen('list')} />
      ) : (
        <>
          <div className="flex justify-end px-4 pt-2">
            <FormChoice value={form} onChange={setChosen} />
          </div>
          <StepList label={`${label}, as a list`} course={course} />
        </>
      )}
    </section>
  );
}

function FormChoice({ value, onChange }: { value: 'picture' | 'list'; onChange: (form: 'picture' | 'list') => void }) {
  return <Choice label="Form" value={value} options={{ picture: 'Picture', list: 'List' }} onChange={onChange} />;
}

/** What the details tell of. */
interface Pointed {
  readonly lane: Lane;
  readonly pieces: readonly Piece[];
}

function Picture({ label, course, onList }: WaterfallProps & { readonly onList: () => void }) {
  const { lanes } = course;
  const plot = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const widthPx = useWidth(axis);
  const zoom = useZoom(course, plot, axis, widthPx);
  const [cursor, setCursor] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  const [hovered, setHovered] = useState<Pointed | null>(null);
  const at = Math.min(cursor, lanes.length - 1);
  const current = lanes[at];
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by !== undefined) setCursor(Math.min(Math.max(by(at, lanes.length), 0), lanes.length - 1));
    else if (!zoom.onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = hovered ?? (isFocused && current !== undefined ? { lane: current, pieces: [] } : null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-1 px-4 pt-2">
        <span className="figures min-w-0 flex-1 text-xs text-ink-faint">
          {zoom.isZoomed
            ? `${formatDuration(zoom.view.fromMs)} to ${formatDuration(zoom.view.toMs)}`
            : course.markers.map(({ label: name, atMs }) => `┊ ${name} at ${formatDuration(atMs)}`).join('  ')}
        </span>
        <ZoomButtons zoom={zoom} hasMore={course.whole.toMs > course.home.toMs} />
        <FormChoice value="picture" onChange={onList} />
      </div>
      <div
        ref={plot}
        role="listbox"
        aria-label={label}
        aria-activedescendant={current === undefined ? undefined : `${baseId}-${at}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setIsFocused(true)}
        onBlur={() => setIsFocused(false)}
        onPointerLeave={() => setHovered(null)}
        className="relative mx-4 mt-1 select-none outline-offset-2"
      >
        <Axis course={course} zoom={zoom} widthPx={widthPx} axis={axis} />
        {lanes.map((lane, index) => (
          <LaneRow
            key={lane.id}
            id={`${baseId}-${index}`}
            lane={lane}
            zoom={zoom}
            widthPx={widthPx}
            isCurrent={isFocused && index === at}
            onPoint={(pieces) => {
              setHovered({ lane, pieces });
            }}
            onPick={() => setCursor(index)}
          />
        ))}
        <Markers course={course} zoom={zoom} widthPx={widthPx} />
      </div>
      <Details pointed={shown} />
    </>
  );
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function ZoomButtons({ zoom, hasMore }: { zoom: Zoom; hasMore: boolean }) {
  return (
    <>
      {hasMore && (
        <Button look="quiet" onClick={zoom.showAll}>
          All
        </Button>
      )}
      <Button look="quiet" aria-label="Zoom in" icon={<ZoomIn size={15} aria-hidden />} onClick={zoom.nearer} />
      <Button look="quiet" aria-label="Zoom out" icon={<ZoomOut size={15} aria-hidden />} onClick={zoom.farther} />
      <Button
        look="quiet"
        aria-label="Reset the zoom"
        disabled={!zoom.isZoomed}
        icon={<Maximize2 size={15} aria-hidden />}
        onClick={zoom.reset}
      />
    </>
  );
}

const GRID = 'grid grid-cols-[minmax(6.5rem,28%)_minmax(0,1fr)_4.5rem]';

interface PlotProps {
  readonly course: Course;
  readonly zoom: Zoom;
  readonly widthPx: number;
}

function Axis({ zoom, widthPx, axis }: PlotProps & { readonly axis: RefObject<HTMLDivElement | null> }) {
  const ticks = toTicks(zoom.view, widthPx);
  return (
    <div aria-hidden="true" className={GRID}>
      <span />
      <div
        ref={axis}
        data-axis
        title="Drag over a span, or turn the wheel, to zoom"
        className="relative h-6 cursor-crosshair border-b border-line text-[11px] text-ink-faint"
        {...toPointerHandlers(zoom)}
      >
        {ticks.map((tick) => (
          <span
            key={tick}
            className="figures absolute bottom-0.5 whitespace-nowrap"
            style={toTickStyle(toPx(tick, zoom, widthPx), widthPx)}
          >
            {formatDuration(tick)}
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

/** The last label would stand out over the edge. */
const toTickStyle = (px: number, widthPx: number): CSSProperties =>
  px > widthPx - TICK_ROOM_PX ? { right: Math.max(0, widthPx - px) } : { left: px };

const toPointerHandlers = ({ onPointerDown, onPointerMove, onPointerUp, onPointerCancel }: Zoom) => ({
  onPointerDown,
  onPointerMove,
  onPointerUp,
  onPointerCancel,
});

interface LaneRowProps extends Omit<PlotProps, 'course'> {
  readonly id: string;
  readonly lane: Lane;
  readonly isCurrent: boolean;
  readonly onPoint: (pieces: readonly Piece[]) => void;
  readonly onPick: () => void;
}

function LaneRow({ id, lane, zoom, widthPx, isCurrent, onPoint, onPick }: LaneRowProps) {
  const { boxes, before, after } = layOutLane(lane, zoom.view, widthPx);
  const { took } = figuresOf(lane);
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      aria-label={describeLane(lane)}
      onPointerEnter={() => onPoint([])}
      onPointerDown={onPick}
      className={classNames(GRID, 'items-center rounded hover:bg-raised/60', isCurrent && 'bg-raised')}
    >
      <span className="flex min-w-0 items-baseline gap-1 py-1 pr-2 text-xs">
        <span className="max-w-[72%] shrink-0 truncate">{showControls(lane.label)}</span>
        {lane.status !== '' && (
          <span className={classNames('min-w-0 truncate', lane.tone === 'bad' ? 'text-bad' : 'text-ink-faint')}>
            {showControls(lane.status)}
          </span>
        )}
      </span>
      <div data-plot className="relative h-6 cursor-crosshair overflow-hidden" {...toPointerHandlers(zoom)}>
        {boxes.map((box, index) => (
          <Bar key={index} box={box} onPoint={onPoint} />
        ))}
        {boxes.length === 0 && before > 0 && <Beyond side="left" />}
        {boxes.length === 0 && after > 0 && <Beyond side="right" />}
      </div>
      <span className="figures pl-2 text-right text-[11px] whitespace-nowrap text-ink-soft">{took}</span>
    </div>
  );
}

function Beyond({ side }: { side: 'left' | 'right' }) {
  return (
    <span className={classNames('absolute top-0.5 text-xs text-ink-faint', side === 'left' ? 'left-0.5' : 'right-0.5')}>
      {side === 'left' ? '◂ before' : 'later ▸'}
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
        box.isMoment ? 'top-[7px] h-[9px] rotate-45 rounded-[1px]' : 'top-1.5 h-3 rounded-[2px]',
        TONES[box.tone],
      )}
      style={{ left: box.leftPx, width: box.widthPx }}
    />
  );
}

/** Lines across all lanes, and the span that is being dragged over. */
function Markers({ course, zoom, widthPx }: PlotProps) {
  const { dragged } = zoom;
  return (
    <div aria-hidden="true" className={classNames(GRID, 'pointer-events-none absolute inset-0')}>
      <span />
      <div className="relative overflow-hidden">
        {course.markers.map(({ label, atMs }) => {
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

const MAX_DETAIL_CHARACTERS = 300;

/** What is pointed at, in words; always there, so that nothing moves. */
function Details({ pointed }: { pointed: Pointed | null }) {
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
