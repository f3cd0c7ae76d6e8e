import type { HookParts } from '../../calls/model-call.ts';
import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { Provider } from '../../providers/provider.ts';
import type { RegionOf } from '../../routing/regions.ts';
import type { Store } from '../../stores/store.ts';
import type { IdempotencyGuard } from '../../videos/idempotency.ts';
import type { VideoOrderParts } from '../../videos/order-video.ts';
import type { VideoArchive } from '../../videos/video-archive.ts';
import type { VideoRunner } from '../../videos/video-runner.ts';
import type { WebhookOptions } from '../../webhooks/webhooks.ts';

export interface VideoParts extends EndpointParts {
  readonly store: Pick<Store, 'videoJobs'>;
  readonly providers: readonly Provider[];
  readonly videos: {
    readonly archive: VideoArchive | undefined;
    readonly runner: Pick<VideoRunner, 'inputsOf' | 'lookAt' | 'pollsOf'>;
  };
  readonly logging: { readonly inputOutput: boolean };
}

export interface CreateVideoParts extends VideoOrderParts, HookParts {
  readonly store: Pick<Store, 'videoJobs' | 'workspaces'>;
  readonly videos: VideoOrderParts['videos'] & { readonly idempotency: IdempotencyGuard };
  readonly regionOf: RegionOf;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}
