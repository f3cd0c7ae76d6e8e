import { toUsd } from '../catalog/nano-usd.ts';
import { mountPathOf } from '../http/request.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import type { VideoResponse } from '../wire/videos.ts';

/** A job as callers see it. `baseUrl` is where the gateway is mounted, as callers see it; empty at the root. */
export function toVideoResponse(job: VideoJob, baseUrl: string): VideoResponse {
  return {
    id: job.id,
    polling_url: `${mountPathOf({ baseUrl })}/api/v1/videos/${job.id}`,
    status: job.status,
    ...toResult(job, `${baseUrl}/api/v1/videos/${job.id}`),
  };
}

/** The result of a job that has ended; no fields before that, because clients treat null as a broken response. */
export function toResult(
  job: VideoJob,
  url: string,
): Pick<VideoResponse, 'generation_id' | 'error' | 'unsigned_urls' | 'usage'> {
  switch (job.status) {
    case 'pending':
    case 'in_progress':
      return {};
    case 'completed':
      return {
        generation_id: job.generationId,
        unsigned_urls: job.outputs.map((_, index) => `${url}/content?index=${index}`),
        usage: { cost: job.costNanoUsd === null ? null : toUsd(job.costNanoUsd), is_byok: job.isByok },
      };
    case 'failed':
    case 'cancelled':
    case 'expired':
      return { generation_id: job.generationId, error: job.error ?? 'The video could not be made' };
  }
}
