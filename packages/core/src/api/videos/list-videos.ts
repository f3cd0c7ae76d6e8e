import { operation } from '../../http/operation.ts';
import { hasEnded, type VideoJob } from '../../stores/video-jobs.ts';
import { pageVideoJobs } from '../../videos/video-job.ts';
import { videoListQuerySchema, videoListSchema, type VideoRow } from '../../wire/videos.ts';
import type { VideoParts } from './video-parts.ts';

/** `GET /admin/v1/videos`: the store's jobs, newest first. The request's content is read with the generation. */
export const listVideos = operation<VideoParts>()({
  query: videoListQuerySchema,
  response: videoListSchema,
  async run({ parts, query: { status, limit } }) {
    const { jobs, totalCount } = await pageVideoJobs(parts.store.videoJobs, { status, limit });
    return { data: jobs.map(toVideoRow), total_count: totalCount };
  },
});

// The row omits the prompt: it must not remain readable here after the content of the generation was deleted.
function toVideoRow(job: VideoJob): VideoRow {
  const { order, costNanoUsd } = job;
  const isCompleted = job.status === 'completed';
  return {
    id: job.id,
    status: job.status,
    model: job.modelId,
    provider_name: job.providerName,
    key_hash: job.principalId,
    generation_id: job.generationId,
    created_at: new Date(job.createdAt).toISOString(),
    ended_at: hasEnded(job) ? new Date(job.updatedAt).toISOString() : null,
    duration: order.durationSeconds ?? null,
    size: order.size ?? null,
    resolution: order.resolution ?? null,
    aspect_ratio: order.aspectRatio ?? null,
    videos: isCompleted ? job.outputs.length : 0,
    cost: isCompleted && costNanoUsd !== null ? costNanoUsd / 1e9 : null,
    error: job.error,
  };
}
