import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';

import {
  type AccountOptions,
  type Awaitable,
  type BootstrapKey,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Logger,
  noteConfiguration,
  type RateLimitOptions,
  type SecretBox,
  type Store,
  toKeptDays,
  type VideoArchive,
} from '@model-gateway/core';
import { createFileVideoArchive, createNodePlatform, type GatewayConfig } from '@model-gateway/node';
import type { RedisShared } from '@model-gateway/redis';

import type { Engine } from '../engine/run-engine.ts';
import {
  type Closable,
  connectProviders,
  createConnector,
  type LoadTransport,
  connectMailer,
  openMailer,
  openWebAccess,
  type Sources,
  toBroadcastOptions,
  toWebhookOptions,
} from '../open/connect-providers.ts';
import {
  createModuleDestination,
  createModuleFilter,
  type ModuleDestination,
  toModuleContext,
} from '../open/load-modules.ts';
import { openFiles } from '../open/open-files.ts';
import { type FixtureUse, openFixtures, type RecordOptions } from '../open/open-fixtures.ts';
import { listSecrets, openSecrets } from '../open/open-secrets.ts';
import { openSignIn } from '../open/open-sign-in.ts';
import { isReady } from '../open/open-store.ts';
import { createRedactor, type ServerLogger } from '../process/logger.ts';
import { createProviderChecks } from '../setup/provider-checks.ts';
import { createSetupHost, type KnownServer } from '../setup/setup-host.ts';

export interface Composition {
  readonly gateway: Gateway;
  /**
   * Whether it knows what was set up in the store. One whose database is away has nothing to read yet: then the host
   * calls `gateway.loadSetup` when the store is ready.
   */
  readonly isSetUp: boolean;
  /**
   * Puts providers, models, the account, routing and rate limits of another configuration into force; the rest of it is
   * for the next start. A call that has begun ends with what it began with. Rejects, and changes nothing, when it cannot.
   */
  readonly reconfigure: (config: GatewayConfig) => Promise<void>;
  /** Writes to the audit log how the configuration differs from that of the last start. Call it once the store is ready. */
  readonly noteConfig: () => Promise<void>;
  /** Loads what the first call needs but listening does not. */
  readonly preload: () => void;
  /** Parts to close after the gateway, in this order. */
  readonly closeAfterwards: readonly Closable[];
}

export interface CompositionOptions {
  readonly config: GatewayConfig;
  readonly store: Store;
  /** Hides the keys that are set up while it runs, where it can. */
  readonly logger: Logger & Partial<Pick<ServerLogger, 'hide'>>;
  /** Seals the keys that are set up through the API. Default: with `GATEWAY_SECRETS_KEY`, else a file beside the data. */
  readonly secrets?: SecretBox | undefined;
  /** Model servers to look for on this machine. Default: those that are usual, at their usual ports. */
  readonly localServers?: readonly KnownServer[] | undefined;
  /** Keys that are accepted beside those of the config. */
  readonly extraKeys: readonly BootstrapKey[];
  /** The directory of the demo's recorded responses; null outside demo mode. */
  readonly demoFixturesDir: string | null;
  /** The engine that the demo's second model answers from. Default: it replays recorded responses as the others do. */
  readonly demoEngine?: Pick<Engine, 'url'> | undefined;
  /** Whether cases that are saved in the UI are written to that directory. Default: they are handed out. */
  readonly savesFixtures?: boolean | undefined;
  /** Directory for recorded responses. Default: nothing is recorded. */
  readonly record?: RecordOptions | null | undefined;
  /** Directory of recordings, for switching to them while it runs. Default: the mode stays as it is. */
  readonly recordingsDir?: string | null | undefined;
  /** Why the mode stays as it is, for people: the host has a way of its own to switch it. */
  readonly fixedMode?: string | undefined;
  /** Transport for calls to configured providers. Default: undici. */
  readonly loadTransport?: LoadTransport | undefined;
  /** The made-up records of the demo. Default: there are none. */
  readonly sampleData?: GatewayOptions['sampleData'];
  readonly instance?: GatewayOptions['instance'];
  /** What `/metrics` shows. Default: the figures of the gateway alone. */
  readonly exposeMetrics?: NonNullable<GatewayOptions['metrics']>['expose'];
  readonly onGeneration?: GatewayOptions['onGeneration'];
  readonly onAlarm?: GatewayOptions['onAlarm'];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a gateway of all parts of this server. Rejects, and leaves nothing open, when one of them cannot be had. */
export async function compose(options: CompositionOptions): Promise<Composition> {
  const opened: Closable[] = [];
  try {
    return { ...(await composeParts(options, opened)), closeAfterwards: opened };
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

/** The composition root: the only place that names all parts. Adds those that are to be closed to `opened`. */
async function composeParts(
  options: CompositionOptions,
  opened: Closable[],
): Promise<Omit<Composition, 'closeAfterwards'>> {
  const { store, logger, extraKeys, demoFixturesDir, record = null, loadTransport } = options;
  const isDemo = demoFixturesDir !== null;
  let { config } = options;
  const current = (): GatewayConfig => config;
  const box = options.secrets ?? openSecrets(config, process.env);
  // Providers that are set up while it runs are added.
  const secrets = listSecrets(config);
  const redact = (text: string): string => createRedactor(secrets)(text);
  const fixtures = await openFixtures({
    config,
    replayDir: demoFixturesDir,
    savesThere: options.savesFixtures ?? false,
    record,
    recordingsDir: options.recordingsDir ?? null,
    fixedMode: options.fixedMode,
    secrets,
    logger,
  });
  const { recordUpstream, replay } = fixtures;
  const sources: Sources =
    replay === undefined
      ? await connectProviders(config, { recordUpstream, loadTransport, logger })
      : {
          ...(await openReplaySources(replay, options.demoEngine)),
          connector: createConnector(refuseConnection, refuseConnection),
          connectAll: refuseConnection,
        };
  const { connector, connectAll } = sources;
  opened.push(...sources.closeAfterwards);
  const hide = (more: readonly string[]): void => {
    secrets.push(...more.filter((secret) => !secrets.includes(secret)));
    logger.hide?.(more);
  };
  const destinations = isDemo ? [] : await openDestinations(config, logger, opened);
  const filters = await Promise.all(
    config.guardrails.filters.map((filter) => createModuleFilter(filter, toModuleContext(filter.slug, logger))),
  );
  const shared = await openShared(config, logger);
  if (shared !== undefined) opened.push(shared);
  const platform = createNodePlatform({ scratchDir: 'dir' in config.store ? config.store.dir : undefined });
  const gateway = createGateway({
    providers: sources.providers,
    models: sources.models,
    store,
    platform,
    bootstrapKeys: [...config.auth.bootstrapKeys, ...extraKeys],
    tokens: isDemo ? undefined : await openTokens(config),
    scimToken: config.scim.token ?? undefined,
    wrongKeysPerAddress: config.auth.wrongKeysPerAddress,
    signIn: await openSignIn(config),
    account: toAccount(config),
    regions: config.regions,
    timeouts: config.timeouts,
    webhooks: toWebhookOptions(config),
    mailer: isDemo ? undefined : await openMailer(config),
    connectMailer: isDemo ? undefined : connectMailer,
    onAlarm: options.onAlarm,
    broadcast: toBroadcastOptions(config),
    videoArchive: await openVideoArchive(config, store),
    files: await openFiles(config, store, box),
    logging: {
      inputOutput: config.logging.inputOutput,
      maxContentMb: config.logging.maxContentMb,
      acceptStore: config.logging.acceptStore,
      cacheCauses: config.logging.cacheCauses,
    },
    providerChecks: isDemo ? undefined : createProviderChecks({ current, connector, redact }),
    setupHost: isDemo
      ? undefined
      : createSetupHost({ current, connector, secrets: box, hide, redact, localServers: options.localServers }),
    catalogUpdates: isDemo ? undefined : toCatalogUpdates(config),
    fixtures: fixtures.library,
    sampleData: options.sampleData,
    shared: shared?.parts,
    instance: options.instance,
    metrics: { token: config.metrics.token ?? undefined, expose: options.exposeMetrics },
    rateLimits: await openRateLimits(config, shared),
    callLimits: { rules: config.limits, takeLease: shared?.takeLease, sharedCounts: shared?.callCounts },
    // The demo must not use the network.
    web: isDemo ? undefined : await openWebAccess(config),
    guardrails: { filters },
    onGeneration: toListener([options.onGeneration, ...destinations.map(({ onGeneration }) => onGeneration)]),
    onAudit: toListener(destinations.map(({ onAudit }) => onAudit)),
    logger,
  });
  const isSetUp = isReady(store);
  if (isSetUp) await gateway.loadSetup();

  const reconfigure = async (next: GatewayConfig): Promise<void> => {
    const before = config;
    hide(listSecrets(next));
    const providers = await connectAll(next);
    const rateLimits = await openRateLimits(next, shared);
    const callLimits = { rules: next.limits, takeLease: shared?.takeLease, sharedCounts: shared?.callCounts };
    // What is shown of the configuration is read while it comes into force.
    config = next;
    try {
      await gateway.loadSetup({ providers, models: next.models, account: toAccount(next), rateLimits, callLimits });
    } catch (error) {
      config = before;
      throw error;
    }
    await noteConfig();
  };
  const noteConfig = async (): Promise<void> => {
    if (isDemo || (options.instance?.worker?.number ?? 1) > 1) return;
    const { file, warnings: _, ...sections } = config;
    await noteConfiguration(store.audit, platform, sections, file).catch((error: unknown) => {
      logger.error('the audit log could not note the configuration', { error });
    });
  };
  return { gateway: fixtures.wrap(gateway), isSetUp, reconfigure, noteConfig, preload: sources.preload };
}

/** Replayed responses, and those of a real engine where there is one. */
async function openReplaySources(
  replay: NonNullable<FixtureUse['replay']>,
  engine: CompositionOptions['demoEngine'],
): Promise<Pick<Sources, 'providers' | 'models' | 'preload' | 'closeAfterwards'>> {
  if (engine === undefined) return { ...replay, preload: () => undefined, closeAfterwards: [] };
  const { withEngine } = await import('../engine/demo-engine.ts');
  const { close, ...parts } = await withEngine(replay, engine);
  return { ...parts, closeAfterwards: [{ close }] };
}

/** Issuers of tokens, which are asked without any of the connections to providers. */
async function openTokens({ auth, timeouts }: GatewayConfig): Promise<GatewayOptions['tokens']> {
  if (auth.jwt.length === 0) return undefined;
  const { createUndiciTransport } = await import('@model-gateway/node/undici');
  return { issuers: auth.jwt, transport: createUndiciTransport({ connectTimeoutMs: timeouts.connectMs }) };
}

/** Destinations by code of the operator's own. */
async function openDestinations(
  { destinations }: GatewayConfig,
  logger: Logger,
  opened: Closable[],
): Promise<readonly Required<ModuleDestination>[]> {
  const made: Required<ModuleDestination>[] = [];
  for (const config of destinations) {
    const destination = withFinished(await createModuleDestination(config, toModuleContext(config.slug, logger)));
    made.push(destination);
    opened.push({ close: destination.close });
  }
  return made;
}

/** A destination that is closed when it has dealt with the calls that it was told of. */
function withFinished(destination: ModuleDestination): Required<ModuleDestination> & { close(): Promise<void> } {
  const telling = new Set<Promise<void>>();
  const follow = async (tell: () => Awaitable<void> | undefined): Promise<void> => {
    const told = (async () => tell())();
    telling.add(told);
    try {
      await told;
    } finally {
      telling.delete(told);
    }
  };
  return {
    onGeneration: (record) => follow(() => destination.onGeneration(record)),
    onAudit: (records) => follow(() => destination.onAudit?.(records)),
    async close() {
      await Promise.allSettled(telling);
      await destination.close?.();
    },
  };
}

type Listener<Told> = (told: Told) => Awaitable<void>;

/** One listener for all of them. Rejects with the failures of those that failed. */
function toListener<Told>(listeners: readonly (Listener<Told> | undefined)[]): Listener<Told> | undefined {
  const [first, ...others] = listeners.filter((listener) => listener !== undefined);
  if (first === undefined || others.length === 0) return first;
  return async (record) => {
    const told = [first, ...others].map(async (listener) => listener(record));
    const failures = (await Promise.allSettled(told)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
  };
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24 };

/** How often the catalog is compared with lists, and with which. */
function toCatalogUpdates({ catalog: { update } }: GatewayConfig): GatewayOptions['catalogUpdates'] {
  if (update === null) return undefined;
  const { every, from, provider } = update;
  const hours = Number.parseInt(every, 10) * (HOURS[every.at(-1) ?? ''] ?? 1);
  return { everyMs: hours * 60 * 60 * 1000, source: toCatalogSource(from, provider) };
}

function toCatalogSource(
  from: string | undefined,
  provider: string | undefined,
): NonNullable<GatewayOptions['catalogUpdates']>['source'] {
  if (from === undefined) return { provider };
  if (/^https?:/.test(from)) return { provider, url: from };
  // Paths are absolute by now, and slugs are not. A file is read for each comparison, as an address is.
  if (!isAbsolute(from)) return { provider: from };
  return async () => ({ provider, document: JSON.parse(await readFile(from, 'utf8')) as unknown });
}

const toAccount = ({ account, routing }: GatewayConfig): AccountOptions => ({ ...account, routing });

const refuseConnection = (): never => {
  throw new TypeError('The demo has no connections');
};

/** Counts for limits of the configuration, and for those that are set while the gateway runs. */
async function openRateLimits(
  { rateLimits: rules }: GatewayConfig,
  shared: RedisShared | undefined,
): Promise<RateLimitOptions> {
  if (shared !== undefined) return { rules, createCounter: shared.createRateCounter };
  const { createMemoryRateCounter: createCounter } = await import('@model-gateway/node/rate-limits');
  return { rules, createCounter };
}

async function openVideoArchive(
  { store, videos, logging }: GatewayConfig,
  { retention, settings }: Pick<Store, 'retention' | 'settings'>,
): Promise<VideoArchive | undefined> {
  if (store.type !== 'json' || videos.keepMb === 0) return undefined;
  return createFileVideoArchive({
    dir: join(store.dir, 'videos'),
    maxBytes: videos.keepMb * 1024 * 1024,
    maxAgeMs: toKeptDays(settings.get(), logging.retentionDays).contentDays * DAY_MS,
    now: retention?.now,
  });
}

/** A gateway starts without a Redis that is away for longer. */
const SHARED_START_LIMIT_MS = 1000;

/** Connects to what the processes of a gateway count together. Undefined where this one counts alone. */
async function openShared({ shared }: GatewayConfig, logger: Logger): Promise<RedisShared | undefined> {
  if (shared.type === 'memory') return undefined;
  const { createRedisShared } = await import('@model-gateway/redis');
  const opened = createRedisShared({ url: shared.url, urlName: 'shared.url', whenDown: shared.whenDown, logger });
  await opened.waitUntilUp(SHARED_START_LIMIT_MS);
  return opened;
}
