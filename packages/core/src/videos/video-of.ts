import type { Provider } from '../providers/provider.ts';
import type { VideoProvider } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-job.ts';

/**
 * Who makes a job's video; undefined when that one is no longer configured. A job under way needs nothing else: its
 * model may have gone from the configuration, or not have been discovered yet.
 */
export function videoOf(
  { providerSlug }: Pick<VideoJob, 'providerSlug'>,
  providers: readonly Provider[],
): VideoProvider | undefined {
  return providers.find(({ slug }) => slug === providerSlug)?.video;
}
