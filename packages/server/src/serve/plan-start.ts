import type { BootstrapKey, ModelDefinition } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import {
  DEMO_KEY,
  DEMO_MANAGEMENT_KEY,
  type GatewayConfig,
  hasStoredProviders,
  isLoopbackHost,
  loadConfig,
} from '@model-gateway/node';

import { DEMO_FIXTURES } from '../demo-fixtures.ts';
import type { RecordOptions } from '../open/open-fixtures.ts';
import { type LogLevel, UsageError } from '../process/flags.ts';
import type { ServerLogger } from '../process/logger.ts';
import { DEMO_DATA_DIR } from '../process/owner-file.ts';
import type { WorkerPlace } from '../process/worker-place.ts';

/** What `serve` is asked to do. */
export interface ServeOptions {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly dataDir: string | undefined;
  readonly fixtures: string | undefined;
  readonly demo: boolean;
  /** Whether it starts without any provider where there is none, and not as the demo. */
  readonly noDemo: boolean;
  /** Whether the demo's second model is to be a real engine. */
  readonly real: boolean;
  /** Whether the operator trusts the clock of this machine. */
  readonly trustsClock: boolean;
  readonly record: RecordOptions | null;
  /** Processes that share the port. */
  readonly workers: number;
  readonly logLevel: LogLevel;
}

/** The configuration that `serve` runs. */
export interface StartPlan {
  readonly config: GatewayConfig;
  /** The directory of the demo's recorded responses; null outside demo mode. */
  readonly demoFixturesDir: string | null;
  /** Whether the demo begins with made-up calls: in its own directory, with its own fixtures. */
  readonly beginsWithSamples?: boolean | undefined;
  /** Whether the demo's second model is to be a real engine of this machine. */
  readonly wantsEngine?: boolean | undefined;
}

/**
 * Decides what to run: the config file, else the providers that the environment names, else those that were set up
 * and stored in the data directory, else the demo, unless it is not wanted. Throws `ConfigError`, and `UsageError` for
 * a demo that other machines could reach.
 */
export function planStart(
  options: Pick<ServeOptions, 'config' | 'dataDir' | 'host' | 'port' | 'fixtures' | 'demo'> &
    Partial<Pick<ServeOptions, 'noDemo' | 'real'>>,
  env: NodeJS.ProcessEnv,
  builtInModels: readonly ModelDefinition[] = [],
): StartPlan {
  const flags = { host: options.host, port: options.port, dataDir: options.dataDir };
  if (options.demo)
    return {
      ...planDemo(flags, []),
      wantsEngine: options.real === true,
      ...(options.fixtures !== undefined && { demoFixturesDir: options.fixtures, beginsWithSamples: false }),
    };
  const config = loadConfig({ file: options.config, env, flags, presets: PRESETS, builtInModels });
  const isReal = config.origin !== 'none' || options.noDemo === true || isSetUp(config);
  return isReal ? { config, demoFixturesDir: null } : planDemo(flags, config.warnings);
}

/** Whether providers have been set up, on which clients may rely. */
const isSetUp = ({ store }: GatewayConfig): boolean => store.type === 'json' && hasStoredProviders(store.dir);

function planDemo(
  flags: { readonly host: string | undefined; readonly port: number | undefined; readonly dataDir: string | undefined },
  warnings: readonly string[],
): StartPlan {
  const config = loadConfig({ env: {}, flags: { ...flags, dataDir: flags.dataDir ?? DEMO_DATA_DIR } });
  if (!isLoopbackHost(config.server.host)) {
    throw new UsageError(
      `The demo’s keys are public, so it listens only on this machine, not on ${config.server.host}.\n` +
        'Omit --host, use --config with your own providers and keys, or start with --no-demo.',
    );
  }
  const bootstrapKeys: BootstrapKey[] = [
    { key: DEMO_KEY, kind: 'api', name: 'demo' },
    { key: DEMO_MANAGEMENT_KEY, kind: 'management', name: 'demo management', isPublic: true },
  ];
  return {
    config: { ...config, auth: { ...config.auth, bootstrapKeys }, warnings },
    demoFixturesDir: DEMO_FIXTURES,
    beginsWithSamples: flags.dataDir === undefined,
  };
}

/** One start of `serve`: what it was asked for, and what it has opened so far. */
export interface Start extends StartPlan, Pick<ServeOptions, 'record' | 'fixtures' | 'trustsClock'> {
  readonly logger: ServerLogger;
  /** Reads the configuration again. Throws what is wrong with it. */
  readonly planAnew: () => StartPlan;
  /** Management key for other commands of this machine's user, valid while this process runs. */
  readonly ownerToken: string;
  /** Close functions of the opened parts; called from the last to the first. */
  readonly closers: (() => Promise<void>)[];
  /** Null for a process without other workers. */
  readonly place: WorkerPlace | null;
  /** Whether a signal came during the start. */
  readonly isStopping: () => boolean;
}
