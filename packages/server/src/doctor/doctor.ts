import process from 'node:process';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { ConfigError, type GatewayConfig, loadConfig } from '@model-gateway/node';

import type { DoctorOptions } from '../commands/parse-command.ts';
import { connectProviders, listSecrets } from '../compose.ts';
import { createRedactor } from '../logger.ts';
import { diagnoseWhole } from './diagnose-provider.ts';
import { hasFailed, toReport } from './report.ts';

/**
 * Checks every configured provider and prints what is wrong and what to do. Sets exit code 1 when one of them cannot be
 * used.
 */
export async function doctor(options: DoctorOptions): Promise<void> {
  const isWell = await examine(options, process.env, (text) => void process.stdout.write(text));
  if (!isWell) process.exitCode = 1;
}

/** As `doctor`, with its environment as arguments. Resolves with whether all is well. */
export async function examine(
  { config: file, call }: DoctorOptions,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<boolean> {
  const config = await readConfig(file, env, write);
  if (config === null) return false;
  // The report contains texts of servers, and a server may repeat a key.
  const redact = createRedactor(listSecrets(config));
  for (const warning of config.warnings) write(`warn  ${warning}\n`);
  if (config.providers.length === 0) {
    write('No provider is configured. Give a config file with --config, or set a variable such as OPENAI_API_KEY.\n');
    return false;
  }
  const { providers, closeAfterwards } = await connectProviders(config);
  let failures = 0;
  try {
    for (const [index, provider] of providers.entries()) {
      const settings = config.providers[index];
      if (settings === undefined) continue;
      const { models, timeouts } = config;
      const findings = await diagnoseWhole({
        config: settings,
        provider,
        models,
        timeouts,
        call,
        env,
        now: Date.now(),
      });
      if (hasFailed(findings)) failures += 1;
      write(`${redact(toReport(settings.slug, settings.baseUrl, findings))}\n`);
    }
  } finally {
    for (const closable of closeAfterwards) await closable.close();
  }
  const count = providers.length === 1 ? '1 provider' : `${providers.length} providers`;
  write(failures === 0 ? `${count}: all can be used.\n` : `${count}: ${failures} cannot be used.\n`);
  return failures === 0;
}

/** Null for a config that cannot be used, which is reported with the variable of a missing key. */
async function readConfig(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<GatewayConfig | null> {
  const { BUILT_IN_MODELS } = await import('@model-gateway/core/catalog/built-in-models');
  try {
    return loadConfig({ file, env, presets: PRESETS, builtInModels: BUILT_IN_MODELS });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(`${error.message}\n`);
    return null;
  }
}
