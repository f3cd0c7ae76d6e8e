import type { Platform } from '../../foundation/platform.ts';
import type { Repository } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-job.ts';

/** Access to a job's row for all background work. */
export interface OwnedJobs {
  /** Returns the job if this process owns it now; else the time until the next try, or undefined for an unknown job. */
  take(id: string): Promise<VideoJob | { readonly againMs: number } | undefined>;
  /** Whether the job still has no other owner. */
  isOurs(owned: VideoJob): Promise<boolean>;
  /** Extends the ownership by this time. */
  extend(owned: VideoJob, forMs: number): Promise<void>;
  /** Changes the job, unless it has another owner by now. Resolves with the current job. */
  update(owned: VideoJob, change: (latest: VideoJob) => VideoJob): Promise<VideoJob | undefined>;
}

export const LEASE_MS = 60_000;
/** Minimum time of ownership after a job is taken: longer than the usual wait for the next poll. */
export const TAKEN_FOR_MS = 45_000;

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
      if (job.lease?.ownerId === ownerId && job.lease.untilMs > now + TAKEN_FOR_MS) return job;
      const taken = await jobs.update(id, (latest) => {
        const { lease } = latest;
        if (lease != null && lease.ownerId !== ownerId && lease.untilMs > now) return latest;
        const token = lease?.ownerId === ownerId ? lease.token : (lease?.token ?? 0) + 1;
        return { ...latest, lease: { ownerId, token, untilMs: now + LEASE_MS } };
      });
      if (taken === undefined || taken.lease?.ownerId === ownerId) return taken;
      // No longer than a lease, because the wall clock may have been set back since it was taken.
      return { againMs: Math.min(Math.max((taken.lease?.untilMs ?? now) - now, 1000), LEASE_MS) };
    },
    isOurs: async (owned) => findOwnerId === null || isStillOurs(owned, (await jobs.get(owned.id)) ?? owned),
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
