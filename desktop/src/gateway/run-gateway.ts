import { createFetchTransport, type Gateway, type GatewayResponse } from '@model-gateway/core';
import { BUILT_IN_MODELS } from '@model-gateway/core/catalog/built-in-models';
import { createNodePlatform, hasStoredProviders } from '@model-gateway/node';
import { compose, openStore, planStart } from 'model-gateway/embed';

import type { FromGateway, ListenAddress, StartMessage } from '../shared/gateway-messages.ts';
import { createFiguresReporter } from './figures-reporter.ts';
import { createFileLogger } from './file-logger.ts';
import { createRequestHandler, type RequestHandler } from './handle-requests.ts';
import { createNoticeFinder } from './notices.ts';
import { createPortListener, LOOPBACK } from './port-listener.ts';
import { openSealingBox } from './sealing-box.ts';

export interface RunningGateway {
  readonly requests: RequestHandler;
  listen(place: ListenAddress): Promise<void>;
  pause(): void;
  /** Tells the figures now. */
  report(): Promise<void>;
  /** After the open responses, or cutting them off. */
  stop(isNow: boolean): Promise<void>;
}

export interface RunOptions extends StartMessage {
  /** Honours the system's proxy and certificates. */
  readonly fetch: typeof fetch;
  readonly post: (message: FromGateway) => void;
}

/** The health of a provider takes a moment to follow a call. */
const NOTICE_AFTER_MS = 1000;

/**
 * Opens the store and the gateway over it, then listens. The gateway serves the window whether or not the port can be
 * had. Throws when the configuration or the store is no good, and when there is nothing to replay.
 */
export async function runGateway(options: RunOptions): Promise<RunningGateway> {
  const { env, logsDir, mode, recordingsDir, language, post } = options;
  const { config, isDemo } = plan(options);
  const logger = createFileLogger(logsDir, Object.values(env));
  for (const warning of config.warnings) logger.warn(warning);
  const store = await openStore(config, logger);
  const overFetch = createFetchTransport({ fetch: options.fetch, platform: createNodePlatform() });
  const composition = await compose({
    config,
    store,
    logger,
    extraKeys: [],
    demoFixturesDir: replayedDir(options, isDemo),
    savesFixtures: mode === 'replay',
    // The demo has no provider whose responses could be written down.
    record: mode === 'record' && !isDemo ? { dir: recordingsDir, mode: 'record-all', at: 'upstream' } : null,
    recordingsDir,
    fixedMode: 'The app switches the mode: in the head of its window, in its settings and in its tray',
    loadTransport: () => Promise.resolve({ ...overFetch, close: () => Promise.resolve() }),
    secrets: openSealingBox({
      secretsKey: options.secretsKey,
      environmentKey: process.env['GATEWAY_SECRETS_KEY'],
      dataDir: options.dataDir,
    }),
    onAlarm({ id, name }) {
      post({ type: 'notice', notice: { type: 'alarm', id, name } });
    },
    onGeneration(record) {
      figures.note();
      // The demo's failures are part of it.
      if (!isDemo) notices.noteGeneration(record);
    },
  });
  const figures = createFiguresReporter({
    gateway: composition.gateway,
    store,
    tell: (told) => post({ type: 'figures', figures: told }),
  });
  const notices = createNoticeFinder({
    gateway: composition.gateway,
    tell: (notice) => post({ type: 'notice', notice }),
    later: (task) => void setTimeout(task, NOTICE_AFTER_MS).unref(),
  });
  composition.gateway.onVideoChange(notices.noteVideo);
  const gateway = noteCalls(composition.gateway, {
    onCall: figures.note,
    onResponse: notices.noteResponse,
  });
  const tell = (state: Extract<FromGateway, { type: 'state' }>['state']): void => post({ type: 'state', state });
  const port = createPortListener({ gateway, config, logger, isDemo, language, tell });

  if (options.isPaused) port.pause();
  else await port.open(options.place);
  await composition.noteConfig();
  gateway.start().catch((error: unknown) => logger.error('looking for models failed', { error: String(error) }));
  figures.note();
  return {
    requests: createRequestHandler(gateway, post),
    listen: (place) => port.open(place),
    pause: () => port.pause(),
    report: () => figures.reportNow(),
    async stop(isNow) {
      // Clients are left only after the gateway has ended their responses, unless they are to be cut off.
      const ended = isNow ? undefined : gateway.close();
      await port.close(isNow ? 0 : config.timeouts.drainMs);
      await (ended ?? gateway.close());
      for (const closable of composition.closeAfterwards) await closable.close();
      await store.close();
      logger.close();
    },
  };
}

/**
 * Chooses the gateway to run: the user's configuration, else the providers with saved keys and those that were set up,
 * else the demo if it is wanted, else none: then the window leads through setting one up.
 */
function plan({ configFile, dataDir, place, demoFixturesDir, demo, env }: StartMessage) {
  const isDemo = demo && configFile === null && Object.keys(env).length === 0 && !hasStoredProviders(dataDir);
  const { config, demoFixturesDir: demoDir } = planStart(
    {
      config: configFile ?? undefined,
      dataDir,
      host: LOOPBACK,
      port: place.port,
      fixtures: demoFixturesDir,
      demo: isDemo,
      noDemo: !isDemo,
    },
    env,
    BUILT_IN_MODELS,
  );
  return { config, isDemo: demoDir !== null };
}

function replayedDir({ mode, recordingsDir, demoFixturesDir }: StartMessage, isDemo: boolean): string | null {
  if (mode === 'replay') return recordingsDir;
  return isDemo ? demoFixturesDir : null;
}

interface CallListeners {
  readonly onCall: () => void;
  readonly onResponse: (response: GatewayResponse) => void;
}

function noteCalls(gateway: Gateway, { onCall, onResponse }: CallListeners): Gateway {
  return {
    ...gateway,
    async handle(request) {
      // Reading changes no figure.
      if (request.method !== 'POST') return gateway.handle(request);
      onCall();
      const response = await gateway.handle(request);
      onResponse(response);
      return response;
    },
  };
}
