import type { Platform } from '../foundation/platform.ts';
import type { Repository } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';

/** Access to a job's row for all background work. */
export interface OwnedJobs {
  /** Returns the job if this process owns it now; else the time until the next try, or undefined for an unknown job. */
  take(id: string): Promise<VideoJob | { readonly againMs: number } | undefined>;
  /** Whether the job still has no other owner. */
  isOurs(owned: VideoJob): Promise<boolean>;
  /** Extends the ownership to this time from now, if it ends before. */
  extend(owned: VideoJob, forMs: number): Promise<void>;
  /** Gives it up, so that another process takes over at once. */
  release(owned: VideoJob): Promise<void>;
  /** Changes the job, unless it has another owner by now. Resolves with the current job. */
  update(owned: VideoJob, change: (latest: VideoJob) => VideoJob): Promise<VideoJob | undefined>;
}

export const LEASE_MS = 60_000;
/** Minimum time of ownership after a job is taken: longer than a step takes, and the clocks of machines may differ. */
const TAKEN_FOR_MS = 45_000;
/** An owner keeps its job for this long beyond the beginning of its next step, whatever the clocks of others say. */
export const CLOCKS_MS = 15_000;

/** Ownership until the beginning of a step that comes after this time. */
export const leaseUntil = (nowMs: number, waitMs: number): number => nowMs + waitMs + CLOCKS_MS;

/** Creates the access. A store with a single process needs no leases, and a restart there resumes its jobs at once. */
export function createOwnedJobs(
  jobs: Repository<VideoJob>,
  platform: Pick<Platform, 'now'>,
  findOwnerId: (() => string) | null,
): OwnedJobs {
  const isStillOurs = (owned: VideoJob, latest: VideoJob): boolean => owned.lease?.token === latest.lease?.token;
  const update: OwnedJobs['update'] = (owned, change) =>
    jobs.update(owned.id, (latest) => (isStillOurs(owned, latest) ? change(latest) : latest));
  return {
    async take(id) {
      const job = await jobs.get(id);
      if (findOwnerId === null || job === undefined) return job;
      const ownerId = findOwnerId();
      const now = platform.now();
      const isOurs = job.lease?.ownerId === ownerId;
      if (isOurs && (job.lease?.untilMs ?? 0) > now + TAKEN_FOR_MS) return job;
      if (!isOurs && isOwned(job, now)) return { againMs: toWait(job, now) };
      const taken = await jobs.update(id, (latest) => {
        const { lease } = latest;
        if (lease?.ownerId !== ownerId && isOwned(latest, now)) return latest;
        const token = lease?.ownerId === ownerId ? lease.token : (lease?.token ?? 0) + 1;
        return { ...latest, lease: { ownerId, token, untilMs: now + LEASE_MS } };
      });
      if (taken === undefined || taken.lease?.ownerId === ownerId) return taken;
      return { againMs: toWait(taken, now) };
    },
    isOurs: async (owned) => findOwnerId === null || isStillOurs(owned, (await jobs.get(owned.id)) ?? owned),
    async release(owned) {
      await update(owned, (latest) =>
        latest.lease == null ? latest : { ...latest, lease: { ...latest.lease, untilMs: 0 } },
      );
    },
    async extend(owned, forMs) {
      const untilMs = platform.now() + forMs;
      await update(owned, (latest) => {
        const { lease } = latest;
        return lease == null || lease.untilMs >= untilMs ? latest : { ...latest, lease: { ...lease, untilMs } };
      });
    },
    update,
  };
}

/** Whether a process owns it at this time. */
export const isOwned = ({ lease }: Pick<VideoJob, 'lease'>, nowMs: number): boolean =>
  lease != null && lease.untilMs > nowMs;

// No longer than a lease, because the wall clock may have been set back since it was taken.
const toWait = ({ lease }: VideoJob, nowMs: number): number =>
  Math.min(Math.max((lease?.untilMs ?? nowMs) - nowMs, 1000), LEASE_MS);
