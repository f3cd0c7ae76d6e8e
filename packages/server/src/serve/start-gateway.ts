import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import {
  type BootstrapKey,
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  type InstanceFacts,
  type Logger,
  NO_SNIFFING,
  type SampleData,
  type Store,
  VERSION,
} from '@model-gateway/core';
import { DEMO_KEY, type GatewayConfig, listen, type Listener } from '@model-gateway/node';
import { toSignInLink } from '@model-gateway/ui/sign-in-link';

import type { Engine } from '../engine/run-engine.ts';
import { warnOfSecrets } from '../open/open-secrets.ts';
import { describePlace, isReady, openStore, whenReady } from '../open/open-store.ts';
import { createReload, followConfig } from '../process/follow-config.ts';
import type { ServerLogger } from '../process/logger.ts';
import { ownCommand, quote } from '../process/own-command.ts';
import { removeOwnerFile, writeOwnerFile } from '../process/owner-file.ts';
import { describeListenError } from '../process/port-holder.ts';
import { createProcessMetrics, type ProcessMetrics, toExposition } from '../process/process-metrics.ts';
import { StartError } from '../process/start-error.ts';
import { releaseMemoryAtRest } from '../process/tune-process.ts';
import { shareMetrics, type WorkerMetricsOptions } from '../process/worker-metrics.ts';
import { ALONE, announceListening, tellListening, type WorkerPlace } from '../process/worker-place.ts';
import { compose, type Composition } from './compose.ts';
import type { Start } from './plan-start.ts';

/** Time after the drain limit for the last bytes of responses. */
const CUT_AFTER_MS = 1000;

/** Opens the parts one after the other, and resolves when calls are taken. */
export async function startGateway(start: Start): Promise<void> {
  const { config, logger, closers, demoFixturesDir, record, place } = start;
  const unsealed = warnOfSecrets(config, process.env);
  for (const warning of [...config.warnings, ...(unsealed === undefined ? [] : [unsealed])]) logger.warn(warning);
  const { store, sampleData } = await openParts(start);
  closers.push(() => store.close());
  const engine = start.wantsEngine === true ? await openEngine(start) : undefined;

  // Fixtures that come with the program are replaced with each version.
  const savesFixtures = start.fixtures !== undefined;
  const recordingsDir = record?.dir ?? (config.store.type === 'json' ? join(config.store.dir, 'recordings') : null);
  const fixtures = { demoFixturesDir, savesFixtures, record, recordingsDir };
  const metrics = createProcessMetrics({
    version: VERSION,
    readFamilies: async () => composed.gateway.readMetrics(),
  });
  const composed: Composition = await compose({
    config,
    store,
    logger,
    extraKeys: toOwnerKeys(start),
    sampleData,
    demoEngine: engine,
    instance: describeInstance(place),
    exposeMetrics: place === null ? async () => toExposition([await metrics.read()]) : shareMetrics(toChannel(metrics)),
    ...fixtures,
  });
  const { gateway, isSetUp, reconfigure, noteConfig, preload, closeAfterwards } = composed;
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
    showSignInLink(start, listener, gateway, engine !== undefined);
    await hintAtMissingKeys(start, store);
    await noteConfig();
    takeInLeft(start).catch((error: unknown) => logger.error('journals of former workers were not found', { error }));
    // Not awaited: a provider whose list of models is slow must not delay a stop either.
    gateway.start().catch((error: unknown) => logger.error('looking for models failed', { error }));
  };
  await announce(start, listener, store);
  preload();
  metrics.begin().catch((error: unknown) => logger.error('figures of the process cannot be read', { error }));
  // Not by the store, which may have got ready since.
  if (isSetUp) return begin();
  const beginLate = (): void => void beginWith(gateway, start, begin);
  const stopWaiting = whenReady(store, beginLate);
  closers.push(() => Promise.resolve(stopWaiting()));
}

/** The store, and the made-up calls in it where the demo has some. */
async function openParts(start: Start): Promise<{ readonly store: Store; readonly sampleData?: SampleData }> {
  const { config, logger, trustsClock, place, demoFixturesDir, beginsWithSamples } = start;
  if (beginsWithSamples && demoFixturesDir !== null && config.store.type === 'json') {
    const { retentionDays, maxGenerations } = config.logging;
    const { openDemoStore } = await import('../sample/open-demo-store.ts');
    return openDemoStore(
      { dir: config.store.dir, logger, retentionDays, maxGenerations, trustsClock },
      demoFixturesDir,
    );
  }
  return { store: await openStore(config, logger, { trustsClock, place: place ?? ALONE }) };
}

/** The real engine of the demo, which ends after the gateway. */
async function openEngine({ logger, closers }: Start): Promise<Engine | undefined> {
  const { openDemoEngine } = await import('../engine/demo-engine.ts');
  const engine = await openDemoEngine(logger);
  if (engine !== undefined) closers.push(() => engine.close());
  return engine;
}

/** The channel of a worker to the process that has started it. */
const toChannel = (own: ProcessMetrics): WorkerMetricsOptions => ({
  own,
  send: (message) => void (process.connected && process.send?.(message)),
  onMessage: (listener) => void process.on('message', listener),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
});

/** Begins when a store that was away at the start has come. */
async function beginWith(gateway: Gateway, { logger }: Start, begin: () => Promise<void>): Promise<void> {
  try {
    await gateway.loadSetup();
    logger.info('the store is ready; accepting calls');
    await begin();
  } catch (error) {
    logger.error('a part of the start failed', { error });
  }
}

/** What workers of a former start have left is taken in by the first of now. */
async function takeInLeft({ config, logger, place }: Start): Promise<void> {
  const { slot, of } = place ?? ALONE;
  if (config.store.type !== 'postgres' || slot !== 1) return;
  const { takeInLeftJournals } = await import('../open/open-database.ts');
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
      ...server,
      bodyLimitBytes: Math.round(server.bodyLimitMb * 1024 * 1024),
      bodyMemoryBytes: server.bodyMemoryMb === undefined ? undefined : Math.round(server.bodyMemoryMb * 1024 * 1024),
      allowedHosts: regions.flatMap(({ hosts }) => hosts),
      clientWriteTimeoutMs: timeouts.clientWriteMs,
      logger,
    });
  } catch (cause) {
    const message = await describeListenError(cause, server);
    throw message === undefined ? cause : new StartError(message, { cause });
  }
}

/** What operators see of this process. `place` is null where it has no other workers. */
const describeInstance = (place: WorkerPlace | null): InstanceFacts => ({
  version: VERSION,
  host: hostname(),
  processId: process.pid,
  worker: place === null ? undefined : { number: place.slot, of: place.of },
});

/**
 * Adds the web UI below `/ui`, and `/auth`, which apps send users to, to a gateway, and compresses what is read by GET: lists and records, no calls of models.
 * The code of both is loaded at the first request for it.
 */
function withUi(gateway: Gateway, logger: Pick<Logger, 'error'>): Gateway {
  return {
    ...gateway,
    // Not an async function, because every call passes through it.
    handle: (request) =>
      request.path === '/ui' || request.path.startsWith('/ui/') || request.path === '/auth' || isBrowserAtRoot(request)
        ? loadAndServeUi(request, logger)
        : request.method === 'GET' && request.headers['accept-encoding'] !== undefined
          ? handleCompressed(gateway, request)
          : gateway.handle(request),
  };
}

/** A person who opens the address itself. What else asks for it wants to know whether a server is running. */
const isBrowserAtRoot = ({ method, path, headers }: GatewayRequest): boolean =>
  path === '/' && method === 'GET' && headers['accept']?.includes('text/html') === true;

async function handleCompressed(gateway: Gateway, request: GatewayRequest): Promise<GatewayResponse> {
  const [response, { compressResponse }] = await Promise.all([gateway.handle(request), import('../ui/compress.ts')]);
  return compressResponse(response, request.headers['accept-encoding']);
}

async function loadAndServeUi(request: GatewayRequest, logger: Pick<Logger, 'error'>): Promise<GatewayResponse> {
  try {
    const [{ uiDirectory }, { serveUi }] = await Promise.all([
      import('@model-gateway/ui'),
      import('../ui/serve-ui.ts'),
    ]);
    return await serveUi(request, uiDirectory);
  } catch (error) {
    logger.error('the web UI could not be served; is it built?', { error });
    const headers = { ...NO_SNIFFING, 'content-type': 'text/plain; charset=utf-8' };
    return { status: 503, headers, body: 'The web UI is not available; see the log.\n' };
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
    : 'prompts and completions are not stored, only the records of generations (logging.inputOutput is false)';
  const isDemo = demoFixturesDir !== null;
  const { providers: wired, providerModules, providerPackages } = config;
  const configured = [...wired, ...providerModules, ...providerPackages].map(({ slug }) => slug);
  const providers = isDemo ? ['demo'] : [...new Set([...configured, ...stored])];
  logger.info(`listening; ${what}`, { url, dataDir: describePlace(config), providers });
  if (providers.length === 0 && isReady(store))
    logger.warn('there is no provider yet: add one in the UI, or in the config file');
}

/** If there are several workers, the first shows one for all. */
function showSignInLink(
  { config, logger, demoFixturesDir, place }: Start,
  listener: Listener,
  gateway: Gateway,
  hasEngine: boolean,
): void {
  if (place !== null && (place.slot !== 1 || !place.isFirst)) return;
  const signInLink = toSignInLink(`${publicUrlOf(config, listener)}/ui`, gateway.createSignInToken());
  if (demoFixturesDir === null) {
    return logger.info('the UI opens with this link, once and within ten minutes', { signInLink });
  }
  const dataDir = describePlace(config);
  const api = `${listener.url}/api/v1`;
  process.stderr.write(createDemoBanner({ api, key: DEMO_KEY, dataDir, signInLink, hasEngine }));
}

/** The address for browsers. */
function publicUrlOf({ server }: GatewayConfig, { url, port }: Listener): string {
  if (server.publicUrl !== null) return server.publicUrl;
  return isWildcard(server.host) ? `http://127.0.0.1:${port}` : url;
}

/** Says how to make a key where there is none. Of several workers, the first says it. */
async function hintAtMissingKeys({ config, logger, place }: Start, store: Store): Promise<void> {
  if ((place?.slot ?? 1) > 1) return;
  if (config.auth.bootstrapKeys.length > 0 || (await store.keys.list()).length > 0) return;
  const where =
    config.store.type === 'json'
      ? ` --data-dir ${quote(config.store.dir)}`
      : config.file === null
        ? ''
        : ` --config ${quote(config.file)}`;
  logger.warn(`there are no keys yet; create one: ${ownCommand()} keys create --name NAME${where}`);
}

const ENGINE_NOTE = 'demo/reasoner responds from llama.cpp on this machine.';

interface DemoFacts {
  /** Without a trailing slash. */
  readonly api: string;
  readonly key: string;
  readonly dataDir: string;
  readonly signInLink: string;
  /** Whether the second model is that of a real engine. */
  readonly hasEngine: boolean;
}

/** The text that demo mode prints when it listens: commands to paste that send a request and show the recording. */
function createDemoBanner({ api, key, dataDir, signInLink, hasEngine }: DemoFacts): string {
  return `
  Model Gateway, demo mode: recorded responses, no network, no cost.${hasEngine ? `\n  ${ENGINE_NOTE}` : ''}

  API address   ${api}
  API key       ${key}
  Web UI        ${signInLink}
                (this link signs in once, within ten minutes)

  Send a chat completion:

curl -sS ${api}/chat/completions \\
  -H 'authorization: Bearer ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"model":"demo/chat","messages":[{"role":"user","content":"Hello!"}]}'

  Add "stream":true for a stream. Every response has an id; with it, see what was recorded (/generation/content
  has the prompt and the completion):

curl -sS -H 'authorization: Bearer ${key}' '${api}/generation?id=PASTE-THE-ID-HERE'

  To begin with providers of your own, set up in the Web UI:  ${ownCommand()} serve --no-demo

  Kept in ${dataDir}. Ctrl-C stops it.

`;
}
