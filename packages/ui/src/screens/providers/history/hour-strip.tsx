import type { ProviderHistoryBucket } from '@model-gateway/core/wire';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';

import { describeHour } from '../../../features/providers/describe-history.ts';
import { toDayStart } from '../../../format/days.ts';
import { timeFormats } from '../../../format/time.ts';
import { providersMessages } from '../messages.ts';
import { HourBar } from './hour-bar.tsx';

interface HourStripProps {
  readonly label: string;
  readonly hours: readonly ProviderHistoryBucket[];
  /** Called with the hour that was clicked. */
  readonly onPick: (hour: ProviderHistoryBucket) => void;
}

const HOURS_IN_A_ROW = 24;

/** One row for up to 24 hours, else one for each day of the reader. */
function toRows(hours: readonly ProviderHistoryBucket[]): readonly (readonly ProviderHistoryBucket[])[] {
  if (hours.length <= HOURS_IN_A_ROW) return [hours];
  const days = new Map<number, ProviderHistoryBucket[]>();
  for (const hour of hours) {
    const date = toDayStart(Date.parse(hour.start));
    days.set(date, [...(days.get(date) ?? []), hour]);
  }
  return [...days.values()];
}

/** Hours as bars, a day in a row, that are read by mouse, finger and arrow keys. */
export function HourStrip({ label, hours, onPick }: HourStripProps) {
  const t = providersMessages().history;
  const hintId = useId();
  const [active, setActive] = useState<number | null>(null);
  const [isByKey, setIsByKey] = useState(false);
  const rows = toRows(hours);
  const shown = active === null ? undefined : hours[active];

  const placeOf = ({ target }: PointerEvent): number | null => {
    const cell = target instanceof Element ? target.closest('[data-hour]') : null;
    return cell === null ? null : Number(cell.getAttribute('data-hour'));
  };
  const follow = (event: PointerEvent): void => {
    setIsByKey(false);
    setActive(placeOf(event));
  };
  const pick = (place: number | null): void => {
    const hour = place === null ? undefined : hours[place];
    if (hour !== undefined && hour.calls > 0) onPick(hour);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (event.key === 'Enter') pick(active);
    else if (step !== undefined) {
      setIsByKey(true);
      setActive(active === null ? findStart(hours) : step(active, hours.length));
    } else if (event.key === 'Escape' && active !== null) {
      // The first press lets go of the bar, and the next closes the panel.
      event.stopPropagation();
      setActive(null);
    } else return;
    event.preventDefault();
  };

  return (
    <div>
      <div
        role="application"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hintId}
        className="flex touch-pan-y flex-col gap-1 rounded select-none"
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => setActive(null)}
        onClick={() => pick(active)}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(null)}
      >
        {rows.map((row) => (
          <div key={row[0]?.start} className="flex items-stretch gap-2">
            {rows.length > 1 && (
              <span aria-hidden="true" className="figures w-12 shrink-0 self-center text-xs text-ink-faint">
                {timeFormats().shortWeekday.format(Date.parse(row[0]?.start ?? ''))}
              </span>
            )}
            <HourRow
              row={row}
              first={hours.findIndex(({ start }) => start === row[0]?.start)}
              isOneOfMany={rows.length > 1}
              active={active}
            />
          </div>
        ))}
      </div>
      <p className="figures mt-1 min-h-8 text-xs text-ink-soft" data-part="reading">
        {shown === undefined ? <span className="text-ink-faint">{t.hint}</span> : describeHour(shown)}
      </p>
      <p id={hintId} hidden>
        {t.keyHint}
      </p>
      <p aria-live="polite" className="sr-only">
        {isByKey && shown !== undefined && describeHour(shown)}
      </p>
    </div>
  );
}

/** Where each key leads from an hour. */
const STEPS: Readonly<Record<string, (from: number, count: number) => number>> = {
  ArrowLeft: (from) => Math.max(0, from - 1),
  ArrowRight: (from, count) => Math.min(count - 1, from + 1),
  ArrowUp: (from) => (from < HOURS_IN_A_ROW ? from : from - HOURS_IN_A_ROW),
  ArrowDown: (from, count) => (from + HOURS_IN_A_ROW < count ? from + HOURS_IN_A_ROW : from),
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The last hour with calls; without any, the last. */
function findStart(hours: readonly ProviderHistoryBucket[]): number {
  const lastCalled = hours.findLastIndex(({ calls }) => calls > 0);
  return lastCalled === -1 ? hours.length - 1 : lastCalled;
}

interface HourRowProps {
  readonly row: readonly ProviderHistoryBucket[];
  /** The place of its first hour among all. */
  readonly first: number;
  /** A day; without, all there is. */
  readonly isOneOfMany: boolean;
  readonly active: number | null;
}

function HourRow({ row, first, isOneOfMany, active }: HourRowProps) {
  return (
    <div className={`flex min-w-0 flex-1 ${isOneOfMany ? 'h-5' : 'h-9'}`}>
      {row.map((hour, at) => (
        <span
          key={hour.start}
          data-hour={first + at}
          className={`flex min-w-0 flex-1 px-px ${hour.calls > 0 ? 'cursor-pointer' : ''}`}
        >
          <HourBar hour={hour} isActive={first + at === active} />
        </span>
      ))}
      {isOneOfMany &&
        Array.from({ length: HOURS_IN_A_ROW - row.length }, (_, later) => (
          <span key={later} className="min-w-0 flex-1 px-px" />
        ))}
    </div>
  );
}
