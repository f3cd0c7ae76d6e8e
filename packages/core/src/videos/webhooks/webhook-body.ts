import type { VideoJob } from '../../stores/video-jobs.ts';
import { toResult } from '../to-video-response.ts';

/** The body of the message that announces the end of a job (wire.md 15.6), as the text that is signed and sent. */
export function toWebhookBody(job: VideoJob, url: string, at: number): string {
  const { generation_id: _, ...result } = toResult(job, url);
  return JSON.stringify({
    type: `video.generation.${job.status}`,
    created_at: new Date(at).toISOString(),
    data: { id: job.id, status: job.status, generation_id: job.generationId, model: job.modelId, ...result },
  });
}
