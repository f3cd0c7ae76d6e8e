import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { Button } from '../controls/button.tsx';
import { Choice } from '../controls/field.tsx';
import { measureText } from '../table/measure-text.ts';
import { showControls } from '../text/show-controls.ts';
import { useMedia, useWidth } from '../use-width.ts';
import { timelineMessages } from './messages.ts';
import { Axis, Row, Markers } from './plot.tsx';
import { type Timeline, describeRow, describeTime, figuresOf, type TimelineRow, type Piece } from './timeline.ts';
import { useZoom, type Zoom } from './use-zoom.ts';

interface TimelineChartProps {
  /** Name of the picture, read out. */
  readonly label: string;
  readonly timeline: Timeline;
  /** Above it, at the left. */
  readonly lead?: ReactNode;
  /** Below it, while nothing is pointed at. */
  readonly note?: ReactNode;
}

/** Everything on one axis of time, as a picture that zooms, or as a list. */
export function TimelineChart({ label, timeline, lead, note }: TimelineChartProps) {
  const isWide = useMedia('(min-width: 40rem)');
  const [chosen, setChosen] = useState<'picture' | 'list' | null>(null);
  const form = chosen ?? (isWide ? 'picture' : 'list');
  return (
    <section aria-label={label} className="flex flex-col border-b border-line pb-2">
      {form === 'picture' ? (
        <Picture label={label} timeline={timeline} lead={lead} note={note} onList={() => setChosen('list')} />
      ) : (
        <>
          <div className="flex items-center gap-2 px-4 pt-2">
            <div className="min-w-0 flex-1">{lead}</div>
            <FormChoice value={form} onChange={setChosen} />
          </div>
          <StepList label={timelineMessages().asList(label)} timeline={timeline} />
          {note !== undefined && <div className="px-4 text-xs text-ink-faint">{note}</div>}
        </>
      )}
    </section>
  );
}

function FormChoice({ value, onChange }: { value: 'picture' | 'list'; onChange: (form: 'picture' | 'list') => void }) {
  const t = timelineMessages();
  return <Choice label={t.view} value={value} options={{ picture: t.chart, list: t.list }} onChange={onChange} />;
}

function Picture({ label, timeline, lead, note, onList }: TimelineChartProps & { readonly onList: () => void }) {
  const t = timelineMessages();
  const { rows } = timeline;
  const plot = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const namesPx = useMemo(() => toNamesPx(rows), [rows]);
  const widthPx = useWidth(axis);
  const zoom = useZoom(timeline, plot, axis, widthPx);
  const [cursor, setCursor] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  const [hovered, setHovered] = useState<Pointed | null>(null);
  const at = Math.min(cursor, rows.length - 1);
  const current = rows[at];
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by !== undefined) setCursor(Math.min(Math.max(by(at, rows.length), 0), rows.length - 1));
    else if (!zoom.onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = hovered ?? (isFocused && current !== undefined ? { row: current, pieces: [] } : null);
  return (
    <>
      <div className="flex flex-wrap items-center gap-1 px-4 pt-2">
        {lead}
        <span className="figures min-w-0 flex-1 text-xs text-ink-faint">
          {zoom.isZoomed
            ? t.span(formatDuration(zoom.view.fromMs), formatDuration(zoom.view.toMs))
            : timeline.markers.map(({ label: name, atMs }) => `┊ ${t.marker(name, formatDuration(atMs))}`).join('  ')}
        </span>
        <ZoomButtons zoom={zoom} hasMore={timeline.whole.toMs > timeline.home.toMs} />
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
        style={{ '--names': `${namesPx}px` } as CSSProperties}
      >
        <Axis timeline={timeline} zoom={zoom} widthPx={widthPx} axis={axis} />
        {rows.map((row, index) => (
          <Row
            key={row.id}
            id={`${baseId}-${index}`}
            row={row}
            zoom={zoom}
            widthPx={widthPx}
            isCurrent={isFocused && index === at}
            onPoint={(pieces) => {
              setHovered({ row, pieces });
            }}
            onPick={() => setCursor(index)}
          />
        ))}
        <Markers timeline={timeline} zoom={zoom} widthPx={widthPx} />
      </div>
      <Details pointed={shown} note={note} />
    </>
  );
}

const NAME_GAP_PX = 4;
const NAME_END_PX = 12;
/** A name may take this share of its column beside how its row ended. */
const NAME_SHARE = 0.72;

/** The width of the longest name with how its row ended, so that the axis has the rest. */
function toNamesPx(rows: readonly TimelineRow[]): number {
  const widths = rows.map(({ label, status }) => {
    const name = measureText(showControls(label), { size: 12 });
    if (status === '') return name;
    return Math.max(name / NAME_SHARE, name + NAME_GAP_PX + measureText(showControls(status), { size: 12 }));
  });
  return Math.ceil(Math.max(0, ...widths)) + NAME_END_PX;
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function ZoomButtons({ zoom, hasMore }: { zoom: Zoom; hasMore: boolean }) {
  const t = timelineMessages();
  return (
    <>
      {hasMore && (
        <Button look="quiet" onClick={zoom.showAll}>
          {t.all}
        </Button>
      )}
      <Button look="quiet" aria-label={t.zoomIn} title={t.help} icon={<ZoomIn size={15} />} onClick={zoom.nearer} />
      <Button look="quiet" aria-label={t.zoomOut} title={t.help} icon={<ZoomOut size={15} />} onClick={zoom.farther} />
      <Button
        look="quiet"
        aria-label={t.reset}
        disabled={!zoom.isZoomed}
        icon={<Maximize2 size={15} />}
        onClick={zoom.reset}
      />
    </>
  );
}

/** The step whose details are shown. */
interface Pointed {
  readonly row: TimelineRow;
  readonly pieces: readonly Piece[];
}

const MAX_DETAIL_CHARACTERS = 300;

/** What is pointed at, in words; always there, so that nothing moves. */
function Details({ pointed, note }: { pointed: Pointed | null; note: ReactNode }) {
  return (
    <div role="note" aria-label={timelineMessages().details} className="mx-4 mt-1 min-h-9 pt-1 text-xs text-ink-faint">
      {pointed === null ? note : <PointedAt pointed={pointed} />}
    </div>
  );
}

function PointedAt({ pointed: { row, pieces } }: { pointed: Pointed }) {
  const [first] = pieces;
  const detail = showControls(row.detail.join(' '));
  return (
    <>
      <p className="figures font-medium break-words text-ink">{describeRow(row)}</p>
      {first !== undefined && (
        <p className="figures break-words text-ink-soft">
          {pieces.length === 1
            ? `${showControls(first.label)}, ${describeTime(first)}`
            : timelineMessages().close(pieces.length)}
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

/** The same as the picture, as text. */
function StepList({ label, timeline: { rows, markers } }: { label: string; timeline: Timeline }) {
  return (
    <div className="flex flex-col gap-2 px-4 py-2">
      <ol aria-label={label} className="flex flex-col gap-1.5 text-sm">
        {rows.map((row) => (
          <Step key={row.id} row={row} />
        ))}
      </ol>
      {markers.length > 0 && (
        <p className="figures text-xs text-ink-faint">
          {markers.map(({ label: name, atMs }) => timelineMessages().marker(name, formatDuration(atMs))).join(' · ')}
        </p>
      )}
    </div>
  );
}

function Step({ row }: { row: TimelineRow }) {
  const t = timelineMessages();
  const { at, took } = figuresOf(row);
  return (
    <li className="border-l-2 border-line pl-2">
      <span className="font-medium break-words">{showControls(row.label)}</span>
      {row.status !== '' && (
        <span className={row.tone === 'bad' ? 'text-bad' : 'text-ink-soft'}> · {showControls(row.status)}</span>
      )}
      <span className="figures text-ink-soft">
        {' '}
        · {t.at(at)}
        {took !== '' && t.took(took)}
      </span>
      {row.detail.length > 0 && (
        <span className="block text-xs break-words text-ink-faint">{showControls(row.detail.join(' '))}</span>
      )}
    </li>
  );
}
