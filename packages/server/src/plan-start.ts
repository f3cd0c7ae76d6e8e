import { fileURLToPath } from 'node:url';

import type { ModelDefinition } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { DEMO_KEY, DEMO_MANAGEMENT_KEY, type GatewayConfig, isLoopbackHost, loadConfig } from '@model-gateway/node';

import { type ServeOptions, UsageError } from './commands/parse-command.ts';

/** The configuration that `serve` runs. */
export interface StartPlan {
  readonly config: GatewayConfig;
  /** The directory of the demo's recorded responses; null outside demo mode. */
  readonly demoFixturesDir: string | null;
}

/** Written by the build, for the compiled files and for the bundle. */
const BUILT_FIXTURES = fileURLToPath(new URL('../dist/demo-fixtures', import.meta.url));

const DEMO_DATA_DIR = 'data/demo';

/**
 * Decides what to run: the config file, else the providers that the environment names, else the demo. Throws
 * `ConfigError`, and `UsageError` for a demo that other machines could reach.
 */
export function planStart(
  options: Pick<ServeOptions, 'config' | 'dataDir' | 'host' | 'port' | 'fixtures' | 'demo'>,
  env: NodeJS.ProcessEnv,
  builtInModels: readonly ModelDefinition[] = [],
): StartPlan {
  const flags = { host: options.host, port: options.port, dataDir: options.dataDir };
  if (options.demo)
    return { ...planDemo(flags, []), ...(options.fixtures !== undefined && { demoFixturesDir: options.fixtures }) };
  const config = loadConfig({ file: options.config, env, flags, presets: PRESETS, builtInModels });
  return config.origin === 'none' ? planDemo(flags, config.warnings) : { config, demoFixturesDir: null };
}

function planDemo(
  flags: { readonly host: string | undefined; readonly port: number | undefined; readonly dataDir: string | undefined },
  warnings: readonly string[],
): StartPlan {
  const config = loadConfig({ env: {}, flags: { ...flags, dataDir: flags.dataDir ?? DEMO_DATA_DIR } });
  if (!isLoopbackHost(config.server.host)) {
    throw new UsageError(
      `Demo mode has keys that anybody knows, so it listens on this machine only, not on ${config.server.host}.\n` +
        'Leave --host out, or give a --config with providers and keys of your own.',
    );
  }
  const bootstrapKeys: GatewayConfig['auth']['bootstrapKeys'] = [
    { key: DEMO_KEY, kind: 'api', name: 'demo' },
    { key: DEMO_MANAGEMENT_KEY, kind: 'management', name: 'demo management' },
  ];
  return { config: { ...config, auth: { ...config.auth, bootstrapKeys }, warnings }, demoFixturesDir: BUILT_FIXTURES };
}
