import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';
import type { VideoRunner } from '../../videos/video-runner.ts';

export interface WebhookParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'videoJobs'>;
  readonly videos: { readonly runner: Pick<VideoRunner, 'announce'> };
}
