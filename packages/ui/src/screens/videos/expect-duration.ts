import type { VideoRow } from '@model-gateway/core/wire';

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
