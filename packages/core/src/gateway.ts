import { createLiveAccount } from './account.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import type { Principal } from './auth/principal.ts';
import { createLedger } from './budgets/ledger.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createResponseCache } from './chat/response-cache.ts';
import { GatewayError, toGatewayError } from './errors.ts';
import { createPolicyOf } from './guardrails/policy-of.ts';
import { hasRoute, matchRoute, methodsOf } from './match-route.ts';
import { DEFAULT_TIMEOUTS, type GatewayOptions, type Logger } from './options.ts';
import { createWebPlatform } from './platform.ts';
import type { Provider } from './providers/provider.ts';
import { createRandomId } from './random-id.ts';
import type { GatewayRequest } from './request.ts';
import { type GatewayResponse, toErrorResponse } from './response.ts';
import { routeAuto } from './routing/auto-router.ts';
import { routeFree } from './routing/free-router.ts';
import { createHealthBoard } from './routing/health-board.ts';
import { createRandomSource } from './routing/random.ts';
import { createRegionOf } from './routing/region-of.ts';
import { createRetryBudget } from './routing/retry-budget.ts';
import type { Route } from './routes.ts';
import type { Runtime } from './runtime.ts';
import { createTimerWheel } from './timer-wheel.ts';
import { findVideoHolds } from './videos/reserve-video.ts';
import { createIdempotencyGuard } from './videos/idempotency.ts';
import { type VideoAnswer, toVideoAnswer } from './videos/to-video-answer.ts';
import { createVideoChanges } from './videos/video-changes.ts';
import type { VideoJob } from './videos/video-job.ts';
import { createVideoRunner } from './videos/video-runner.ts';
import { waitForVideo } from './videos/wait-for-video.ts';

/** Groups of routes that a host may offer or leave out. */
export type Surface = 'api' | 'admin' | 'metrics' | 'openapi' | 'health';

/** Figures for hosts and tests. */
export interface GatewayStats {
  readonly openCalls: number;
  readonly openStreams: number;
}

export interface Gateway {
  /** Answers one request. Never rejects: every failure is an answer. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Whether a route of these surfaces has this method and path; a mounted adapter passes on everything else. */
  matches(method: string, path: string, surfaces: readonly Surface[]): boolean;
  /** Tells who calls, as every route does; throws `authentication`. For hosts with routes of their own. */
  authenticate(request: GatewayRequest): Promise<Principal>;
  /**
   * Asks the providers that discover their models for them, now and every minute. Resolves after the first round;
   * requests are served before that, too. A provider that does not answer is reported to the logger.
   */
  start(): Promise<void>;
  /**
   * Refuses new calls, waits up to `drainMs` for open ones, ends what is left with an in-band error, and resolves when
   * everything has been recorded. The store stays open: its owner closes it afterwards.
   */
  close(): Promise<void>;
  /**
   * Resolves with a video job once it has ended, however it has; for embedders, who may look at every job. Throws
   * `not_found` for a job that there is not, and the signal's reason.
   */
  waitForVideo(jobId: string, signal?: AbortSignal): Promise<VideoAnswer>;
  /** Calls back with every video job whose status has changed; the returned function ends that. */
  onVideoChange(listener: (job: VideoJob) => void): () => void;
  stats(): GatewayStats;
}

const DISCOVERY_INTERVAL_MS = 60_000;
const DRAIN_CHECK_MS = 20;
const SILENT: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Creates a gateway: one object that answers requests, with no globals beside it, so that several can live in one
 * process. Throws `RangeError` when a model names a provider that is not there.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const runtime = createRuntime(options);
  const { platform, openCalls, timeouts } = runtime;
  const closing = new AbortController();

  const waitUntilIdle = async (limitMs: number): Promise<void> => {
    const giveUpAt = platform.monotonicNow() + limitMs;
    while (openCalls.length > 0 && platform.monotonicNow() < giveUpAt) await delay(DRAIN_CHECK_MS);
  };
  const delay = (ms: number): Promise<void> => new Promise((resolve) => platform.setTimer(resolve, ms));

  return {
    handle: (request) => answer(runtime, request, closing.signal.aborted),
    matches: hasRoute,
    authenticate: async (request) => runtime.authenticate(request),
    async start() {
      await runtime.videos.runner.start();
      const discovering = options.providers.filter((provider) => provider.discoverModels === true);
      if (discovering.length === 0) return;
      const round = async (): Promise<void> => {
        if (closing.signal.aborted) return;
        await Promise.all(discovering.map((provider) => discover(runtime, provider, closing.signal)));
        if (!closing.signal.aborted) platform.setTimer(() => void round(), DISCOVERY_INTERVAL_MS);
      };
      await round();
    },
    async close() {
      runtime.videos.runner.stop();
      closing.abort(new GatewayError('provider_overloaded', 'The gateway is shutting down'));
      await waitUntilIdle(timeouts.drainMs);
      for (const call of openCalls.slice()) {
        call.interrupt(new GatewayError('provider_overloaded', 'The gateway is shutting down; send the request again'));
      }
      await waitUntilIdle(timeouts.clientWriteMs);
    },
    async waitForVideo(jobId, signal) {
      const jobs = options.store.videoJobs;
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      const { changes } = runtime.videos;
      const job = await waitForVideo(jobId, { jobs, changes, platform, signal: AbortSignal.any(signals) });
      return toVideoAnswer(job, job.baseUrl);
    },
    onVideoChange: (listener) => runtime.videos.changes.subscribe(listener),
    stats: () => ({
      openCalls: openCalls.length,
      openStreams: openCalls.filter(({ isStream }) => isStream).length,
    }),
  };
}

function createRuntime(options: GatewayOptions): Runtime {
  const platform = options.platform ?? createWebPlatform();
  const catalog = createCatalog(options.providers, options.models ?? []);
  const random = createRandomSource(platform);
  const logger = options.logger ?? SILENT;
  const account = createLiveAccount(options.account ?? {}, options.store.settings);
  const ledger = createLedger({
    generations: options.store.generations,
    findHolds: () => findVideoHolds(options.store.videoJobs),
  });
  const videoChanges = createVideoChanges();
  return {
    platform,
    wheel: createTimerWheel(platform),
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    store: options.store,
    catalog,
    providers: options.providers,
    authenticate: createAuthenticate(options, platform),
    get account() {
      return account();
    },
    members: options.members ?? options.store.members,
    policyOf: createPolicyOf(options.store, catalog),
    ledger,
    health: createHealthBoard(platform),
    retryBudget: createRetryBudget(platform),
    random,
    regionOf: createRegionOf(options.regions ?? []),
    responseCache: createResponseCache(platform),
    routers: { auto: routeAuto, free: routeFree, ...options.routers },
    logging: {
      inputOutput: options.logging?.inputOutput ?? true,
      maxContentBytes: (options.logging?.maxContentMb ?? 8) * 1024 * 1024,
    },
    videos: {
      runner: createVideoRunner({
        store: options.store,
        ledger,
        catalog,
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
    logger,
    openCalls: [],
    counters: { requests: 0, completed: 0, failed: 0, cancelled: 0, recordFailures: 0 },
  };
}

/** The way of every request, and the only place where what was thrown becomes an answer. */
async function answer(runtime: Runtime, request: GatewayRequest, isClosing: boolean): Promise<GatewayResponse> {
  const responseHeaders: Record<string, string> = {};
  runtime.counters.requests += 1;
  try {
    const { route, params } = matchRoute(request.method, request.path);
    if (isClosing && route.path !== '/health') {
      throw new GatewayError('provider_overloaded', 'The gateway is shutting down', { retryAfterSeconds: 1 });
    }
    if (route.auth === 'none') return withoutBody(request, await route.operation({ request, runtime }));
    const asked = runtime.authenticate(request);
    // Nearly always known at once; waiting for what is there already costs as much as waiting.
    const principal = asked instanceof Promise ? await asked : asked;
    refuseWrongKind(principal, route);
    return withoutBody(request, await route.operation({ request, principal, runtime, params, responseHeaders }));
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.code === 'internal') {
      runtime.logger.error('a request failed', { path: request.path, reason: describe(error.cause ?? error) });
    }
    if (error.code === 'method_not_allowed') responseHeaders['allow'] = methodsOf(request.path).join(', ');
    return withoutBody(request, toErrorResponse(error, responseHeaders));
  }
}

/** HEAD is answered like GET, without what follows the headers. */
function withoutBody({ method }: GatewayRequest, response: GatewayResponse): GatewayResponse {
  return method === 'HEAD' ? { ...response, body: null } : response;
}

function refuseWrongKind({ kind }: Principal, { auth, wrongKey }: Route): void {
  if (auth === 'any' || auth === kind) return;
  throw new GatewayError(
    wrongKey === 401 ? 'authentication' : 'permission_denied',
    auth === 'management'
      ? 'Only management keys can perform this operation'
      : 'Management keys cannot call models; use an API key',
  );
}

async function discover({ catalog, logger }: Runtime, provider: Provider, signal: AbortSignal): Promise<void> {
  try {
    const models = await provider.listModels?.(signal);
    if (models !== undefined) catalog.setDiscovered(provider, models);
  } catch (error) {
    if (!signal.aborted)
      logger.warn('models could not be discovered', { provider: provider.slug, reason: String(error) });
  }
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
