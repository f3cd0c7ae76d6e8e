import { createNodePlatform, listen, type Listener } from '@model-gateway/node';
import { createFetchTransport } from '@model-gateway/core';
import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { compose, describeListenError, openStore, planStart } from 'model-gateway/embed';

import type { FromGateway, GatewayState, Place, StartMessage } from '../shared/gateway-messages.ts';
import { createRequestAnswerer, type RequestAnswerer } from './answer-requests.ts';
import { createFileLogger } from './file-logger.ts';

export interface RunningGateway {
  readonly requests: RequestAnswerer;
  listen(place: Place): Promise<void>;
  pause(): Promise<void>;
  openCalls(): number;
  stop(): Promise<void>;
}

export interface RunOptions extends StartMessage {
  /** Honours the system's proxy and certificates. */
  readonly fetch: typeof fetch;
  readonly post: (message: FromGateway) => void;
}

/**
 * Opens the store and the gateway over it, then listens. The gateway answers the window whether or not the port can be
 * had. Throws when the configuration or the store is no good.
 */
export async function runGateway(options: RunOptions): Promise<RunningGateway> {
  const { place, env, dataDir, logsDir, configFile, demoFixturesDir, post } = options;
  const { config, demoFixturesDir: demoDir } = planStart(
    {
      config: configFile ?? undefined,
      dataDir,
      host: LOOPBACK,
      port: place.port,
      fixtures: demoFixturesDir,
      demo: configFile === null && Object.keys(env).length === 0,
      logLevel: 'info',
      record: null,
    },
    env,
    BUILT_IN_MODELS,
  );
  const isDemo = demoDir !== null;
  const logger = createFileLogger(logsDir, Object.values(env));
  for (const warning of config.warnings) logger.warn(warning);
  const store = await openStore(config, logger);
  const overFetch = createFetchTransport({ fetch: options.fetch, platform: createNodePlatform() });
  const transport = { ...overFetch, close: () => Promise.resolve() };
  const composition = await compose({
    config,
    store,
    logger,
    extraKeys: [],
    demoFixturesDir: demoDir,
    loadTransport: () => Promise.resolve(transport),
  });
  const { gateway } = composition;
  const state = (next: GatewayState): void => post({ type: 'state', state: next });
  let listener: Listener | undefined;

  const close = async (): Promise<void> => {
    const closing = listener;
    listener = undefined;
    await closing?.close(CUT_AFTER_MS);
  };
  const open = async ({ host, port, allowedHosts }: Place): Promise<void> => {
    await close();
    if (isDemo && host !== LOOPBACK) {
      const message =
        'The demo has keys that anybody knows, so it is not shared on the network. Save a provider key first.';
      return state({ phase: 'not-listening', kind: 'other', port, message, isDemo });
    }
    try {
      const { bodyLimitMb, allowedOrigins } = config.server;
      const bodyLimitBytes = Math.round(bodyLimitMb * 1024 * 1024);
      listener = await listen(gateway, { host, port, bodyLimitBytes, allowedOrigins, allowedHosts, logger });
      state({ phase: 'listening', url: listener.url, port: listener.port, isDemo });
    } catch (error) {
      const message = (await describeListenError(error, { host, port })) ?? String(error);
      state({ phase: 'not-listening', kind: kindOf(error), port, message, isDemo });
    }
  };

  await open(place);
  gateway.start().catch((error: unknown) => logger.error('looking for models failed', { error: String(error) }));
  return {
    requests: createRequestAnswerer(gateway, post),
    listen: open,
    async pause() {
      await close();
      state({ phase: 'paused', isDemo });
    },
    openCalls: () => gateway.stats().openCalls,
    async stop() {
      await Promise.all([gateway.close(), close()]);
      for (const closable of composition.closeAfterwards) await closable.close();
      await store.close();
      logger.close();
    },
  };
}

const LOOPBACK = '127.0.0.1';
/** For the last bytes of answers to leave. */
const CUT_AFTER_MS = 1000;

function kindOf(error: unknown): 'taken' | 'denied' | 'other' {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'taken';
    case 'EACCES':
      return 'denied';
    default:
      return 'other';
  }
}
