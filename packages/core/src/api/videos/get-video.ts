import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { toVideoResponse } from '../../videos/to-video-response.ts';
import type { VideoJob } from '../../stores/video-job.ts';

/** `GET /videos/{jobId}` */
export async function getVideo(context: RequestContext): Promise<GatewayResponse> {
  return toJsonResponse(200, toVideoResponse(await findReadableJob(context), context.request.baseUrl));
}

/** Whose key started the job may read it, and management. To everybody else it does not exist. */
export async function findReadableJob({ params, principal, runtime }: RequestContext): Promise<VideoJob> {
  const id = params['jobId'] ?? '';
  const job = await runtime.store.videoJobs.get(id);
  const isReadable = job !== undefined && (principal.kind === 'management' || job.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
  return job;
}
