import { z } from 'zod';

import { checkWith } from '../../foundation/parse.ts';
import { createVideoCalls, unexpectedResponse, type VideoSettings } from '../kit/video-calls.ts';
import type { VideoOrder, VideoProgress, VideoProvider } from '../video-contract.ts';

const jobSchema = z.object({
  id: z.string().min(1),
  status: z.string(),
  error: z.string().nullish(),
  unsigned_urls: z.array(z.string()).nullish(),
  usage: z.object({ cost: z.number().nullish() }).nullish(),
});
type Job = z.infer<typeof jobSchema>;

const STATUSES: ReadonlySet<string> = new Set<VideoProgress['status']>([
  'pending',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
  'expired',
]);

/**
 * Creates the video part of a provider that is a gateway with this same API (wire.md 15). It supports the idempotency
 * key, so that a submission whose response was lost can be sent again. A caller's options for this provider are, by
 * name, those for the providers behind it.
 */
export function createGatewayVideos(settings: VideoSettings): VideoProvider {
  const { name, baseUrl } = settings;
  const calls = createVideoCalls(settings);

  const readJob = (value: unknown): Job => {
    const job = checkWith(jobSchema, value);
    if (job.success) return job.data;
    throw unexpectedResponse(name);
  };

  const toProgress = ({ status, error, unsigned_urls: urls, usage }: Job): VideoProgress => ({
    status: STATUSES.has(status) ? (status as VideoProgress['status']) : 'unknown',
    ...(error != null && { error: calls.toJobError(error) }),
    // Output addresses require the key, and all have the same form.
    ...(status === 'completed' && { outputs: Array.from({ length: urls?.length ?? 1 }, () => ({})) }),
    ...(usage?.cost != null && { costUsd: usage.cost }),
  });

  return {
    honoursIdempotencyKey: true,
    async start({ providerModel, order, idempotencyKey, signal, timeoutMs }) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const body = JSON.stringify(toRequest(providerModel, order));
      const url = `${baseUrl}/videos`;
      const { value, retryAfterMs } = await calls.json({ method: 'POST', url, headers, body, signal, timeoutMs });
      const job = readJob(value);
      return { ...toProgress(job), ...(retryAfterMs !== undefined && { retryAfterMs }), upstreamId: job.id };
    },
    async poll({ job, signal, timeoutMs }) {
      const url = `${baseUrl}/videos/${encodeURIComponent(job.upstreamId)}`;
      const { value, retryAfterMs } = await calls.json({ method: 'GET', url, signal, timeoutMs });
      return { ...toProgress(readJob(value)), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    },
    fetch({ job, index, headers, signal, timeoutMs }) {
      const url = `${baseUrl}/videos/${encodeURIComponent(job.upstreamId)}/content?index=${index}`;
      return calls.content({ url, headers, signal, timeoutMs });
    },
  };
}

function toRequest(model: string, order: VideoOrder): object {
  const { resolution, aspectRatio, frameImages, inputReferences, options } = order;
  const isNamed = resolution !== undefined && aspectRatio !== undefined;
  return {
    model,
    prompt: order.prompt,
    duration: order.durationSeconds,
    size: isNamed ? undefined : order.size,
    resolution: isNamed || order.size === undefined ? resolution : undefined,
    aspect_ratio: isNamed || order.size === undefined ? aspectRatio : undefined,
    generate_audio: order.generateAudio,
    seed: order.seed,
    creativity: order.creativity,
    upscale_factor: order.upscaleFactor,
    previous_job_id: order.previousUpstreamId,
    ...(frameImages.length > 0 && { frame_images: frameImages }),
    ...(inputReferences.length > 0 && { input_references: inputReferences }),
    ...(Object.keys(options).length > 0 && { provider: { options } }),
  };
}
