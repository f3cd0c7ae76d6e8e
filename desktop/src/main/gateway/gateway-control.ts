import { existsSync } from 'node:fs';

import type { GatewayState, ListenAddress } from '../../shared/gateway-messages.ts';
import type { AppPaths } from '../app-paths.ts';
import { type ProviderKeys, toKeyring } from '../settings/provider-keys.ts';
import { openSealingKey } from '../settings/sealing-key.ts';
import type { SettingsFile } from '../settings/settings-file.ts';
import { currentLanguage } from '../texts.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { listNetworkHosts } from './network-addresses.ts';

/** Starts the gateway with the user's settings. */
export interface GatewayControl {
  /** Starts or restarts the gateway: with other keys, another configuration, or other data. */
  start(): Promise<void>;
  /** Listens at the address of the settings, or this time at another port; while it is paused, afterwards. */
  listen(port?: number): void;
  /** Listens at the same address as before: after a sleep, clients still use it. */
  listenAgain(): void;
  /** Accepts no calls from clients, whatever is changed or restarted meanwhile; or listens where it did before. */
  setPaused(isPaused: boolean): void;
  /** Runs work on the data while nothing else uses it. */
  atRest(work: () => Promise<void>): Promise<void>;
}

export interface GatewayParts {
  readonly gateway: GatewayProcess;
  readonly paths: AppPaths;
  readonly file: SettingsFile;
  readonly keys: ProviderKeys;
}

export function createGatewayControl({ gateway, paths, file, keys }: GatewayParts): GatewayControl {
  /** The port for this time; undefined for that of the settings. */
  let chosenPort: number | undefined;
  let isPaused = false;
  const place = (): ListenAddress => {
    const port = chosenPort ?? file.settings.port;
    const isShared = file.settings.shareOnNetwork;
    return {
      host: isShared ? '0.0.0.0' : '127.0.0.1',
      port,
      allowedHosts: isShared ? listNetworkHosts() : [],
    };
  };
  // What the system chose for a 0 is the address that clients were given, and that a sleep must not change.
  let stateBefore: GatewayState | undefined;
  gateway.onChange(() => {
    const { state } = gateway;
    // Figures that come before the process has listened tell the state of before.
    if (chosenPort === 0 && state.phase === 'listening' && state !== stateBefore) chosenPort = state.port;
  });
  /** The last piece of work on the process. It never rejects. */
  let last: Promise<unknown> = Promise.resolve();
  /** Does this after all earlier work: of two starts at once, each would begin a process, and one would be left over. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  /** What is set is read here, when its turn has come: it may have changed while it waited. */
  const startNow = async (): Promise<void> => {
    const env = await keys.open();
    const secretsKey = await openSealingKey({
      keyring: toKeyring(keys.storage),
      kept: { read: () => file.sealingKey, write: (sealingKey) => file.change({ sealingKey }) },
      dataDir: paths.data,
    });
    await gateway.start(() => ({
      type: 'start',
      configFile: existsSync(paths.config) ? paths.config : null,
      dataDir: paths.data,
      logsDir: paths.logs,
      env,
      demoFixturesDir: paths.demoFixtures,
      demo: file.settings.demo,
      secretsKey,
      language: currentLanguage(),
      mode: file.settings.mode,
      recordingsDir: paths.recordings,
      place: place(),
      isPaused,
    }));
  };
  const start = (): Promise<void> => inTurn(startNow);
  const listen = (port?: number): void => {
    chosenPort = port;
    stateBefore = gateway.state;
    // A gateway that failed to start cannot listen.
    if (gateway.state.phase === 'failed') void start();
    else if (!isPaused) gateway.listen(place());
  };
  return {
    start,
    listen,
    listenAgain: () => listen(chosenPort),
    setPaused(isWanted) {
      isPaused = isWanted;
      if (isPaused) gateway.pause();
      else listen(chosenPort);
    },
    atRest: (work) =>
      inTurn(async () => {
        await gateway.stop();
        try {
          await work();
        } finally {
          await startNow();
        }
      }),
  };
}
