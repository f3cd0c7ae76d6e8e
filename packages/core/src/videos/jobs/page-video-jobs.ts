import type { VideoJobPage, VideoJobQuery, VideoJobRepository } from '../../stores/store.ts';
import { announcementOf, type VideoJob } from '../../stores/video-jobs.ts';

/** The last that were ordered of those that a query chooses. Where a store is not asked for a page, of all that it lists. */
export async function pageVideoJobs(jobs: VideoJobRepository, query: VideoJobQuery): Promise<VideoJobPage> {
  if (jobs.page !== undefined) return jobs.page(query);
  const chosen = (await jobs.list())
    .filter((job) => isChosen(job, query))
    .toReversed()
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return { jobs: chosen.slice(0, query.limit), totalCount: chosen.length };
}

function isChosen(job: VideoJob, { status, announcement }: VideoJobQuery): boolean {
  if (status !== undefined && job.status !== status) return false;
  const state = announcementOf(job);
  return announcement === undefined || (announcement === 'any' ? state !== undefined : state === announcement);
}
