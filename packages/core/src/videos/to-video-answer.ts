import { toUsd } from '../foundation/nano-usd.ts';
import type { VideoJob } from '../stores/video-job.ts';

/** A job as `POST /videos` and `GET /videos/{id}` answer it (api reference 15.1). */
export interface VideoAnswer {
  readonly id: string;
  readonly polling_url: string;
  readonly status: VideoJob['status'];
  readonly generation_id?: string;
  readonly error?: string;
  readonly unsigned_urls?: readonly string[];
  readonly usage?: { readonly cost: number | null; readonly is_byok: boolean };
}

/** `baseUrl` is where the gateway is mounted, as callers see it; empty at the root. */
export function toVideoAnswer(job: VideoJob, baseUrl: string): VideoAnswer {
  const path = `${pathOf(baseUrl)}/api/v1/videos/${job.id}`;
  return {
    id: job.id,
    polling_url: path,
    status: job.status,
    ...toResult(job, `${baseUrl}/api/v1/videos/${job.id}`),
  };
}

/** What is known of a job once it has ended; nothing before that, because clients take null for a broken answer. */
export function toResult(
  job: VideoJob,
  url: string,
): Pick<VideoAnswer, 'generation_id' | 'error' | 'unsigned_urls' | 'usage'> {
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

const pathOf = (baseUrl: string): string => baseUrl.replace(/^[a-z]+:\/\/[^/]*/i, '');
