import { GatewayError } from '../foundation/errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { VideoContent, VideoFetch } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { videoOf } from './video-of.ts';

/** Limit to upstream's first byte, and between two pieces. */
const FETCH_TIMEOUT_MS = 60_000;
/** Accepted content types; an error page has another one. */
const FILM_TYPE = /^(video\/|audio\/|image\/|application\/(octet-stream|mp4)|binary\/octet-stream)/i;

/** Opens a completed job's video. Throws `gone` when upstream has deleted it, else `provider_unavailable`. */
export async function openUpstreamVideo(
  job: VideoJob,
  { index, ...request }: Pick<VideoFetch, 'index' | 'headers' | 'signal'>,
  providers: readonly Provider[],
): Promise<VideoContent> {
  const video = videoOf(job, providers);
  const output = job.outputs[index];
  if (video === undefined || job.upstream === null || output === undefined) {
    throw new GatewayError('gone', `The video is kept by ${job.providerName}, which is no longer configured`);
  }
  const call = { ...request, job: job.upstream, index, output, timeoutMs: FETCH_TIMEOUT_MS };
  const content = await video.fetch(call).catch((error: unknown) => refuse(error, job));
  if (content.status === 416 || isFilm(content)) return content;
  await content.body[Symbol.asyncIterator]().return?.();
  throw new GatewayError('provider_unavailable', `${job.providerName} delivered something else than the video`);
}

function isFilm({ headers }: VideoContent): boolean {
  const type = headers['content-type'];
  return headers['content-length'] !== '0' && (type === undefined || FILM_TYPE.test(type));
}

/** Upstreams store a video for a limited time only. */
function refuse(error: unknown, job: VideoJob): never {
  if (error instanceof GatewayError && error.code === 'not_found') {
    throw new GatewayError('gone', `${job.providerName} no longer has this video`, { cause: error });
  }
  throw new GatewayError('provider_unavailable', `${job.providerName} did not deliver the video`, { cause: error });
}
