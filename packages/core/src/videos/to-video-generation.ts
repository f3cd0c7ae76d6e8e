import { toUsd } from '../catalog/nano-usd.ts';
import { UNKNOWN_GENERATION } from '../generations/to-generation.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-job.ts';
import { toDataRegion } from '../wire/data-region.ts';
import type { GenerationContent } from '../wire/generations/generation.ts';

/** The record of a job that has ended, as `GET /generation` shows it. Tokens are no measure of a video. */
export function toVideoGeneration(job: VideoJob): GenerationRecord {
  const costUsd = toUsd(job.costNanoUsd ?? 0);
  const isCompleted = job.status === 'completed';
  return {
    principalId: job.principalId,
    ...(job.userId != null && { userId: job.userId }),
    costNanoUsd: job.costNanoUsd ?? 0,
    generation: {
      ...UNKNOWN_GENERATION,
      id: job.generationId,
      request_id: job.id,
      upstream_id: job.upstream?.upstreamId ?? null,
      session_id: job.sessionId,
      created_at: new Date(job.createdAt).toISOString(),
      model: job.modelId,
      provider_name: job.providerName,
      api_type: 'video',
      external_user: job.user,
      workspace_id: job.workspaceId,
      data_region: job.region === undefined ? 'global' : (job.dataRegion ?? toDataRegion(job.region)),
      ...(job.region !== undefined && { called_region: job.region }),
      is_byok: job.isByok,
      cancelled: job.status === 'cancelled',
      finish_reason: isCompleted ? 'stop' : 'error',
      native_finish_reason: job.status,
      native_tokens_prompt: null,
      native_tokens_completion: null,
      num_media_prompt: job.order.frameImages.length + job.order.inputReferences.length,
      num_media_completion: job.outputs.length,
      num_input_audio_prompt: null,
      total_cost: costUsd,
      usage: costUsd,
      generation_time: job.updatedAt - job.createdAt,
      cost_known: job.costNanoUsd !== null,
      ...(job.pipeline !== undefined && { pipeline: [...job.pipeline] }),
    },
  };
}

export function toVideoContent({ order, status, error, providerName }: VideoJob): GenerationContent {
  return {
    input: { prompt: order.prompt ?? '' },
    output: { completion: null, reasoning: null },
    error:
      status === 'completed'
        ? null
        : { message: error, status: null, provider_name: providerName, raw: null, previous_errors: [] },
  };
}
