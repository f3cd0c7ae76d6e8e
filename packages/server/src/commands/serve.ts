import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import type { BootstrapKey, Gateway, ModelDefinition, Store } from '@model-gateway/core';
import { DEMO_KEY, type GatewayConfig, listen, type Listener } from '@model-gateway/node';

import { compose } from '../compose.ts';
import { listSecrets } from '../list-secrets.ts';
import { createLogger, type ServerLogger } from '../logger.ts';
import { warnOfSecrets } from '../open-secrets.ts';
import { describePlace, openStore } from '../open-store.ts';
import { planStart, type StartPlan } from '../plan-start.ts';
import { announceListening } from '../process/announce-listening.ts';
import { describeInstance } from '../process/describe-instance.ts';
import { createReload, followConfig } from '../process/follow-config.ts';
import { removeOwnerFile, writeOwnerFile } from '../process/owner-file.ts';
import { describeListenError } from '../process/port-holder.ts';
import { releaseMemoryAtRest } from '../process/release-at-rest.ts';
import { stopOnSignals } from '../process/signals.ts';
import { StartError } from '../process/start-error.ts';
import { tuneV8 } from '../process/tune-v8.ts';
import { isReady, whenReady } from '../store-readiness.ts';
import { withUi } from '../ui/with-ui.ts';
import { ALONE, findWorkerPlace, tellListening, toWorkerEvents, type WorkerPlace } from '../workers/worker-place.ts';
import { createDemoBanner } from './demo-banner.ts';
import type { ServeOptions } from './parse-command.ts';

/** Time after the drain limit for the last bytes of responses. */
const CUT_AFTER_MS = 1000;
/** Limit of the time that a stop waits for an unfinished start. */
const START_LIMIT_MS = 3000;
/** Time after the drain limit for closing everything, including writing files. */
const STOP_MARGIN_MS = 10_000;

interface Start extends StartPlan, Pick<ServeOptions, 'record' | 'fixtures' | 'trustsClock'> {
  readonly logger: ServerLogger;
  /** Reads the configuration anew. Throws what is wrong with it. */
  readonly planAnew: () => StartPlan;
  /** Management key for other commands of this machine's user, valid while this process runs. */
  readonly ownerToken: string;
  /** Close functions of the opened parts; called from the last to the first. */
  readonly closers: (() => Promise<void>)[];
  /** Null for a process without other workers. */
  readonly place: WorkerPlace | null;
  /** Whether a signal came during the start. */
  readonly isStopping: () => boolean;
}

/**
 * Runs the gateway until a signal ends the process. Resolves when it listens; when it cannot start, closes everything
 * and rejects.
 */
export async function serve(options: ServeOptions): Promise<void> {
  tuneV8();
  const place = options.workers > 1 ? await findWorkerPlace() : null;
  const builtInModels = await loadBuiltInModels(options);
  const planAnew = (): StartPlan => planStart(options, process.env, builtInModels);
  const plan = planAnew();
  const ownerToken = `sk-gw-v1-owner-${randomBytes(32).toString('hex')}`;
  const secrets = plan.demoFixturesDir === null ? listSecrets(plan.config) : [];
  const logger = createLogger({ level: options.logLevel, secrets: [...secrets, ownerToken], worker: place?.slot });
  const closers: Start['closers'] = [];
  let isStopping = false;

  const { record, fixtures, trustsClock } = options;
  const started = start({
    ...plan,
    planAnew,
    record,
    fixtures,
    trustsClock,
    logger,
    ownerToken,
    closers,
    place,
    isStopping: () => isStopping,
  });
  stopOnSignals({
    events: place === null ? process : toWorkerEvents(process),
    logger,
    limitMs: plan.config.timeouts.drainMs + STOP_MARGIN_MS,
    now: () => performance.now(),
    async stop() {
      isStopping = true;
      // Parts that are still being opened must be closed as well; but a hanging file system must not prevent the end.
      await Promise.race([started.catch(() => undefined), delay(START_LIMIT_MS, undefined, { ref: false })]);
      await closeAll(closers);
    },
    exit(code) {
      logger.flush();
      process.exit(code);
    },
  });
  try {
    await started;
  } catch (error) {
    await closeAll(closers);
    logger.flush();
    throw error;
  }
}

/** The demo has its own models, and need not wait until others are loaded. */
async function loadBuiltInModels({ demo }: ServeOptions): Promise<readonly ModelDefinition[]> {
  return demo ? [] : (await import('@model-gateway/core/catalog/built-in-models')).BUILT_IN_MODELS;
}

async function start(start: Start): Promise<void> {
  const { config, logger, closers, demoFixturesDir, record, trustsClock, place } = start;
  const unsealed = warnOfSecrets(config, process.env);
  for (const warning of [...config.warnings, ...(unsealed === undefined ? [] : [unsealed])]) logger.warn(warning);
  const store = await openStore(config, logger, { trustsClock, place: place ?? ALONE });
  closers.push(() => store.close());

  // Fixtures that come with the program are replaced with each version.
  const savesFixtures = start.fixtures !== undefined;
  const recordingsDir = record?.dir ?? (config.store.type === 'json' ? join(config.store.dir, 'recordings') : null);
  const fixtures = { demoFixturesDir, savesFixtures, record, recordingsDir };
  const composed = await compose({
    config,
    store,
    logger,
    extraKeys: toOwnerKeys(start),
    instance: describeInstance(place),
    ...fixtures,
  });
  const { gateway, reconfigure, preload, closeAfterwards } = composed;
  for (const closable of closeAfterwards.toReversed()) closers.push(() => closable.close());
  if (start.isStopping()) return;

  const stopWatching = releaseMemoryAtRest(() => gateway.stats().openCalls);
  closers.push(() => Promise.resolve(stopWatching()));
  if (demoFixturesDir === null) {
    const reload = createReload({ config, read: () => start.planAnew().config, apply: reconfigure, logger });
    const stopFollowing = followConfig(config.file, reload);
    closers.push(() => Promise.resolve(stopFollowing()));
  }
  const listener = await startListening(withUi(gateway, logger), config, logger);
  closers.push(async () => {
    const ended = gateway.close();
    // A client that has stopped reading would keep the gateway waiting; closing the listener cuts it off.
    await Promise.race([ended, delay(config.timeouts.drainMs + CUT_AFTER_MS, undefined, { ref: false })]);
    await listener.close(CUT_AFTER_MS);
    await ended;
  });
  await announceOwner(start, listener);
  const begin = async (): Promise<void> => {
    showSignInLink(start, listener, `${publicUrlOf(config, listener)}/ui/#token=${gateway.createSignInToken()}`);
    await hintAtMissingKeys(start, store);
    void takeInLeft(start);
    // Not awaited: a provider whose list of models is slow must not delay a stop either.
    gateway.start().catch((error: unknown) => logger.error('looking for models failed', { error }));
  };
  const wasReady = isReady(store);
  await announce(start, listener, store);
  preload();
  if (wasReady) return begin();
  const beginLate = (): void => void beginWith(gateway, start, begin);
  const stopWaiting = whenReady(store, beginLate);
  closers.push(() => Promise.resolve(stopWaiting()));
}

/** Begins when a store that was away at the start has come. */
async function beginWith(gateway: Gateway, { logger }: Start, begin: () => Promise<void>): Promise<void> {
  try {
    await gateway.loadSetup();
    logger.info('the store is ready, so calls are taken');
    await begin();
  } catch (error) {
    logger.error('a part of the start failed', { error });
  }
}

/** What workers of a former start have left is taken in by the first of now. */
async function takeInLeft({ config, logger, place }: Start): Promise<void> {
  const { slot, of } = place ?? ALONE;
  if (config.store.type !== 'postgres' || slot !== 1) return;
  const { takeInLeftJournals } = await import('../open-database.ts');
  await takeInLeftJournals({ store: config.store, retentionDays: config.logging.retentionDays, logger }, of);
}

/** Other commands of this machine reach the process that owns a data directory by a key of its own. */
const toOwnerKeys = ({ config, ownerToken }: Start): BootstrapKey[] =>
  config.store.type === 'postgres'
    ? []
    : [{ key: ownerToken, kind: 'management', name: 'owner of the data directory', isInternal: true }];

async function startListening(
  gateway: Parameters<typeof listen>[0],
  { server, regions, timeouts }: GatewayConfig,
  logger: ServerLogger,
): Promise<Listener> {
  try {
    return await listen(gateway, {
      host: server.host,
      port: server.port,
      bodyLimitBytes: Math.round(server.bodyLimitMb * 1024 * 1024),
      publicUrl: server.publicUrl,
      trustedProxies: server.trustedProxies,
      allowedOrigins: server.allowedOrigins,
      allowedHosts: regions.flatMap(({ hosts }) => hosts),
      clientWriteTimeoutMs: timeouts.clientWriteMs,
      logger,
    });
  } catch (cause) {
    const message = await describeListenError(cause, server);
    throw message === undefined ? cause : new StartError(message, { cause });
  }
}

/** Writes the owner file with this process's address, for commands with the same data directory. */
async function announceOwner({ config, closers, ownerToken }: Start, { port }: Listener): Promise<void> {
  if (config.store.type !== 'json') return;
  const { dir } = config.store;
  const { host } = config.server;
  const callable = host === '::' ? '::1' : isWildcard(host) ? '127.0.0.1' : host;
  const url = `http://${callable.includes(':') ? `[${callable}]` : callable}:${port}`;
  const owner = { pid: process.pid, url, token: ownerToken };
  await writeOwnerFile(dir, owner);
  closers.push(() => removeOwnerFile(dir, owner));
}

/** A wildcard address can be listened on, not called. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Reports that it listens: in one line on stdout for programs, on stderr for people. */
async function announce(
  { config, logger, demoFixturesDir, place }: Start,
  { url }: Listener,
  store: Store,
): Promise<void> {
  const stored = isReady(store)
    ? (await store.providers.list()).filter(({ enabled }) => enabled).map(({ id }) => id)
    : [];
  if (place === null) announceListening(url);
  else tellListening(url);
  const what = config.logging.inputOutput
    ? 'prompts and completions are stored with every generation (logging.inputOutput is true)'
    : 'prompts and completions are not stored, only facts about each generation (logging.inputOutput is false)';
  const isDemo = demoFixturesDir !== null;
  const providers = isDemo ? ['demo'] : [...new Set([...config.providers.map(({ slug }) => slug), ...stored])];
  logger.info(`listening; ${what}`, { url, dataDir: describePlace(config), providers });
  if (providers.length === 0 && isReady(store))
    logger.warn('there is no provider yet: set one up in the UI, or name one in --config');
}

/** Of several workers, the first shows one for all. */
function showSignInLink(
  { config, logger, demoFixturesDir, place }: Start,
  { url }: Listener,
  signInLink: string,
): void {
  if (place !== null && (place.slot !== 1 || !place.isFirst)) return;
  if (demoFixturesDir === null) {
    return logger.info('the UI opens with this link, once and within ten minutes', { signInLink });
  }
  const dataDir = describePlace(config);
  process.stderr.write(createDemoBanner({ api: `${url}/api/v1`, key: DEMO_KEY, dataDir, signInLink }));
}

/** The address for browsers. */
function publicUrlOf({ server }: GatewayConfig, { url, port }: Listener): string {
  if (server.publicUrl !== null) return server.publicUrl;
  return isWildcard(server.host) ? `http://127.0.0.1:${port}` : url;
}

async function hintAtMissingKeys({ config, logger, place }: Start, store: Store): Promise<void> {
  if ((place?.slot ?? 1) > 1) return;
  if (config.auth.bootstrapKeys.length > 0 || (await store.keys.list()).length > 0) return;
  const where =
    config.store.type === 'json'
      ? ` --data-dir '${config.store.dir}'`
      : config.file === null
        ? ''
        : ` --config '${config.file}'`;
  logger.warn(`there is no key yet, so nobody can call: model-gateway keys create --name NAME${where}`);
}

/** Closes the parts in reverse order, and continues after a failure; throws the first failure at the end. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
