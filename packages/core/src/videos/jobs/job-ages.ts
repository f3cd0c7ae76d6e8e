import type { Platform } from '../../foundation/platform.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';

/** The ages of jobs, which a wall clock that is set while this process runs does not change. */
export interface JobAges {
  /** Milliseconds since the job was ordered, at most its whole time. */
  ageMs(job: VideoJob): number;
  /** Milliseconds to its deadline; 0 from then on. */
  remainingMs(job: VideoJob): number;
  forget(job: VideoJob): void;
}

/** Reads the wall clock once for each job, when it is first asked for, because stored times are of that clock. */
export function createJobAges(platform: Pick<Platform, 'now' | 'monotonicNow'>): JobAges {
  /** Times on the monotonic clock, which may lie before the start of the process. */
  const orderedAt = new Map<string, number>();
  const wholeMs = ({ createdAt, deadlineAt }: VideoJob): number => deadlineAt - createdAt;
  const ageMs = (job: VideoJob): number => {
    const now = platform.monotonicNow();
    let at = orderedAt.get(job.id);
    if (at === undefined) {
      // After the clock was set back, the order may lie in the future: it counts as new then.
      at = now - Math.max(platform.now() - job.createdAt, 0);
      orderedAt.set(job.id, at);
    }
    return Math.min(now - at, wholeMs(job));
  };
  return {
    ageMs,
    remainingMs: (job) => wholeMs(job) - ageMs(job),
    forget: ({ id }) => void orderedAt.delete(id),
  };
}
