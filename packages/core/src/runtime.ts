import { type AccountOptions, createLiveAccount } from './account/account.ts';
import { createAlarmWatch } from './alarms/alarm-watch.ts';
import { createLiveMailer } from './alarms/live-mailer.ts';
import type { BatchLineParts } from './api/batch-line.ts';
import { ROUTES_BY_TAG } from './api/routes.ts';
import type { SystemParts } from './api/system.ts';
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts';
import { createIdentityAudit } from './audit/run-audited.ts';
import { createAuthCodes } from './auth/auth-codes.ts';
import { createAuthenticate, createConfiguredKeys, createIsCommand } from './auth/authenticate.ts';
import { createIdentitySessions } from './auth/identity-sessions.ts';
import { createFindKeyNames, DEFAULT_WORKSPACE_ID } from './auth/keys.ts';
import { createRefusals } from './auth/refusals.ts';
import { createSessions } from './auth/sessions.ts';
import { createShareFailures, type ShareFailures } from './auth/wrong-keys.ts';
import { findBatchHolds } from './batches/batch-holds.ts';
import { type BatchRunner, createBatchRunner } from './batches/batch-runner.ts';
import { createBroadcasting } from './broadcast/create-broadcasting.ts';
import { DEFAULT_TIMEOUTS } from './calls/attempt.ts';
import { createDataRegionOf, createRegionOf } from './calls/regions.ts';
import type { BoundModels } from './catalog/bound-models.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createChatStages } from './chat/stages/compose-stages.ts';
import { createMemoryResponseCache } from './chat/stages/response-cache.ts';
import { createKeySpending } from './dispatch/ask-by-keys.ts';
import { createHeldPlaces } from './dispatch/held-places.ts';
import { createClosing, createOpenCalls, startRunningNotes } from './dispatch/open-calls.ts';
import { createCallCounters, createRecorder, type GenerationListener, toAttemptListener } from './dispatch/recorder.ts';
import { createRetryBudget } from './dispatch/run-attempts.ts';
import { createFileLibrary } from './files/file-library.ts';
import { createFileResolver } from './files/resolve-files.ts';
import { once, whenAllKnown } from './foundation/awaitable.ts';
import type { ErrorCode } from './foundation/errors.ts';
import type { Logger, MetricFamily } from './foundation/host.ts';
import { createRandomId, createWebPlatform } from './foundation/platform.ts';
import { createBoundedQueue, createTurnsOf } from './foundation/queues.ts';
import { createTimerWheel } from './foundation/timers.ts';
import { createCacheExaminer } from './generations/cache-doctor/cache-examiner.ts';
import { createSessionPasts } from './generations/cache-doctor/plan-marks.ts';
import { createCallFigures } from './generations/call-figures.ts';
import { createFeedOfAll, createGenerationFeed } from './generations/feed.ts';
import { toFilterFunctions } from './guardrails/filter-functions.ts';
import { createGuardrailHits } from './guardrails/hits.ts';
import { createPolicyOf, findLayers } from './guardrails/policy.ts';
import type { Principal } from './http/request.ts';
import { createCallLimits } from './limits/call-limits.ts';
import { createKeyLimits, refuseUncounted } from './limits/key-limits.ts';
import { createLedger, type LedgerOptions } from './limits/ledger.ts';
import { createLiveRateLimits, type LiveRateLimits } from './limits/rate-limits.ts';
import { createSessionGuard } from './limits/sessions/session-guard.ts';
import { createSharedLedger } from './limits/shared/shared-ledger.ts';
import type { GatewayOptions, Setup } from './options.ts';
import { createLimitKeeper } from './providers/keep-limits.ts';
import { PRESETS } from './providers/provider-presets.ts';
import { createRerunRunner, type RerunRunner } from './reruns/rerun-runner.ts';
import type { ItemParts, MakeCall } from './reruns/run-item.ts';
import { createHealthBoard } from './routing/health/endpoint-health.ts';
import { createKeyBoard } from './routing/health/key-board.ts';
import { createSharedHealthBoard } from './routing/health/shared-health-board.ts';
import { createRandomSource } from './routing/order-endpoints.ts';
import { resolveAuto, resolveFree } from './routing/routers.ts';
import { createLiveSetup } from './setup/live-setup.ts';
import { createOwnKeys } from './setup/own-keys.ts';
import { createProviderHistories } from './trials/provider-histories.ts';
import { createIdempotencyGuard } from './videos/idempotency.ts';
import { findVideoHolds } from './videos/order-video.ts';
import { createVideoChanges } from './videos/video-changes.ts';
import { createVideoRunner, type VideoSetup } from './videos/video-runner.ts';
import { checkDefaultCallbackUrl } from './webhooks/webhooks.ts';

/** Without a logger the gateway's own failures are still reported: a 500 shows nothing to its client. */
const ERRORS_ALONE: Logger = {
  info: () => undefined,
  warn: () => undefined,
  // oxlint-disable-next-line no-console -- there is nothing else to tell it to
  error: (message, fields) => console.error(`model-gateway: ${message}`, ...(fields === undefined ? [] : [fields])),
};

/** The parts of a gateway that exist for its whole lifetime, whatever its setup. */
export type Foundations = ReturnType<typeof createFoundations>;

/** The state that all requests of one setup share. A request uses the setup that it began with. */
export type Runtime = ReturnType<typeof createRuntime>;

/**
 * Creates the parts that outlive every setup. `current` is for work that outlives requests. Throws `RangeError` for a
 * default callback address that callers could not name.
 */
export function createFoundations(
  options: GatewayOptions,
  current: () => VideoSetup & BatchLineParts & { readonly account: AccountOptions },
  inForce: SetupInForce,
) {
  const fixed = withDefaults(options);
  const { store, platform, logger, logging, broadcast, webhooks } = fixed;
  if (webhooks !== undefined) checkDefaultCallbackUrl(webhooks);
  const random = createRandomSource(platform);
  const members = options.members ?? store.members;
  const shared = { store, members, platform, logger, random };
  const bootstrapKeys = options.bootstrapKeys ?? [];
  const closing = createClosing(platform);
  // Subscriptions and their timers outlive requests.
  const openChannel = platform.isPerRequest === true ? undefined : options.shared?.openChannel;
  const shareFailures = (name: string): ShareFailures | undefined =>
    openChannel && createShareFailures(openChannel(name), platform, closing.signal());
  const sessions =
    options.authenticate === undefined ? createSessions(platform, store.entries, shareFailures('sign-ins')) : null;
  const health =
    openChannel === undefined
      ? createHealthBoard(platform)
      : createSharedHealthBoard(openChannel('health'), platform, closing.signal());
  const keyBoard = createKeyBoard(shared, openChannel && { channel: openChannel('keys'), signal: closing.signal() });
  const keyLimits = createKeyLimits(options.rateLimits?.createCounter);
  const guardrailHits = createGuardrailHits(shared);
  const onRefusal: LedgerOptions['onRefusal'] = ({ guardrailId, query }) => {
    if (guardrailId === undefined) return;
    const hit = { guardrailId, effect: 'over_budget', rule: 'limit_usd' } as const;
    guardrailHits.noteRefused([hit], { principalId: query.principalId ?? null, model: null });
  };
  const { generations, budgetSlices: slices } = store;
  const ledger =
    slices === undefined
      ? createLedger({ generations, findHolds: () => findHolds(store), onRefusal })
      : createSharedLedger({ slices, generations, platform, logger, onRefusal });

  const openCalls = createOpenCalls();
  const places = createHeldPlaces();
  const callLimits = createCallLimits(platform, store.settings);
  openCalls.onEnd(places.releaseAll);
  const changes = createVideoChanges(logger);
  const isFollowed = platform.isPerRequest !== true && store.generations.follow !== undefined;
  const generationFeed = isFollowed ? createFeedOfAll(createGenerationFeed(), shared) : createGenerationFeed();
  changes.subscribe((job) => generationFeed.publish({ type: 'video', job }));
  const callFigures = createCallFigures();
  const cacheExaminer = logging.cacheCauses
    ? createCacheExaminer({ ...shared, catalog: () => current().catalog })
    : null;
  const broadcasting = { ...shared, bootstrapKeys, broadcast, cacheExaminer, audit: store.audit };
  const instanceId = once(() => createRandomId(platform));
  const { broadcaster, ...sending } = createBroadcasting({ ...broadcasting, instanceId, ...inForce });
  const sessionGuard = createSessionGuard(shared);
  const listeners: readonly GenerationListener[] = [
    callFigures.note,
    sessionGuard.noteRecorded,
    createKeySpending({ keys: keyBoard, limits: keyLimits }),
    guardrailHits.noteRecorded,
    ({ generation }) => generationFeed.publish({ type: 'generation', id: generation.id }),
    ...(cacheExaminer === null ? [] : [cacheExaminer.note]),
    ...sending.listeners,
    ...(options.onAttempt === undefined ? [] : [toAttemptListener(options.onAttempt, logger)]),
    ...(options.onGeneration === undefined ? [] : [options.onGeneration]),
  ];
  const counters = {
    requests: 0,
    statuses: new Map<number, number>(),
    refusals: new Map<ErrorCode, number>(),
    ...createCallCounters(),
  };
  const recording = {
    generations: store.generations,
    workspaces: store.workspaces,
    random,
    ledger,
    counters,
    logger,
    listeners,
    isPerRequest: platform.isPerRequest,
    ...logging,
  };

  // Videos count no tokens, so the rate limits of a setup do not matter to them.
  const recorder = createRecorder({ ...recording, rateLimits: null });
  const archive = options.videoArchive;
  const storesContent = logging.inputOutput;
  const ownerId = store.isShared === true ? once(() => createRandomId(platform)) : null;
  const { maxContentBytes } = logging;
  const videoOptions = { current, changes, webhooks, archive, storesContent, maxContentBytes, ownerId };
  const runner = createVideoRunner({ ...shared, ledger, recorder, ...videoOptions });

  const rerunJudges = options.rerunJudges ?? {};
  const makeCall: MakeCall = async (request, principal, inner) =>
    (await import('./api/inner-chat.ts')).makeInnerChat(request, principal, inner, current());
  const readRequest: ItemParts['readRequest'] = async (request) =>
    (await import('./api/inner-chat.ts')).parseInnerChat(request);
  const readCatalog = () => current().catalog;
  const rerunOptions = { makeCall, readRequest, readCatalog, judges: rerunJudges, ownerId };
  const reruns: RerunRunner = createRerunRunner({ ...shared, ...rerunOptions });

  const files = options.files === undefined ? null : createFileLibrary(options.files, shared);
  const loadLineCalls = async () => {
    const { createLineCalls } = await import('./api/batch-line.ts');
    return () => createLineCalls(current());
  };
  const batches: BatchRunner | null =
    files && createBatchRunner({ ...shared, files, loadLineCalls, ownerId, concurrency: BATCH_CONCURRENCY });
  const audit: AuditTrail | null =
    store.audit === undefined
      ? null
      : createAuditTrail({
          repository: store.audit,
          platform,
          logger,
          sessions,
          isCommand: createIsCommand(bootstrapKeys, platform),
          onAudit(records) {
            sending.wakeAudit();
            return options.onAudit?.(records);
          },
        });
  const identityParts = { ...shared, sessions, audit: createIdentityAudit(audit, shared) };
  const identitySessions = createIdentitySessions(options.signIn, identityParts);
  const creditsUsd = (): number | null => current().account.creditsUsd ?? null;
  const { setupHost: host } = options;
  const wheel = createTimerWheel(platform);
  return {
    ...fixed,
    onRequest: options.onRequest,
    filterFunctions: toFilterFunctions(options.guardrails?.filters ?? []),
    shared: options.shared,
    instance: options.instance,
    metrics: options.metrics,
    catalogUpdates: options.catalogUpdates,
    liveSetup: host === undefined ? undefined : createLiveSetup({ host, store, logger, base: options, ...inForce }),
    random,
    sessions,
    identitySessions,
    authCodes: createAuthCodes(platform, store.entries),
    audit,
    noteSignIn: () => undefined,
    hasPublicKey: bootstrapKeys.some(({ kind, isPublic }) => kind === 'management' && isPublic === true),
    refusals: createRefusals(
      platform,
      openChannel && { channel: openChannel('refusals'), platform, signal: closing.signal() },
    ),
    health,
    keyBoard,
    callLimits,
    sessionGuard,
    ledger,
    guardrailHits,
    recording,
    broadcaster,
    generationFeed,
    recordTurns: createTurnsOf(),
    callFigures,
    cacheExaminer,
    counters,
    providerHistories: createProviderHistories({ store, platform }),
    closing,
    wheel,
    keepLimits: createLimitKeeper({ wheel, platform }),
    authenticate: createAuthenticate(
      { ...options, members, identitySessions },
      platform,
      sessions,
      shareFailures('wrong-keys'),
    ),
    configuredKeys: createConfiguredKeys(
      bootstrapKeys.filter(({ isInternal }) => isInternal !== true),
      platform,
    ),
    findKeyNames: createFindKeyNames(bootstrapKeys, { platform, store }),
    layersOf: (principal: Principal) => findLayers(principal, store),
    regionOf: createRegionOf(options.regions ?? []),
    dataRegionOf: createDataRegionOf(options.regions ?? []),
    attempts: {
      platform,
      health,
      retryBudget: createRetryBudget(platform),
      pools: { keys: keyBoard, random, limits: keyLimits, places },
      callLimits,
      places,
    },
    responseCache: options.shared?.responseCache ?? createMemoryResponseCache(platform),
    sessionPasts: createSessionPasts(),
    /** Models in the last lists of the providers, by provider. */
    discovered: new Map<string, BoundModels>(),
    openCalls,
    runningNotes: startRunningNotes({ openCalls, generations: store.generations, platform, logger }),
    longCompletions: createBoundedQueue(platform, MAX_SETTLING_CHARACTERS),
    reruns,
    rerunJudges,
    files,
    batches,
    resolveFiles: files && createFileResolver(files, DEFAULT_WORKSPACE_ID),
    videos: { runner, changes, archive, idempotency: createIdempotencyGuard(store, platform) },
    /** Random text that identifies this gateway. */
    instanceId,
    alarms: createAlarmWatch({
      ...shared,
      channels: { webhooks, mailer: fixed.mailer },
      onAlarm: options.onAlarm,
      instanceId,
      creditsUsd,
    }),
    describeApi,
  };
}

/** What is held when the process starts, for jobs that outlive processes. */
const findHolds = ({ batches, videoJobs }: Pick<GatewayOptions['store'], 'batches' | 'videoJobs'>) =>
  whenAllKnown([findVideoHolds(videoJobs), findBatchHolds(batches)], (videos, lines) => [...videos, ...lines]);

/** Lines of one batch that are under way at once. */
const BATCH_CONCURRENCY = 8;

/** Characters of long completions that are settled at once. */
const MAX_SETTLING_CHARACTERS = 512 * 1024;

/** How changes through the API come into force. */
type SetupInForce = Pick<Parameters<typeof createLiveSetup>[0], 'configure' | 'discover'> & {
  /** The figures of this process. */
  readonly readFamilies: () => Promise<readonly MetricFamily[]>;
};

/** The options that are used as they are, or their defaults. */
function withDefaults(options: GatewayOptions) {
  const { store, broadcast, webhooks, moderator, providerChecks, fixtures, sampleData } = options;
  return {
    store,
    platform: options.platform ?? createWebPlatform(),
    logger: options.logger ?? ERRORS_ALONE,
    logging: {
      inputOutput: options.logging?.inputOutput ?? true,
      acceptStore: options.logging?.acceptStore ?? false,
      cacheCauses: options.logging?.cacheCauses === true && options.platform?.isPerRequest !== true,
      maxContentBytes: (options.logging?.maxContentMb ?? 8) * 1024 * 1024,
    },
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    members: options.members ?? store.members,
    roleMappings: options.signIn?.rules.groups ?? {},
    routers: { auto: resolveAuto, free: resolveFree, ...options.routers },
    web: options.web ?? {},
    serverTools: options.serverTools ?? [],
    broadcast,
    webhooks,
    mailer: createLiveMailer({ ...options, secrets: options.setupHost?.secrets, settings: store.settings }),
    moderator,
    providerChecks,
    fixtures,
    sampleData,
  };
}

/** Throws `RangeError` for a model of an unknown provider. Limits that `previous` had too continue to count. */
export function createRuntime(setup: Setup, foundations: Foundations, previous?: PreviousSetup) {
  const { platform, store, logger, health, random, routers, web, responseCache, sessionPasts } = foundations;
  const { recording, discovered } = foundations;
  refuseUncounted(setup.providers, setup.rateLimits?.createCounter);
  const providers = setup.providers.map(foundations.keepLimits);
  const catalog = createCatalog(providers, setup.models ?? [], PRESETS);
  foundations.keyBoard.follow(providers);
  foundations.callLimits.follow(setup.callLimits);
  for (const provider of providers) {
    const list = discovered.get(provider.slug);
    if (catalog.reads(provider) && list !== undefined) catalog.setDiscovered(provider, list.models);
  }
  const account = createLiveAccount(setup.account ?? {}, store.settings, catalog.providerNames.toTags);
  const policyOf = createPolicyOf(store, catalog);
  const rateLimits = createLiveRateLimits(setup.rateLimits, store.settings, { platform, logger }, previous?.rateLimits);
  return {
    ...foundations,
    setup,
    providers,
    /** As the host gave them, because its own checks know them. */
    hostProviders: setup.providers,
    /** The current settings: read them again for every request. */
    get account() {
      return account();
    },
    catalog,
    policyOf,
    rateLimits,
    attempts: { ...foundations.attempts, rateLimits },
    callers: {
      policyOf,
      ownKeys: createOwnKeys({ ...foundations, feeShare: setup.account?.byok?.feeShare }),
      hits: foundations.guardrailHits,
      platform,
      store,
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
    recorder: createRecorder({ ...recording, rateLimits }),
    stages: createChatStages({ web, responseCache, platform, catalog, sessionPasts }),
  };
}

interface PreviousSetup {
  readonly rateLimits: LiveRateLimits;
}

let apiDocument: ReturnType<SystemParts['describeApi']> | undefined;

/** The same for every gateway, because they all have the same operations. */
const describeApi: SystemParts['describeApi'] = () =>
  (apiDocument ??= import('./http/openapi.ts').then(({ toOpenApi }) => toOpenApi(ROUTES_BY_TAG)));
