import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { Button } from '../controls/button.tsx';
import { Choice } from '../controls/field.tsx';
import { useMedia } from '../dialogs/use-media.ts';
import { useWidth } from '../use-width.ts';
import { Details, type Pointed } from './details.tsx';
import type { Course } from './lane.ts';
import { Axis, LaneRow, Markers } from './plot.tsx';
import { StepList } from './step-list.tsx';
import { useZoom, type Zoom } from './use-zoom.ts';

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
