import type { RequestCounters } from './api/system/system-parts.ts';
import type { AttemptParts } from './dispatch/run-attempts.ts';
import type { RoutingParts } from './routing/plan-call.ts';
import type { CallerParts } from './dispatch/find-caller.ts';
import type { CallCounters } from './dispatch/call-counters.ts';
import type { OpenCalls } from './dispatch/open-calls.ts';
import type { Recorder } from './dispatch/recorder.ts';
import type { Stage } from './chat/stages/stage.ts';
import type { Timeouts } from './foundation/timeouts.ts';
import type { ProviderChecks } from './api/providers/provider-checks.ts';
import type { MemberDirectory } from './auth/members.ts';
import type { Logger } from './foundation/logger.ts';
import type { AccountOptions } from './auth/account.ts';
import type { Authenticate } from './auth/authenticate.ts';
import type { FindKeyNames } from './auth/key-names.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Broadcaster } from './broadcast/broadcaster.ts';
import type { BroadcastOptions } from './broadcast/destination-format.ts';
import type { Moderator } from './chat/moderate-call.ts';
import type { ResponseCache } from './chat/stages/response-cache/response-cache.ts';
import type { ServerTool } from './chat/stages/server-tools/server-tool.ts';
import type { WebAccess } from './chat/stages/web-access.ts';
import type { Ledger } from './budgets/ledger.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { FixtureLibrary } from './api/fixtures/fixture-library.ts';
import type { CallFigures } from './generations/call-figures.ts';
import type { GenerationFeed } from './generations/generation-feed.ts';
import type { SerialQueue } from './foundation/serial-queue.ts';
import type { PolicyOf } from './guardrails/policy-of.ts';
import type { Platform } from './foundation/platform.ts';
import type { Provider } from './providers/provider.ts';
import type { RateLimits } from './rate-limits/rate-limits.ts';
import type { HealthBoard } from './routing/health/health-board.ts';
import type { RandomSource } from './routing/random.ts';
import type { RegionOf } from './routing/region-of.ts';
import type { RetryBudget } from './routing/health/retry-budget.ts';
import type { RouterName, RouterStrategy } from './routing/router.ts';
import type { Store } from './stores/store.ts';
import type { TimerWheel } from './foundation/timer-wheel.ts';
import type { IdempotencyGuard } from './videos/idempotency.ts';
import type { VideoChanges } from './videos/video-changes.ts';
import type { VideoKeeper } from './videos/archive/video-archive.ts';
import type { VideoRunner } from './videos/video-runner.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

/** What every request of one gateway shares. Made once by `createGateway`; there are no globals beside it. */
export interface Runtime {
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly attempts: AttemptParts;
  readonly platform: Platform;
  readonly wheel: TimerWheel;
  readonly timeouts: Timeouts;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly providers: readonly Provider[];
  /** Undefined where the host tells nothing of connections. */
  readonly providerChecks: ProviderChecks | undefined;
  /** Undefined where the host has none. */
  readonly fixtures: FixtureLibrary | undefined;
  readonly authenticate: Authenticate;
  readonly findKeyNames: FindKeyNames;
  /** Of browsers; null where the host authenticates. */
  readonly sessions: Sessions | null;
  /** As it is set now: read it anew for every request. */
  readonly account: AccountOptions;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly policyOf: PolicyOf;
  /** What is held against budgets for calls under way. */
  readonly ledger: Ledger;
  /** Null without any. */
  readonly rateLimits: RateLimits | null;
  readonly health: HealthBoard;
  readonly retryBudget: RetryBudget;
  readonly random: RandomSource;
  readonly regionOf: RegionOf;
  readonly responseCache: ResponseCache;
  readonly web: WebAccess;
  /** The embedder's own; the built-in ones stand beside them. */
  readonly serverTools: readonly ServerTool[];
  readonly moderator: Moderator | undefined;
  readonly routers: Readonly<Record<RouterName, RouterStrategy>>;
  readonly logging: { readonly inputOutput: boolean; readonly maxContentBytes: number };
  readonly videos: {
    readonly runner: VideoRunner;
    readonly idempotency: IdempotencyGuard;
    readonly changes: VideoChanges;
    readonly keeper: VideoKeeper | undefined;
  };
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
  readonly broadcaster: Broadcaster;
  /** Undefined: nothing is sent to destinations. */
  readonly broadcast: BroadcastOptions | undefined;
  readonly logger: Logger;
  /** What this process has recorded of late. */
  readonly generationFeed: GenerationFeed;
  /** Settles long streamed answers. */
  readonly longCompletions: SerialQueue;
  /** Random text that tells this gateway from every other. */
  readonly instanceId: string;
  /** Fires when the gateway begins to close. */
  readonly closing: AbortSignal;
  /** Calls under way. Closing the gateway interrupts what is left of them with the given error. */
  readonly openCalls: OpenCalls;
  /** Writes down every generation. */
  readonly recorder: Recorder;
  /** Everything optional on the way of a chat call. */
  readonly stages: readonly Stage[];
  /** Sums by provider, for metrics. */
  readonly callFigures: CallFigures;
  /** The OpenAPI document, as text; made when it is first asked for, and then kept. */
  readonly describeApi: () => Promise<string>;
  /** Counters that only rise, for metrics. */
  readonly counters: RequestCounters & CallCounters;
}
