import type { VideoRow } from '@model-gateway/core/wire';
import { useEffect, useState } from 'react';

import { formatDuration, formatPercent } from '../../format/quantity.ts';
import { videosMessages } from './messages.tsx';

const TICK_MS = 1000;

interface JobProgressProps {
  readonly createdAt: string;
  /** Usual duration of such jobs; null when it is unknown. */
  readonly expectedMs: number | null;
  readonly isDetailed?: boolean;
}

/** How far a job may be. Providers do not say, so it is told for what it is: an estimate. */
export function JobProgress({ createdAt, expectedMs, isDetailed = false }: JobProgressProps) {
  const { progress: t } = videosMessages();
  const now = useNow();
  const elapsed = Math.max(0, now - Date.parse(createdAt));
  const progress = estimateProgress(createdAt, expectedMs, now);
  const percent = progress === null ? null : Math.round(progress * 100);
  const told = t.elapsed(formatDuration(elapsed), expectedMs === null ? null : formatDuration(expectedMs));
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label={t.label}
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
          {percent !== null && t.percent(formatPercent(percent))}
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

type Timed = Pick<VideoRow, 'model' | 'created_at' | 'ended_at'> & { readonly status: string };

/** How long jobs of a model have taken so far, as their median in milliseconds; null where none has completed. */
export function expectDuration(model: string, jobs: readonly Timed[]): number | null {
  const taken = jobs
    .filter((job) => job.model === model && job.status === 'completed')
    .map(tookMs)
    .filter((ms) => ms !== null)
    .toSorted((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)] ?? null;
}

/** Milliseconds from beginning to end; null while it is open. */
export function tookMs({ created_at: from, ended_at: to }: Pick<Timed, 'created_at' | 'ended_at'>): number | null {
  return to === null ? null : Date.parse(to) - Date.parse(from);
}

/** The share of the expected time that has passed, always below 1: it is unknown whether a job is about to end. */
export function estimateProgress(createdAt: string, expectedMs: number | null, nowMs: number): number | null {
  if (expectedMs === null || expectedMs <= 0) return null;
  return Math.min(0.95, Math.max(0, (nowMs - Date.parse(createdAt)) / expectedMs));
}
