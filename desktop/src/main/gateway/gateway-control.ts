import { existsSync } from 'node:fs';

import type { ListenAddress } from '../../shared/gateway-messages.ts';
import type { AppPaths } from '../app-paths.ts';
import type { ProviderKeys } from '../settings/provider-keys.ts';
import type { SettingsFile } from '../settings/settings-file.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { listNetworkHosts } from './network-addresses.ts';

/** Starts the gateway with what the user has set. */
export interface GatewayControl {
  /** Starts it, or starts it anew: with other keys, another configuration, other data. */
  start(): Promise<void>;
  /** Listens where the settings say, or this time at another port. */
  listen(port?: number): void;
  /** Listens at the same address as the last time: after a pause or a sleep, clients still use that address. */
  listenAgain(): void;
  /** Does work on the data while nothing else uses it. */
  atRest(work: () => Promise<void>): Promise<void>;
}

export interface GatewayParts {
  readonly gateway: GatewayProcess;
  readonly paths: AppPaths;
  readonly file: SettingsFile;
  readonly keys: ProviderKeys;
}

export function createGatewayControl({ gateway, paths, file, keys }: GatewayParts): GatewayControl {
  /** Where it listens this time; undefined for where the settings say. */
  let chosenPort: number | undefined;
  const place = (): ListenAddress => {
    const port = chosenPort ?? file.settings.port;
    const isShared = file.settings.shareOnNetwork;
    return {
      host: isShared ? '0.0.0.0' : '127.0.0.1',
      port,
      allowedHosts: isShared ? listNetworkHosts() : [],
    };
  };
  const start = async (): Promise<void> => {
    await gateway.start({
      type: 'start',
      configFile: existsSync(paths.config) ? paths.config : null,
      dataDir: paths.data,
      logsDir: paths.logs,
      env: await keys.open(),
      demoFixturesDir: paths.demoFixtures,
      mode: file.settings.mode,
      recordingsDir: paths.recordings,
      place: place(),
    });
  };
  const listen = (port?: number): void => {
    chosenPort = port;
    // A gateway that failed to start cannot listen.
    if (gateway.state.phase === 'failed') void start();
    else gateway.listen(place());
  };
  return {
    start,
    listen,
    listenAgain: () => listen(chosenPort),
    async atRest(work) {
      await gateway.stop();
      try {
        await work();
      } finally {
        await start();
      }
    },
  };
}
