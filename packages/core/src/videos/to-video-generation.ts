import type { Endpoint } from '../catalog/catalog.ts';
import { toUsd } from '../catalog/nano-usd.ts';
import { UNKNOWN_GENERATION } from '../generations/to-generation.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { toDataRegion } from '../wire/fields.ts';
import type { GenerationContent, MediaInput, ProviderResponse } from '../wire/generation.ts';

/**
 * The record of a job that has ended, as `GET /generation` shows it. Tokens are no measure of a video. Without
 * `isContentStored`, it has no text from upstream.
 */
export function toVideoGeneration(
  job: VideoJob,
  endpoint: Endpoint | undefined,
  isContentStored: boolean,
): GenerationRecord {
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
      provider_responses: [...(job.refusals ?? []), toLastResponse(job, isContentStored)],
      cost_known: job.costNanoUsd !== null,
      ...(job.pipeline !== undefined && { pipeline: [...job.pipeline] }),
      ...(job.narrowedBy !== undefined && { narrowed_by: [...job.narrowedBy] }),
    },
  };
}

/** The provider that took the job, or was asked last. One that makes no video has taken it all the same. */
function toLastResponse(job: VideoJob, isContentStored: boolean): ProviderResponse {
  const response: ProviderResponse = {
    endpoint_id: `${job.endpointTag}:${job.providerModel}`,
    ...(job.upstream !== null && { id: job.upstream.upstreamId }),
    is_byok: job.isByok,
    model_permaslug: job.modelId,
    provider_name: job.providerName,
    status: job.upstream === null ? null : 200,
  };
  if (job.status === 'completed') return response;
  const error =
    job.status === 'expired' ? { code: 408, error_type: 'timeout' } : { code: 502, error_type: 'provider_unavailable' };
  return { ...response, error: isContentStored && job.error !== null ? { ...error, message: job.error } : error };
}

export function toVideoContent(
  { order, status, error, providerName }: VideoJob,
  inputs: readonly MediaInput[],
): GenerationContent {
  return {
    input: { prompt: order.prompt ?? '', ...(inputs.length > 0 && { media: [...inputs] }) },
    output: { completion: null, reasoning: null },
    error:
      status === 'completed'
        ? null
        : { message: error, status: null, provider_name: providerName, raw: null, previous_errors: [] },
  };
}
