import type { Ledger } from '../../budgets/ledger.ts';
import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { Logger } from '../../foundation/logger.ts';
import type { Provider } from '../../providers/provider.ts';
import type { RateLimits } from '../../rate-limits/rate-limits.ts';
import type { Store } from '../../stores/store.ts';
import type { VideoKeeper } from '../../videos/archive/video-archive.ts';
import type { IdempotencyGuard } from '../../videos/idempotency.ts';
import type { VideoRouteQuery } from '../../videos/plan-video-route.ts';
import type { reserveVideo } from '../../videos/reserve-video.ts';
import type { VideoChanges } from '../../videos/video-changes.ts';
import type { VideoRunner } from '../../videos/video-runner.ts';
import type { WebhookOptions } from '../../webhooks/webhook-options.ts';

/** What the operations on videos use of a gateway. */
export interface VideoParts extends EndpointParts {
  readonly store: Pick<Store, 'videoJobs'>;
  readonly providers: readonly Provider[];
  readonly videos: { readonly keeper: VideoKeeper | undefined };
}

/** What making a new one uses, beside what routes it and what holds its price against budgets. */
interface MakingParts {
  readonly store: Store;
  readonly logger: Logger;
  readonly ledger: Ledger;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly logging: { readonly inputOutput: boolean };
  readonly videos: {
    readonly runner: VideoRunner;
    readonly idempotency: IdempotencyGuard;
    readonly changes: VideoChanges;
  };
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}
export type NewVideoParts = VideoRouteQuery['context']['parts'] & Parameters<typeof reserveVideo>[1] & MakingParts;
