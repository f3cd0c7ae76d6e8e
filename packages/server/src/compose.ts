import { join } from 'node:path';
import process from 'node:process';

import {
  createGateway,
  type AccountOptions,
  type BootstrapKey,
  type BroadcastOptions,
  type Gateway,
  type GatewayOptions,
  type Logger,
  type ModelDefinition,
  type Provider,
  type RateLimitOptions,
  type SecretBox,
  type Store,
  type WebhookOptions,
  type Transport,
  type VideoArchive,
  type WebAccess,
} from '@model-gateway/core';
import { createProvider } from '@model-gateway/core/providers/create-provider';
import { createFileVideoArchive, createNodePlatform, type GatewayConfig } from '@model-gateway/node';
import { langfuseFormat, otelCollectorFormat, s3Format, webhookFormat } from '@model-gateway/node/destinations';
import { createGuardedTransport, objectToUrl } from '@model-gateway/node/guarded';
// Types alone: the package is loaded where there is a Redis.
import type { RedisShared } from '@model-gateway/redis';

import type { RecordOptions } from './commands/parse-command.ts';
import { createProviderChecks } from './doctor/provider-checks.ts';
import type { FixtureUse } from './fixture-use.ts';
import { createLazyTransport } from './lazy-transport.ts';
import { listSecrets } from './list-secrets.ts';
import { createRedactor, type ServerLogger } from './logger.ts';
import { openFixtures } from './open-fixtures.ts';
import { openSecrets } from './open-secrets.ts';
import { openShared } from './open-shared.ts';
import { type Connector, createConnector } from './setup/connector.ts';
import type { KnownServer } from './setup/find-local-servers.ts';
import { createSetupHost } from './setup/setup-host.ts';
import { isReady } from './store-readiness.ts';

/** Anything with open connections or files, which `close` releases. */
interface Closable {
  close(): Promise<void>;
}

export interface Composition {
  readonly gateway: Gateway;
  /**
   * Puts providers, models, the account, routing and rate limits of another configuration into force; the rest of it is
   * for the next start. A call that has begun ends with what it began with. Rejects, and changes nothing, when it cannot.
   */
  readonly reconfigure: (config: GatewayConfig) => Promise<void>;
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
  readonly instance?: GatewayOptions['instance'];
  readonly onGeneration?: GatewayOptions['onGeneration'];
}

type LoadTransport = () => Promise<Transport & Closable>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The composition root: the only place that names all parts of this server. */
export async function compose(options: CompositionOptions): Promise<Composition> {
  const { store, logger, extraKeys, demoFixturesDir, record = null, loadTransport } = options;
  const isDemo = demoFixturesDir !== null;
  let { config } = options;
  const current = (): GatewayConfig => config;
  const box = options.secrets ?? openSecrets(config, process.env);
  // Those that are set up while it runs are added.
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
  });
  const { recordUpstream, replay } = fixtures;
  const sources: Sources =
    replay === undefined
      ? await connectProviders(config, { recordUpstream, loadTransport })
      : { ...replay, connector: createConnector(refuseConnection), preload: () => undefined, closeAfterwards: [] };
  const { connector } = sources;
  const hide = (more: readonly string[]): void => {
    secrets.push(...more.filter((secret) => !secrets.includes(secret)));
    logger.hide?.(more);
  };
  const shared = await openShared(config, logger);
  const gateway = createGateway({
    providers: sources.providers,
    models: sources.models,
    store,
    platform: createNodePlatform({ scratchDir: config.store.type === 'memory' ? undefined : config.store.dir }),
    bootstrapKeys: [...config.auth.bootstrapKeys, ...extraKeys],
    wrongKeysPerAddress: config.auth.wrongKeysPerAddress,
    account: toAccount(config),
    regions: config.regions,
    timeouts: config.timeouts,
    webhooks: toWebhookOptions(config),
    broadcast: toBroadcastOptions(config),
    videoArchive: await openVideoArchive(config, store),
    logging: { inputOutput: config.logging.inputOutput, maxContentMb: config.logging.maxContentMb },
    providerChecks: isDemo ? undefined : createProviderChecks({ current, connector, redact }),
    setupHost: isDemo
      ? undefined
      : createSetupHost({ current, connector, secrets: box, hide, redact, localServers: options.localServers }),
    fixtures: fixtures.library,
    shared: shared?.parts,
    instance: options.instance,
    rateLimits: await openRateLimits(config, shared),
    // The demo must not use the network.
    web: isDemo ? undefined : await openWebAccess(config),
    onGeneration: options.onGeneration,
    logger,
  });
  // A store whose database is away has nothing to read yet; the host loads it when it is ready.
  if (isReady(store)) await gateway.loadSetup();

  const reconfigure = async (next: GatewayConfig): Promise<void> => {
    const before = config;
    hide(listSecrets(next));
    const providers = await Promise.all(next.providers.map(connector.connect));
    const rateLimits = await openRateLimits(next, shared);
    // What is shown of the configuration is read while it comes into force.
    config = next;
    try {
      await gateway.loadSetup({ providers, models: next.models, account: toAccount(next), rateLimits });
    } catch (error) {
      config = before;
      throw error;
    }
  };
  const { preload } = sources;
  const closeAfterwards = [...sources.closeAfterwards, ...(shared === undefined ? [] : [shared])];
  return { gateway: fixtures.wrap(gateway), reconfigure, preload, closeAfterwards };
}

const toAccount = ({ account, routing }: GatewayConfig): AccountOptions => ({ ...account, routing });

const refuseConnection = (): never => {
  throw new TypeError('The demo has no connections');
};

/** Undefined without limits; then nothing is loaded. */
async function openRateLimits(
  { rateLimits: rules }: GatewayConfig,
  shared: RedisShared | undefined,
): Promise<RateLimitOptions | undefined> {
  if (rules.length === 0) return undefined;
  if (shared !== undefined) return { rules, createCounter: shared.createRateCounter };
  const { createMemoryRateCounter: createCounter } = await import('@model-gateway/node/rate-limits');
  return { rules, createCounter };
}

async function openWebAccess({ webSearch, timeouts }: GatewayConfig): Promise<WebAccess> {
  const { createWebAccess } = await import('@model-gateway/node/web');
  return createWebAccess({ connectTimeoutMs: timeouts.connectMs, search: webSearch ?? undefined });
}

function toWebhookOptions(config: GatewayConfig): WebhookOptions {
  const { signingSecret, previousSigningSecret, defaultCallbackUrl, allowPrivateNetwork } = config.webhooks;
  return {
    signingSecrets: [signingSecret, previousSigningSecret].filter((secret) => secret !== null),
    defaultCallbackUrl,
    transport: createOutsideTransport(config),
    objectToUrl: (url) => objectToUrl(url, { schemes: ['https'], allowPrivateNetwork }),
  };
}

function toBroadcastOptions(config: GatewayConfig): BroadcastOptions {
  const { allowPrivateNetwork } = config.webhooks;
  return {
    formats: [webhookFormat, otelCollectorFormat, langfuseFormat, s3Format],
    transport: createOutsideTransport(config),
    objectToUrl: (url) => objectToUrl(url, { schemes: ['https', 'http'], allowPrivateNetwork }),
  };
}

/** Transport for every address that callers or upstreams name. */
function createOutsideTransport({ webhooks: { allowPrivateNetwork }, timeouts }: GatewayConfig): Transport {
  return createGuardedTransport({ allowPrivateNetwork, connectTimeoutMs: timeouts.connectMs });
}

async function openVideoArchive(
  { store, videos, logging }: GatewayConfig,
  { retention }: Pick<Store, 'retention'>,
): Promise<VideoArchive | undefined> {
  if (store.type !== 'json' || videos.keepMb === 0) return undefined;
  return createFileVideoArchive({
    dir: join(store.dir, 'videos'),
    maxBytes: videos.keepMb * 1024 * 1024,
    maxAgeMs: logging.retentionDays * DAY_MS,
    now: retention?.now,
  });
}

interface Sources extends Pick<Composition, 'preload' | 'closeAfterwards'> {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
  readonly connector: Connector;
}

/** Creates the providers of a configuration. The caller closes what is to be closed. */
export async function connectProviders(
  config: GatewayConfig,
  {
    recordUpstream,
    loadTransport,
  }: Pick<FixtureUse, 'recordUpstream'> & Pick<CompositionOptions, 'loadTransport'> = {},
): Promise<Sources> {
  const { providers, models, timeouts } = config;
  const loadUndici: LoadTransport = async () => {
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    return createUndiciTransport({ connectTimeoutMs: timeouts.connectMs });
  };
  const transport = createLazyTransport(loadTransport ?? loadUndici);
  const outside = createOutsideTransport(config);
  const connector = createConnector((provider) => {
    if (recordUpstream === undefined) return createProvider({ ...provider, transport, downloads: outside });
    return createProvider({
      ...provider,
      transport: recordUpstream(provider, transport),
      downloads: recordUpstream(provider, outside),
    });
  });
  const created = await Promise.all(providers.map(connector.connect));
  return { providers: created, models, connector, preload: () => transport.preload(), closeAfterwards: [transport] };
}
