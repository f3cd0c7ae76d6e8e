import process from 'node:process';

import {
  type AlarmMailer,
  type ConnectMailer,
  type BroadcastOptions,
  type Logger,
  type ModelDefinition,
  type Provider,
  sendWhole,
  type Transport,
  type WebAccess,
  type WebhookOptions,
} from '@model-gateway/core';
import { createProvider } from '@model-gateway/core/providers/create-provider';
import type { GatewayConfig, ModuleConfig, PackageConfig, ProviderConfig } from '@model-gateway/node';
import {
  clickhouseFormat,
  datadogFormat,
  langfuseFormat,
  OTLP_SERVICE_FORMATS,
  otelCollectorFormat,
  posthogFormat,
  s3Format,
  snowflakeFormat,
  webhookFormat,
} from '@model-gateway/node/destinations';
import { createGuardedTransport, findUrlProblem } from '@model-gateway/node/guarded';

import { createModuleProvider, toProviderModuleContext } from './load-modules.ts';
import type { FixtureUse } from './open-fixtures.ts';
import { createPackageProvider, packageFolderOf } from './package-providers.ts';

/** Anything with open connections or files, which `close` releases. */
export interface Closable {
  close(): Promise<void>;
}

export type LoadTransport = () => Promise<Transport & Closable>;

/** Whom a gateway calls. */
export interface Sources {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
  readonly connector: Connector;
  /** Makes the providers of another configuration, in the same way. */
  readonly connectAll: (config: GatewayConfig) => Promise<readonly Provider[]>;
  /** Loads what the first call needs but listening does not. */
  readonly preload: () => void;
  readonly closeAfterwards: readonly Closable[];
}

interface ConnectOptions extends Pick<FixtureUse, 'recordUpstream'> {
  readonly loadTransport?: LoadTransport | undefined;
  /** For modules of the operator's own. */
  readonly logger: Logger;
}

/** Creates the providers of a configuration. The caller closes what is to be closed. */
export async function connectProviders(
  config: GatewayConfig,
  { recordUpstream, loadTransport, logger }: ConnectOptions,
): Promise<Sources> {
  const { models, timeouts } = config;
  const loadUndici: LoadTransport = async () => {
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    return createUndiciTransport({ connectTimeoutMs: timeouts.connectMs });
  };
  const transport = createLazyTransport(loadTransport ?? loadUndici);
  const outside = createOutsideTransport(config);
  const packageParts = { folder: packageFolderOf(config), transport, downloads: outside };
  const connector = createConnector(
    async (provider) => {
      const { cloud } = provider;
      const access =
        cloud === null ? {} : (await import('@model-gateway/node/clouds')).createCloudAccess(cloud, process);
      if (recordUpstream === undefined)
        return createProvider({ ...provider, ...access, transport, downloads: outside });
      return createProvider({
        ...provider,
        ...access,
        transport: recordUpstream(provider, transport),
        downloads: recordUpstream(provider, outside),
      });
    },
    (entry) => createPackageProvider(entry, packageParts),
  );
  const context = { logger, transport, downloads: outside };
  const connectModule = (module: ModuleConfig): Promise<Provider> =>
    createModuleProvider(module, toProviderModuleContext(module.slug, context));
  const connectAll: Sources['connectAll'] = ({ providers, providerModules, providerPackages, file }) => {
    const parts = { ...packageParts, folder: packageFolderOf({ file }) };
    return Promise.all([
      ...providers.map(connector.connect),
      ...providerModules.map(connectModule),
      ...providerPackages.map((entry) => createPackageProvider(entry, parts)),
    ]);
  };
  return {
    providers: await connectAll(config),
    models,
    connector,
    connectAll,
    preload: () => transport.preload(),
    closeAfterwards: [transport],
  };
}

interface LazyTransport extends Required<Transport> {
  /** Loads the transport before the first call. */
  preload(): void;
  /** Closes the transport if it was loaded. */
  close(): Promise<void>;
}

/**
 * Delays loading a transport until after the start: undici takes a sixth of the time of a start, and listening does not
 * need it. A call before then waits for it.
 */
export function createLazyTransport(load: () => Promise<Transport & { close(): Promise<void> }>): LazyTransport {
  let loading: ReturnType<typeof load> | undefined;
  let loaded: Transport | undefined;
  const get = async (): ReturnType<typeof load> => (loaded = await (loading ??= load()));
  return {
    send: (request) =>
      loaded === undefined ? get().then((transport) => transport.send(request)) : loaded.send(request),
    sendWhole: (request) =>
      loaded === undefined ? get().then((transport) => sendWhole(transport, request)) : sendWhole(loaded, request),
    preload() {
      // `send` fails with the same error, which its caller can report.
      get().catch(() => undefined);
    },
    async close() {
      await loading?.then((transport) => transport.close());
    },
  };
}

/** Reads pages, and searches where that is configured. */
export async function openWebAccess({ webSearch, timeouts }: GatewayConfig): Promise<WebAccess> {
  const { createWebAccess } = await import('@model-gateway/node/web');
  return createWebAccess({ connectTimeoutMs: timeouts.connectMs, search: webSearch ?? undefined });
}

/** Webhooks about videos, at addresses that callers name. */
export function toWebhookOptions(config: GatewayConfig): WebhookOptions {
  const { signingSecret, previousSigningSecret, defaultCallbackUrl, allowPrivateNetwork } = config.webhooks;
  return {
    signingSecrets: [signingSecret, previousSigningSecret].filter((secret) => secret !== null),
    defaultCallbackUrl,
    transport: createOutsideTransport(config),
    findUrlProblem: (url) => findUrlProblem(url, { schemes: ['https'], allowPrivateNetwork }),
  };
}

/** Sends the mails of alarms; undefined where no server is configured. */
export async function openMailer({ mail }: GatewayConfig): Promise<AlarmMailer | undefined> {
  if (mail === null) return undefined;
  return connectMailer(mail);
}

/** Sends mail by a server. What speaks SMTP is loaded with the first one. */
export const connectMailer: ConnectMailer = async (server) =>
  (await import('@model-gateway/node/mail')).createSmtpMailer(server);

/** Destinations of generations, in every format that there is. */
export function toBroadcastOptions(config: GatewayConfig): BroadcastOptions {
  const { allowPrivateNetwork } = config.webhooks;
  return {
    formats: [
      webhookFormat,
      otelCollectorFormat,
      langfuseFormat,
      s3Format,
      ...OTLP_SERVICE_FORMATS,
      datadogFormat,
      posthogFormat,
      clickhouseFormat,
      snowflakeFormat,
    ],
    transport: createOutsideTransport(config),
    findUrlProblem: (url) => findUrlProblem(url, { schemes: ['https', 'http'], allowPrivateNetwork }),
  };
}

/** Transport for every address that callers or upstreams name. */
function createOutsideTransport({ webhooks: { allowPrivateNetwork }, timeouts }: GatewayConfig): Transport {
  return createGuardedTransport({ allowPrivateNetwork, connectTimeoutMs: timeouts.connectMs });
}

/** Makes the providers of a composition, over its transports, and knows what each was made of. */
export interface Connector {
  connect(config: ProviderConfig): Promise<Provider>;
  /** Makes the provider of a package. Rejects where that is not installed. */
  connectPackage(config: PackageConfig): Promise<Provider>;
  /** What a provider was made of; undefined for one that others have made. */
  configOf(provider: Provider): ProviderConfig | undefined;
}

/** Creates the connector of a function that makes providers. */
export function createConnector(
  create: (config: ProviderConfig) => Promise<Provider>,
  connectPackage: Connector['connectPackage'],
): Connector {
  const configs = new WeakMap<Provider, ProviderConfig>();
  return {
    async connect(config) {
      const provider = await create(config);
      configs.set(provider, config);
      return provider;
    },
    connectPackage,
    configOf: (provider) => configs.get(provider),
  };
}
