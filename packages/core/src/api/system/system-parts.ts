import type { AuthenticateCaller } from '../../auth/authenticate.ts';
import type { Broadcaster } from '../../broadcast/broadcaster.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { OpenCalls } from '../../dispatch/open-calls.ts';
import type { CallCounters } from '../../dispatch/recorder.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import type { Closing, Engine, InstanceFacts, MetricsOptions } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { CallFigures } from '../../generations/call-figures.ts';
import type { GenerationFeed } from '../../generations/feed.ts';
import type { Ledger } from '../../limits/ledger.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { Store } from '../../stores/store.ts';

/** Requests of every kind since the start. */
export interface RequestCounters {
  requests: number;
  /** Responses by HTTP status. */
  readonly statuses: Map<number, number>;
  /** Requests refused before anything was recorded, by the code of the error. */
  readonly refusals: Map<ErrorCode, number>;
}

export interface SystemParts {
  readonly authenticate: AuthenticateCaller;
  readonly store: Pick<Store, 'engine' | 'figures' | 'readiness' | 'retention' | 'videoJobs'>;
  readonly closing: Pick<Closing, 'hasBegun'>;
  /** Of what processes share beside the store. */
  readonly shared: { readonly engine?: Engine | undefined } | undefined;
  /** What the host tells of its process. */
  readonly instance: InstanceFacts | undefined;
  /** Random text that identifies this gateway. */
  readonly instanceId: () => string;
  readonly metrics: MetricsOptions | undefined;
  readonly platform: Pick<Platform, 'setTimer' | 'sha256'>;
  readonly catalog: Catalog;
  readonly health: HealthBoard;
  readonly ledger: Ledger;
  readonly broadcaster: Broadcaster;
  readonly generationFeed: GenerationFeed;
  readonly openCalls: OpenCalls;
  readonly callFigures: CallFigures;
  /** Counters that only rise. */
  readonly counters: RequestCounters & CallCounters;
  /** The OpenAPI document without `servers`; made at the first request for it, and then reused. */
  readonly describeApi: () => Promise<Readonly<Record<string, unknown>>>;
}
