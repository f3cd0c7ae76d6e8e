import {
  createGateway,
  type BootstrapKey,
  type Gateway,
  type Logger,
  type ModelDefinition,
  type Provider,
  type Store,
  type WebhookOptions,
  type Transport,
} from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createGuardedTransport, objectToUrl } from '@model-gateway/node/guarded';
import { createJsonFileStore, createNodePlatform, type GatewayConfig } from '@model-gateway/node';

import { createLazyTransport } from './lazy-transport.ts';

/** Something that holds connections or files, and lets go of them when closed. */
interface Closable {
  close(): Promise<void>;
}

/** What answers calls. */
export interface Composition {
  readonly gateway: Gateway;
  /** Loads what the first call needs but listening does not. */
  readonly preload: () => void;
  /** To be closed after the gateway, in this order. */
  readonly closeAfterwards: readonly Closable[];
}

export interface CompositionOptions {
  readonly config: GatewayConfig;
  readonly store: Store;
  readonly logger: Logger;
  /** Accepted beside the config's own. */
  readonly extraKeys: readonly BootstrapKey[];
  /** The directory of the demo's recorded answers; null outside demo mode. */
  readonly demoFixturesDir: string | null;
}

/** Opens the store of a configuration. The caller closes it. */
export async function openStore(config: GatewayConfig, logger: Logger): Promise<Store> {
  if (config.store.type === 'memory') return createMemoryStore();
  const { retentionDays, maxGenerations } = config.logging;
  return createJsonFileStore({ dir: config.store.dir, logger, retentionDays, maxGenerations });
}

/** The composition root: everything that this server is made of is named here, and nowhere else. */
export async function compose(options: CompositionOptions): Promise<Composition> {
  const { config, store, logger, extraKeys, demoFixturesDir } = options;
  const sources = demoFixturesDir === null ? await connectProviders(config) : await openDemo(demoFixturesDir);
  const gateway = createGateway({
    providers: sources.providers,
    models: sources.models,
    store,
    platform: createNodePlatform(),
    bootstrapKeys: [...config.auth.bootstrapKeys, ...extraKeys],
    account: config.account,
    regions: config.regions,
    timeouts: config.timeouts,
    webhooks: toWebhookOptions(config),
    logging: { inputOutput: config.logging.inputOutput, maxContentMb: config.logging.maxContentMb },
    logger,
  });
  return { gateway, preload: sources.preload, closeAfterwards: sources.closeAfterwards };
}

function toWebhookOptions({ webhooks, timeouts }: GatewayConfig): WebhookOptions {
  const { signingSecret, defaultCallbackUrl, allowPrivateNetwork } = webhooks;
  const connectTimeoutMs = timeouts.connectMs;
  return {
    signingSecrets: signingSecret === null ? [] : [signingSecret],
    defaultCallbackUrl,
    transport: createGuardedTransport({ allowPrivateNetwork, connectTimeoutMs }),
    objectToUrl: (url) => objectToUrl(url, { schemes: ['https'], allowPrivateNetwork }),
  };
}

interface Sources extends Pick<Composition, 'preload' | 'closeAfterwards'> {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
}

/** Creates the providers of a configuration. The caller closes what is to be closed. */
export async function connectProviders({ providers, models, timeouts }: GatewayConfig): Promise<Sources> {
  const transport = createLazyTransport(async () => {
    const { createUndiciTransport } = await import('@model-gateway/node/undici');
    return createUndiciTransport({ connectTimeoutMs: timeouts.connectMs });
  });
  const created = await Promise.all(providers.map((provider) => createProvider(provider, transport)));
  return { providers: created, models, preload: () => transport.preload(), closeAfterwards: [transport] };
}

/** Loads only the wires that are spoken, which keeps a start short. */
async function createProvider(
  { preset, wire, query, listsModels, ...common }: GatewayConfig['providers'][number],
  transport: Transport,
): Promise<Provider> {
  const settings = { ...common, transport };
  switch (wire) {
    case 'openai': {
      const { createOpenAiProvider } = await import('@model-gateway/core/providers/openai');
      const known = preset === null ? undefined : PRESETS[preset];
      const dialect = known?.wire === 'openai' ? known.dialect : undefined;
      return createOpenAiProvider({ ...settings, query, listsModels, dialect });
    }
    case 'anthropic': {
      const { createAnthropicProvider } = await import('@model-gateway/core/providers/anthropic');
      return createAnthropicProvider(settings);
    }
    case 'google': {
      const { createGoogleProvider } = await import('@model-gateway/core/providers/google');
      return createGoogleProvider(settings);
    }
  }
}

async function openDemo(dir: string): Promise<Sources> {
  const { createDemo } = await import('@model-gateway/fixtures');
  return { ...createDemo({ dir }), preload: () => undefined, closeAfterwards: [] };
}

/** Every secret of a configuration, for the log to leave out. */
export function listSecrets({ auth, providers, webhooks }: GatewayConfig): string[] {
  return [
    ...auth.bootstrapKeys.map(({ key }) => key),
    ...providers.flatMap(({ apiKey, headers }) => [apiKey ?? '', ...Object.values(headers)]),
    webhooks.signingSecret ?? '',
  ];
}
