import { createOpenCalls } from './dispatch/open-calls.ts';
import { createChatStages } from './chat/stages/chat-stages.ts';
import { createRecorder } from './dispatch/recorder.ts';
import { createCallCounters } from './dispatch/call-counters.ts';
import { ROUTES } from './api/routes.ts';
import type { Logger } from './foundation/logger.ts';
import { DEFAULT_TIMEOUTS } from './foundation/timeouts.ts';
import { createLiveAccount } from './auth/account.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createFindKeyNames } from './auth/key-names.ts';
import { createSessions } from './auth/sessions.ts';
import { createBroadcaster } from './broadcast/broadcaster.ts';
import { createLedger } from './budgets/ledger.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createResponseCache } from './chat/stages/response-cache/response-cache.ts';
import { createCallFigures } from './generations/call-figures.ts';
import { createGenerationFeed } from './generations/generation-feed.ts';
import { createSerialQueue } from './foundation/serial-queue.ts';
import { createPolicyOf } from './guardrails/policy-of.ts';
import type { GatewayOptions } from './options.ts';
import { createWebPlatform } from './foundation/platform.ts';
import { createRandomId } from './foundation/random-id.ts';
import { createRateLimits } from './rate-limits/rate-limits.ts';
import { routeAuto } from './routing/auto-router.ts';
import { routeFree } from './routing/free-router.ts';
import { createHealthBoard } from './routing/health/health-board.ts';
import { createRandomSource } from './routing/random.ts';
import { createRegionOf } from './routing/region-of.ts';
import { createRetryBudget } from './routing/health/retry-budget.ts';
import type { Runtime } from './runtime.ts';
import { createTimerWheel } from './foundation/timer-wheel.ts';
import { findVideoHolds } from './videos/reserve-video.ts';
import { createIdempotencyGuard } from './videos/idempotency.ts';
import { createVideoChanges } from './videos/video-changes.ts';
import { createVideoRunner } from './videos/video-runner.ts';

const SILENT: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Makes what all requests of a gateway share. Throws `RangeError` when a model names a provider that is not there. */
export function createRuntime(options: GatewayOptions, closing: AbortSignal): Runtime {
  const platform = options.platform ?? createWebPlatform();
  const catalog = createCatalog(options.providers, options.models ?? []);
  const random = createRandomSource(platform);
  const logger = options.logger ?? SILENT;
  const account = createLiveAccount(options.account ?? {}, options.store.settings);
  const ledger = createLedger({
    generations: options.store.generations,
    findHolds: () => findVideoHolds(options.store.videoJobs),
  });
  const videoChanges = createVideoChanges(logger);
  const generationFeed = createGenerationFeed();
  const callFigures = createCallFigures();
  const sessions = options.authenticate === undefined ? createSessions(platform) : null;
  const broadcaster = createBroadcaster({
    store: options.store,
    platform,
    logger,
    random,
    bootstrapKeys: options.bootstrapKeys ?? [],
    broadcast: options.broadcast,
  });
  videoChanges.subscribe((job) => generationFeed.publish({ type: 'video', job }));
  const rateLimits = createRateLimits(options.rateLimits, { platform, logger });
  const counters = { requests: 0, statuses: new Map<number, number>(), ...createCallCounters() };
  const logging = {
    inputOutput: options.logging?.inputOutput ?? true,
    maxContentBytes: (options.logging?.maxContentMb ?? 8) * 1024 * 1024,
  };
  const recorder = createRecorder({
    generations: options.store.generations,
    ledger,
    rateLimits,
    counters,
    logger,
    maxContentBytes: logging.maxContentBytes,
    listeners: [
      callFigures.note,
      ({ generation }) => generationFeed.publish({ type: 'generation', id: generation.id }),
      broadcaster.offer,
    ],
  });
  const web = options.web ?? {};
  const responseCache = createResponseCache(platform);
  const policyOf = createPolicyOf(options.store, catalog);
  const health = createHealthBoard(platform);
  const routers = { auto: routeAuto, free: routeFree, ...options.routers };
  const attempts = { platform, health, retryBudget: createRetryBudget(platform) };
  return {
    callers: {
      policyOf,
      platform,
      store: options.store,
      get account() {
        return account();
      },
    },
    routing: {
      catalog,
      platform,
      health,
      random,
      routers,
      get account() {
        return account();
      },
    },
    attempts,
    platform,
    wheel: createTimerWheel(platform),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    store: options.store,
    catalog,
    providers: options.providers,
    providerChecks: options.providerChecks,
    fixtures: options.fixtures,
    authenticate: createAuthenticate(options, platform, sessions),
    findKeyNames: createFindKeyNames(options.bootstrapKeys ?? [], { platform, store: options.store }),
    sessions,
    get account() {
      return account();
    },
    members: options.members ?? options.store.members,
    policyOf,
    ledger,
    rateLimits,
    health,
    retryBudget: attempts.retryBudget,
    random,
    regionOf: createRegionOf(options.regions ?? []),
    responseCache,
    web,
    stages: createChatStages({ web, responseCache, platform, catalog }),
    recorder,
    serverTools: options.serverTools ?? [],
    moderator: options.moderator,
    routers,
    logging,
    videos: {
      runner: createVideoRunner({
        store: options.store,
        ledger,
        recorder,
        catalog,
        providers: options.providers,
        platform,
        logger,
        random,
        changes: videoChanges,
        webhooks: options.webhooks,
        keeper: options.videoKeeper,
        storesContent: options.logging?.inputOutput ?? true,
        ownerId: options.store.isShared === true ? createRandomId(platform) : null,
      }),
      changes: videoChanges,
      keeper: options.videoKeeper,
      idempotency: createIdempotencyGuard(options.store.videoJobs, platform),
    },
    webhooks: options.webhooks,
    broadcaster,
    broadcast: options.broadcast,
    logger,
    generationFeed,
    longCompletions: createSerialQueue(platform),
    instanceId: createRandomId(platform),
    closing,
    openCalls: createOpenCalls(),
    callFigures,
    counters,
    describeApi,
  };
}

let apiDocument: Promise<string> | undefined;

/** The same for every gateway, because they all have the same operations. */
function describeApi(): Promise<string> {
  return (apiDocument ??= import('./http/openapi.ts').then(async ({ toOpenApi }) =>
    JSON.stringify(await toOpenApi(ROUTES)),
  ));
}
