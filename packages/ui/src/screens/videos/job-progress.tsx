import { useEffect, useState } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { estimateProgress } from './expect-duration.ts';

const TICK_MS = 1000;

interface JobProgressProps {
  readonly createdAt: string;
  /** Usual duration of such jobs; null when it is unknown. */
  readonly expectedMs: number | null;
  readonly isDetailed?: boolean;
}

/** How far a job may be. Providers do not say, so it is told for what it is: an estimate. */
export function JobProgress({ createdAt, expectedMs, isDetailed = false }: JobProgressProps) {
  const now = useNow();
  const elapsed = Math.max(0, now - Date.parse(createdAt));
  const progress = estimateProgress(createdAt, expectedMs, now);
  const percent = progress === null ? null : Math.round(progress * 100);
  const told = `${formatDuration(elapsed)} so far${expectedMs === null ? '' : `, usually ${formatDuration(expectedMs)}`}`;
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label="Progress, estimated"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
        aria-valuetext={told}
        title={told}
        className="h-2 w-full overflow-hidden rounded-full bg-raised"
      >
        <span
          className={`block h-full rounded-full bg-accent ${percent === null ? 'w-1/3 animate-pulse' : ''}`}
          style={percent === null ? undefined : { width: `${percent}%` }}
        />
      </div>
      {isDetailed && (
        <p className="figures text-xs text-ink-faint">
          {told}
          {percent !== null && ` (about ${percent} %, an estimate)`}
        </p>
      )}
    </div>
  );
}

/** The time, once a second while the page is in sight. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
