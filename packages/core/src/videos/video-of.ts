import type { Provider } from '../providers/provider.ts';
import type { VideoProvider } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-jobs.ts';

/**
 * Returns the video part of a job's provider; undefined when that is no longer configured. A job under way needs
 * nothing else: its model may have been removed from the configuration, or not have been discovered yet.
 */
export function videoOf(
  { providerSlug }: Pick<VideoJob, 'providerSlug'>,
  providers: readonly Provider[],
): VideoProvider | undefined {
  return providers.find(({ slug }) => slug === providerSlug)?.video;
}
