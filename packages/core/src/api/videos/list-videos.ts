import { operation } from '../../http/operation.ts';
import { videoListQuerySchema, videoListSchema, type VideoRow } from '../../wire/videos/video-list.ts';
import { hasEnded, type VideoJob } from '../../stores/video-job.ts';
import type { VideoParts } from './video-parts.ts';

/** `GET /admin/v1/videos`: the jobs that the store holds, newest first. What was asked for is read with the generation. */
export const listVideos = operation<VideoParts>()({
  query: videoListQuerySchema,
  response: videoListSchema,
  async run({ parts, query: { status, limit } }) {
    const jobs = (await parts.store.videoJobs.list())
      .filter((job) => status === undefined || job.status === status)
      .toSorted((a, b) => b.createdAt - a.createdAt);
    return { data: jobs.slice(0, limit).map(toVideoRow), total_count: jobs.length };
  },
});

// Without the prompt: deleting a generation's content must not leave it to be read here.
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
