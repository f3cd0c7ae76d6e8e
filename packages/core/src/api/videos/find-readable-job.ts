import { GatewayError } from '../../foundation/errors.ts';
import type { Principal } from '../../http/request.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import type { VideoParts } from './video-parts.ts';

interface Reader {
  readonly principal: Principal;
  readonly parts: Pick<VideoParts, 'store'>;
}

/** Finds a job for the key that started it or for management. Throws `not_found` for every other caller. */
export async function findReadableJob(id: string, { principal, parts }: Reader): Promise<VideoJob> {
  const job = await parts.store.videoJobs.get(id);
  const isReadable = job !== undefined && (principal.kind === 'management' || job.principalId === principal.id);
  if (!isReadable) throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
  return job;
}
