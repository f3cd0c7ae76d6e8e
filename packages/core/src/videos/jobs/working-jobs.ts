import type { Awaitable } from '../../foundation/awaitable.ts';
import type { VideoJobRepository, WorkingJobsQuery } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';

/** Jobs with work left, oldest first. Where a store is not asked that narrowly, all that it lists. */
export function listWorkingJobs(jobs: VideoJobRepository, query: WorkingJobsQuery): Awaitable<readonly VideoJob[]> {
  return jobs.listWorking === undefined ? jobs.list() : jobs.listWorking(query);
}
