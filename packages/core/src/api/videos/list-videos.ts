import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { readQuery } from '../../wire/page-query.ts';
import { type VideoRow, videoListQuerySchema } from '../../wire/videos/video-list.ts';
import { hasEnded, type VideoJob } from '../../stores/video-job.ts';

/** `GET /admin/v1/videos`: the jobs that the store holds, newest first. What was asked for is read with the generation. */
export async function listVideos({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { status, limit } = readQuery(videoListQuerySchema, request.query);
  const jobs = (await runtime.store.videoJobs.list())
    .filter((job) => status === undefined || job.status === status)
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return toJsonResponse(200, { data: jobs.slice(0, limit).map(toVideoRow), total_count: jobs.length });
}

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
