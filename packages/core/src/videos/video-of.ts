import type { Provider } from '../providers/provider.ts';
import type { VideoProvider } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-job.ts';

/** By provider alone, undefined when it is gone: the model may have been removed or not have been discovered yet. */
export function videoOf(
  { providerSlug }: Pick<VideoJob, 'providerSlug'>,
  providers: readonly Provider[],
): VideoProvider | undefined {
  return providers.find(({ slug }) => slug === providerSlug)?.video;
}
