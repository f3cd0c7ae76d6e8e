import process from 'node:process';

import type { StoredProvider } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { ConfigError, type GatewayConfig, loadConfig, readStoredProviders } from '@model-gateway/node';

import { createRedactor } from '../logger.ts';
import { connectProviders } from '../open/connect-providers.ts';
import { listSecrets } from '../open/open-secrets.ts';
import { examineProvider, examineStored } from './examine-providers.ts';
import type { DoctorOptions } from './parse-doctor.ts';

/**
 * Checks every provider, of the configuration and set up, and prints what is wrong and what to do. Sets exit code 1 when one of them cannot be
 * used.
 */
export async function doctor(options: DoctorOptions): Promise<void> {
  const isWell = await examine(options, process.env, (text) => void process.stdout.write(text));
  if (!isWell) process.exitCode = 1;
}

/** As `doctor`, with its environment as arguments. Resolves with whether all is well. */
export async function examine(
  { config: file, dataDir, call }: DoctorOptions,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<boolean> {
  const config = await readConfig({ file, dataDir }, env, write);
  if (config === null) return false;
  for (const warning of config.warnings) write(`warn  ${warning}\n`);
  const stored = await readStored(config, write);
  if (stored === null) return false;
  const count = config.providers.length + stored.length;
  if (count === 0) {
    write(
      'No provider is configured, and none is set up. Give a config file with --config, set a variable such as ' +
        'OPENAI_API_KEY, or name the data directory of the gateway with --data-dir.\n',
    );
    return false;
  }
  // The report contains texts of servers, and a server may repeat a key.
  const secrets = listSecrets(config);
  const tell = (report: string): void => write(`${createRedactor(secrets)(report)}\n`);
  const { providers, connector, closeAfterwards } = await connectProviders(config);
  const examined = { config, connector, call, env, tell };
  let failures = 0;
  try {
    for (const provider of providers) {
      if (!(await examineProvider(provider, { ...examined, models: config.models }))) failures += 1;
    }
    const hide = (more: readonly string[]): void => void secrets.push(...more);
    failures += await examineStored(stored, { ...examined, hide });
  } finally {
    for (const closable of closeAfterwards) await closable.close();
  }
  const all = count === 1 ? '1 provider' : `${count} providers`;
  write(failures === 0 ? `${all}: all can be used.\n` : `${all}: ${failures} cannot be used.\n`);
  return failures === 0;
}

/** The providers that were set up. Null where the database cannot be used, which is reported. */
async function readStored(
  { store, logging }: GatewayConfig,
  write: (text: string) => void,
): Promise<readonly StoredProvider[] | null> {
  if (store.type === 'memory') return [];
  if (store.type === 'json') return readStoredProviders(store.dir);
  try {
    const { openDatabase } = await import('../commands/find-store.ts');
    const opened = await openDatabase({ store, retentionDays: logging.retentionDays });
    try {
      return await opened.providers.list();
    } finally {
      await opened.close();
    }
  } catch (error) {
    write(`fail  store  ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  }
}

/** Null for a config that cannot be used, which is reported with the variable of a missing key. */
async function readConfig(
  { file, dataDir }: { readonly file: string | undefined; readonly dataDir: string | undefined },
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<GatewayConfig | null> {
  const { BUILT_IN_MODELS } = await import('@model-gateway/core/catalog/built-in-models');
  try {
    return loadConfig({ file, env, flags: { dataDir }, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(`${error.message}\n`);
    return null;
  }
}
