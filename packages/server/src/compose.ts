import {
  createGateway,
  type BootstrapKey,
  type Gateway,
  type Logger,
  type ModelDefinition,
  type Provider,
  type Store,
} from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createJsonFileStore, createNodePlatform, type GatewayConfig } from '@model-gateway/node';

/** Something that holds connections or files, and lets go of them when closed. */
interface Closable {
  close(): Promise<void>;
}

/** What answers calls, and what has to be closed after the gateway, in this order. */
export interface Composition {
  readonly gateway: Gateway;
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
    timeouts: config.timeouts,
    logging: { inputOutput: config.logging.inputOutput, maxContentMb: config.logging.maxContentMb },
    logger,
  });
  return { gateway, closeAfterwards: sources.closeAfterwards };
}

interface Sources {
  readonly providers: readonly Provider[];
  readonly models: readonly ModelDefinition[];
  readonly closeAfterwards: readonly Closable[];
}

async function connectProviders({ providers, models, timeouts }: GatewayConfig): Promise<Sources> {
  if (providers.length === 0) return { providers: [], models, closeAfterwards: [] };
  // Loaded here because the demo, which has no network, would otherwise wait for it.
  const { createUndiciTransport } = await import('@model-gateway/node/undici');
  const transport = createUndiciTransport({ connectTimeoutMs: timeouts.connectMs });
  const created = providers.map(({ preset, wire: _wire, ...settings }) => {
    const dialect = preset === null ? undefined : PRESETS[preset]?.dialect;
    return createOpenAiProvider({ ...settings, dialect, transport });
  });
  return { providers: created, models, closeAfterwards: [transport] };
}

async function openDemo(dir: string): Promise<Sources> {
  const { createDemo } = await import('@model-gateway/fixtures');
  return { ...createDemo({ dir }), closeAfterwards: [] };
}

/** Every secret of a configuration, for the log to leave out. */
export function listSecrets({ auth, providers, webhooks }: GatewayConfig): string[] {
  return [
    ...auth.bootstrapKeys.map(({ key }) => key),
    ...providers.flatMap(({ apiKey, headers }) => [apiKey ?? '', ...Object.values(headers)]),
    webhooks.signingSecret ?? '',
  ];
}
