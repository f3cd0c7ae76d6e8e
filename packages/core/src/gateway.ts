import type { ApiParts } from './api/route-rows.ts';
import { ROUTES } from './api/routes.ts';
import { handleAudited, isAudited, noteRefused } from './audit/audited-routes.ts';
import { askedModelOf } from './calls/asked-model.ts';
import { boundModels, describeLeftOut } from './catalog/bound-models.ts';
import { describeUnknownName } from './catalog/refuse-unknown-names.ts';
import { type Awaitable, whenKnown } from './foundation/awaitable.ts';
import { GatewayError, toGatewayError } from './foundation/errors.ts';
import type { MetricFamily } from './foundation/host.ts';
import { type GatewayRequest, type Principal, type PublicContext, requestIdOf } from './http/request.ts';
import { type GatewayResponse, NO_SNIFFING, toErrorResponse } from './http/response.ts';
import { createRouter, type Route, type RouteMatch, type Surface } from './http/route.ts';
import type { GatewayOptions, Setup } from './options.ts';
import type { Provider } from './providers/provider.ts';
import { isModelName } from './routing/resolve-models.ts';
import { unknownModelOf } from './routing/rules.ts';
import { createFoundations, createRuntime, type Runtime } from './runtime.ts';
import { createCatalogWatch } from './setup/catalog-watch.ts';
import type { VideoJob } from './stores/video-jobs.ts';
import { waitForVideo } from './videos/video-changes.ts';
import { toVideoResponse } from './videos/video-job.ts';
import type { VideoResponse } from './wire/videos.ts';

/** Figures for hosts and tests. */
export interface GatewayStats {
  readonly openCalls: number;
  readonly openStreams: number;
}

export interface Gateway {
  /** Handles one request. Never rejects: every failure is a response. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Whether a route of these surfaces has this method and path; a mounted adapter passes all other requests on. */
  matches(method: string, path: string, surfaces: readonly Surface[]): boolean;
  /** The kind of principal that this method and path require; undefined when there is no such route. */
  authOf(method: string, path: string): Route<unknown>['auth'] | undefined;
  /** Returns the caller's principal as routes do; throws `authentication`. For hosts with routes of their own. */
  authenticate(request: GatewayRequest): Promise<Principal>;
  /**
   * A token that signs a browser in, once and within ten minutes, by `POST /admin/v1/session`: for a link that is shown
   * to the operator. Throws `TypeError` where the host authenticates.
   */
  createSignInToken(): string;
  /**
   * Reads the model lists of providers with discovery, now and every minute. Resolves after the first round; requests
   * are served before that, too. A provider that does not respond is reported to the logger.
   */
  start(): Promise<void>;
  /**
   * Replaces providers, models, account and rate limits as a whole. A call that has begun uses the setup it began with;
   * circuits and health continue for endpoints in both setups. Throws `RangeError`, and changes nothing, when a model
   * names a provider that does not exist.
   */
  configure(setup: Setup): void;
  /**
   * Puts the providers and models that the store holds into force, beside those the gateway was created with; call it
   * before listening. What cannot be used is reported to the logger and left out. With a `setup`, that one takes the
   * place of what the gateway was created with, as by `configure`: rejects with `RangeError`, and changes nothing, when
   * it cannot. Without a `setupHost` nothing is read from the store.
   */
  loadSetup(setup?: Setup): Promise<void>;
  /**
   * Refuses new calls, waits up to `drainMs` for open ones, ends the others with an in-band error, and resolves when
   * everything has been recorded. The store stays open: its owner closes it afterwards.
   */
  close(): Promise<void>;
  /** Resolves when a job of any caller has ended in any way. Rejects with `not_found` or the signal's reason. */
  waitForVideo(jobId: string, signal?: AbortSignal): Promise<VideoResponse>;
  /** Calls back with every video job whose status has changed; the returned function ends that. */
  onVideoChange(listener: (job: VideoJob) => void): () => void;
  stats(): GatewayStats;
  /** The figures of `GET /metrics`, for hosts with a registry of their own. Never waits long for a store that is away. */
  readMetrics(): Promise<readonly MetricFamily[]>;
}

const router = createRouter(ROUTES);

const DISCOVERY_INTERVAL_MS = 60_000;
/** A change of providers waits no longer for lists of models. */
const MAX_DISCOVERY_WAIT_MS = 5000;
const DRAIN_CHECK_MS = 20;
/** Generations that are not sent by then are sent after the next start. */
const MAX_BROADCAST_DRAIN_MS = 5000;

/**
 * Creates a gateway: one object that handles requests, without globals, so that several can exist in one process.
 * Throws `RangeError` when a model names a provider that does not exist, and for a default callback address that callers
 * could not name.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const readFamilies = async () => (await import('./api/metrics.ts')).readMetricFamilies(runtime);
  const foundations = createFoundations(options, () => runtime, {
    readFamilies,
    configure(setup, forget = []) {
      for (const { provider, isMoved } of forget) {
        if (isMoved) foundations.discovered.delete(provider);
        foundations.health.forget(provider);
      }
      configure({ ...runtime.setup, ...setup });
    },
    async discover() {
      if (isStarted) await Promise.race([discoverRepeatedly(), delay(MAX_DISCOVERY_WAIT_MS)]);
    },
  });
  const {
    platform,
    closing,
    ledger,
    openCalls,
    runningNotes,
    timeouts,
    videos,
    reruns,
    broadcaster,
    guardrailHits,
    sessions,
    audit,
    alarms,
  } = foundations;
  let runtime: Runtime = createRuntime(options, foundations);
  let isStarted = false;
  /** A start that is still under way begins nothing more. */
  let isEnding = false;
  let cancelDiscovery: (() => void) | undefined;

  const stopFollowing = options.store.onTablesChanged?.((tables) => {
    if (tables.has('providers') || tables.has('models')) void foundations.liveSetup?.refresh();
    if (tables.has('destinations') && isStarted) refreshDestinations();
    if (tables.has('settings')) alarms.refresh();
  });
  const refreshDestinations = (): void => {
    broadcaster.refresh().catch((error: unknown) => {
      foundations.logger.error('the destinations could not be read', { reason: String(error) });
    });
  };

  /** Resolves when what other processes had set up before is in force here. */
  const catchUp =
    options.store.catchUpTables &&
    (async (): Promise<void> => {
      await options.store.catchUpTables?.();
      await foundations.liveSetup?.settled();
    });

  const catalogWatch =
    options.catalogUpdates &&
    createCatalogWatch({
      ...options.catalogUpdates,
      ...foundations,
      compare: async (source, signal) => {
        const { compareCatalog, toCompareParts } = await import('./setup/compare-catalog.ts');
        return compareCatalog(source, toCompareParts(runtime), signal);
      },
    });

  const responding: Responding = { current: () => runtime, catchUp };
  const configure = (setup: Setup): void => {
    runtime = createRuntime(setup, foundations, runtime);
  };

  const discoverRepeatedly = async (): Promise<void> => {
    cancelDiscovery?.();
    const isAny = runtime.providers.some(runtime.catalog.reads);
    if (!isAny || closing.hasBegun()) return;
    await discoverAll(runtime);
    if (!closing.hasBegun() && platform.isPerRequest !== true) {
      cancelDiscovery?.();
      cancelDiscovery = platform.setTimer(() => void discoverRepeatedly(), DISCOVERY_INTERVAL_MS);
    }
  };

  const discoverAnew = (): void => {
    if (isStarted) void discoverRepeatedly().then(() => warnOfModels(runtime));
  };

  const waitUntilIdle = async (limitMs: number): Promise<void> => {
    const giveUpAt = platform.monotonicNow() + limitMs;
    while (openCalls.count().calls > 0 && platform.monotonicNow() < giveUpAt) await delay(DRAIN_CHECK_MS);
  };
  const delay = (ms: number): Promise<void> => new Promise((resolve) => platform.setTimer(resolve, ms));

  return {
    handle: (request) => respond(responding, request),
    matches: router.has,
    authOf: router.authOf,
    authenticate: async (request) => runtime.authenticate(request),
    createSignInToken() {
      if (sessions === null) throw new TypeError('The host of this gateway has its own sign-in');
      return sessions.issueToken();
    },
    configure(setup) {
      configure(setup);
      discoverAnew();
    },
    async loadSetup(setup) {
      const { liveSetup } = foundations;
      if (liveSetup !== undefined)
        await liveSetup.load(setup && { account: undefined, rateLimits: undefined, callLimits: undefined, ...setup });
      else if (setup !== undefined) configure(setup);
      if (setup !== undefined) discoverAnew();
    },
    async start() {
      // So that the first call to a model does not wait for it.
      await import('./api/chat.ts');
      await videos.runner.start();
      await reruns.start();
      if (isEnding) return;
      foundations.files?.start();
      await foundations.batches?.start();
      await broadcaster.start();
      isStarted = true;
      await discoverRepeatedly();
      if (isEnding) return;
      warnOfModels(runtime);
      catalogWatch?.start();
      alarms.start();
    },
    async close() {
      isEnding = true;
      stopFollowing?.();
      videos.runner.stop();
      reruns.stop();
      const watchClosed = catalogWatch?.close();
      foundations.files?.stop();
      foundations.batches?.stop();
      closing.begin(new GatewayError('provider_overloaded', 'The gateway is shutting down'));
      await waitUntilIdle(timeouts.drainMs);
      openCalls.interruptAll(
        new GatewayError('provider_overloaded', 'The gateway is shutting down; send the request again'),
      );
      await waitUntilIdle(timeouts.clientWriteMs);
      await videos.runner.leave();
      await reruns.leave();
      await watchClosed;
      await alarms.close();
      await foundations.batches?.leave();
      await runningNotes.close();
      await guardrailHits.save();
      await audit?.close();
      await broadcaster.close(Math.min(timeouts.drainMs, MAX_BROADCAST_DRAIN_MS));
      await ledger.close();
    },
    async waitForVideo(jobId, signal) {
      const jobs = options.store.videoJobs;
      const signals = signal === undefined ? [closing.signal()] : [closing.signal(), signal];
      const { changes } = videos;
      const job = await waitForVideo(jobId, { jobs, changes, platform, signal: AbortSignal.any(signals) });
      return toVideoResponse(job, job.baseUrl);
    },
    onVideoChange: (listener) => videos.changes.subscribe(listener),
    stats() {
      const { calls, streams } = openCalls.count();
      return { openCalls: calls, openStreams: streams };
    },
    readMetrics: readFamilies,
  };
}

interface Responding {
  readonly current: () => Runtime;
  /** Absent where one process is alone. */
  readonly catchUp: (() => Promise<void>) | undefined;
}

/** Handles every request; the only place where an exception becomes a response. */
async function respond({ current, catchUp }: Responding, request: GatewayRequest): Promise<GatewayResponse> {
  let runtime = current();
  const responseHeaders: Record<string, string> = {};
  let caller: Principal | undefined;
  request.id ??= requestIdOf(request, runtime.platform);
  runtime.counters.requests += 1;
  let matched: RouteMatch<ApiParts> | undefined;
  try {
    matched = router.match(request.method, request.path);
    const { route, params } = matched;
    if (runtime.closing.hasBegun() && route.path !== '/health') {
      throw new GatewayError('provider_overloaded', 'The gateway is shutting down', { retryAfterSeconds: 1 });
    }
    if (catchUp !== undefined && showsTables(route)) {
      await catchUp();
      runtime = current();
    }
    const context = { request, parts: runtime, params, responseHeaders };
    const handling =
      route.auth === 'none'
        ? isAudited(route, runtime.audit)
          ? handleAudited(route, context)
          : whenKnown(route.load(), (operation) => operation.handle(context))
        : whenKnown(runtime.authenticate(request), (principal) => {
            caller = principal;
            refuseWrongKind(principal, route);
            return principal.member === undefined || principal.kind === 'api'
              ? handleAs(route, context, principal)
              : handleAsMember(route, context, principal);
          });
    return finish(runtime, request, await handling);
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (runtime.platform.isPerRequest === true) request.waitUntil?.(runtime.guardrailHits.save());
    if (error.code === 'internal') {
      const id = responseHeaders['x-generation-id'];
      const reason = describe(error.cause ?? error);
      const { path, id: requestId } = request;
      runtime.logger.error('a request failed', { requestId, path, ...(id !== undefined && { id }), reason });
    }
    if (matched !== undefined) noteRefused(matched, { request, principal: caller, error }, runtime.audit);
    // What has this header is recorded as a generation.
    if (responseHeaders['x-generation-id'] === undefined) {
      runtime.refusals.note(request, error, { principal: caller, model: askedModelOf(error) });
      const { refusals } = runtime.counters;
      refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
    }
    if (error.code === 'method_not_allowed') responseHeaders['allow'] = router.methodsOf(request.path).join(', ');
    const form = matched === undefined ? router.errorsOf(request.path) : matched.route.errors;
    return finish(runtime, request, toErrorResponse(error, responseHeaders, form));
  }
}

type CallContext = PublicContext<Runtime>;
type KeyRoute = Exclude<Route<ApiParts>, { readonly auth: 'none' }>;

function handleAs(route: KeyRoute, context: CallContext, principal: Principal): Awaitable<GatewayResponse> {
  if (isAudited(route, context.parts.audit, principal)) return handleAudited(route, context, principal);
  return whenKnown(route.load(), (operation) => operation.handle({ ...context, principal }));
}

/** Within what the role of a member who has signed in permits. Loaded late: calls by keys do without. */
async function handleAsMember(route: KeyRoute, context: CallContext, principal: Principal): Promise<GatewayResponse> {
  const { admitMember } = await import('./api/member-parts.ts');
  return handleAs(route, { ...context, parts: admitMember(route.operationId, principal, context.parts) }, principal);
}

/**
 * Whether an operation reads or changes what is set up. The others are calls to models, which never wait for the database:
 * what another process has changed holds for them a moment later.
 */
function showsTables({ method, auth }: Route<ApiParts>): boolean {
  return auth === 'management' || (auth === 'any' && method === 'GET');
}

/** Counts a response, and adds what every response has. HEAD is handled like GET, without the body. */
function finish({ counters }: Runtime, { method, id }: GatewayRequest, response: GatewayResponse): GatewayResponse {
  counters.statuses.set(response.status, (counters.statuses.get(response.status) ?? 0) + 1);
  // Added in place, because a copy of the headers costs more.
  Object.assign(response.headers, NO_SNIFFING);
  if (id !== undefined) response.headers['x-request-id'] = id;
  return method === 'HEAD' ? { ...response, body: null } : response;
}

function refuseWrongKind({ kind }: Principal, { auth, wrongKey }: Route<ApiParts>): void {
  if (auth === 'any' || auth === kind) return;
  throw new GatewayError(
    wrongKey === 401 ? 'authentication' : 'permission_denied',
    auth === 'management'
      ? 'Only management keys can perform this operation'
      : 'Management keys cannot call models; use an API key',
  );
}

function warnOfModels(runtime: Runtime): void {
  warnOfDefaultModel(runtime);
  warnOfRules(runtime);
}

/** The settings of the API refuse such a name; one of the configuration is only known once models have been discovered. */
function warnOfDefaultModel({ account: { defaultModel }, catalog, logger }: Runtime): void {
  if (!defaultModel || isModelName(defaultModel, catalog)) return;
  logger.warn('the default model is unknown; requests that name no model are refused', {
    reason: `account.defaultModel: ${describeUnknownName(defaultModel, 'models', catalog)}`,
  });
}

/** A rule with such a model is passed over; models that are discovered later make it hold. */
function warnOfRules({ account: { rules = [] }, catalog, logger }: Runtime): void {
  for (const rule of rules) {
    const unknown = unknownModelOf(rule, catalog);
    if (unknown === null) continue;
    logger.warn('a routing rule names an unknown model and is skipped', {
      rule: rule.name,
      reason: `routing.rules: ${describeUnknownName(unknown, 'models', catalog)}`,
    });
  }
}

async function discoverAll(runtime: Runtime): Promise<void> {
  const discovering = runtime.providers.filter(runtime.catalog.reads);
  await Promise.all(discovering.map((provider) => discover(provider, runtime)));
}

async function discover(provider: Provider, { catalog, discovered, logger, closing }: Runtime): Promise<void> {
  try {
    const models = await provider.listModels?.(closing.signal());
    if (models === undefined) return;
    const known = discovered.get(provider.slug);
    const list = boundModels(models, provider);
    discovered.set(provider.slug, list);
    catalog.setDiscovered(provider, list.models);
    // Not again every minute.
    const note = list.leftOut && describeLeftOut(list.leftOut);
    if (note !== null && note !== (known?.leftOut && describeLeftOut(known.leftOut))) {
      logger.warn(note, { provider: provider.slug });
    }
  } catch (error) {
    if (!closing.hasBegun())
      logger.warn('models could not be discovered', { provider: provider.slug, reason: String(error) });
  }
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
