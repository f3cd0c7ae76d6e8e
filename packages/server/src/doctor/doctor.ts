import process from 'node:process';

import {
  type ModelDefinition,
  type OpenedProvider,
  openProviderRow,
  pickServedModels,
  type Provider,
  type SecretBox,
  type StoredProvider,
} from '@model-gateway/core';
import { ConfigError, type GatewayConfig, readStoredProviders } from '@model-gateway/node';

import { diagnoseWhole } from '../checks/diagnose-provider.ts';
import type { Finding } from '../checks/provider-check.ts';
import { connectProviders, type Connector } from '../open/connect-providers.ts';
import { openDatabase, readConfig } from '../open/find-store.ts';
import { listSecrets, openSecrets } from '../open/open-secrets.ts';
import type { StoreFlags } from '../process/flags.ts';
import { createRedactor } from '../process/logger.ts';
import { createSetupHost, loadBuiltInModels } from '../setup/setup-host.ts';

/** What `doctor` is asked to check. */
export interface DoctorOptions extends StoreFlags {
  /** Whether to make a call at each provider as well. */
  readonly call: boolean;
}

/**
 * Checks every provider, of the configuration and set up, and prints what is wrong and what to do. Sets exit code 1 when
 * one of them cannot be used.
 */
export async function doctor(options: DoctorOptions): Promise<void> {
  const isWell = await examine(options, process.env, (text) => void process.stdout.write(text));
  if (!isWell) process.exitCode = 1;
}

/** As `doctor`, with its environment as arguments. Resolves with whether all is well. */
export async function examine(
  { call, ...flags }: DoctorOptions,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<boolean> {
  const config = await tryConfig(flags, env, write);
  if (config === null) return false;
  for (const warning of config.warnings) write(`warn  ${warning}\n`);
  const stored = await readStored(config, write);
  if (stored === null) return false;
  const count = config.providers.length + stored.length;
  if (count === 0) {
    write(
      'No provider is configured, and none is set up. Pass a config file with --config, set a variable such as ' +
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
async function tryConfig(
  flags: StoreFlags,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<GatewayConfig | null> {
  try {
    return await readConfig(flags, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(`${error.message}\n`);
    return null;
  }
}

interface Examination {
  readonly config: GatewayConfig;
  readonly connector: Connector;
  readonly call: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (report: string) => void;
}

/** Checks a provider and tells what was found. Resolves with whether it can be used. */
async function examineProvider(
  provider: Provider,
  { config, connector, call, env, tell, models, isForm }: Examination & ExaminedAs,
): Promise<boolean> {
  const settings = connector.configOf(provider);
  if (settings === undefined) return true;
  const { timeouts } = config;
  const check = { config: settings, provider, models, timeouts, call, isForm, env, now: Date.now() };
  const findings = await diagnoseWhole(check);
  tell(toReport(settings.slug, settings.baseUrl, findings));
  return !hasFailed(findings);
}

interface ExaminedAs {
  readonly models: readonly ModelDefinition[];
  /** Whether it was set up in a form. */
  readonly isForm?: boolean;
}

/** Does the same with providers that were set up, and opens their keys. Resolves with the number that cannot be used. */
async function examineStored(
  rows: readonly StoredProvider[],
  examination: Examination & { readonly hide: (secrets: readonly string[]) => void },
): Promise<number> {
  const { config, connector, env, hide, tell } = examination;
  if (rows.length === 0) return 0;
  const secrets = openBox(config, env);
  const host = createSetupHost({ current: () => config, connector, secrets, hide, redact: (text) => text });
  const builtIn = await loadBuiltInModels();
  let failures = 0;
  for (const row of rows) {
    const opened = await openProviderRow(row, host);
    if (opened.status === 'ready') {
      const provider = await host.connect(opened.settings);
      const models = pickServedModels(builtIn, [{ slug: row.id, preset: opened.settings.preset ?? null }]);
      if (!(await examineProvider(provider, { ...examination, models, isForm: true }))) failures += 1;
    } else {
      tell(toStateReport(row.id, toFinding(opened)));
      if (opened.status === 'failed' || opened.status === 'locked') failures += 1;
    }
  }
  return failures;
}

function openBox(config: GatewayConfig, env: Examination['env']): SecretBox {
  try {
    return openSecrets(config, env);
  } catch (error) {
    // With a variable that holds no key, no provider is opened, and each says why.
    const reason = error instanceof Error ? error : new TypeError(String(error));
    return { open: () => Promise.reject(reason), seal: () => Promise.reject(reason) };
  }
}

function toFinding({ status, problem }: Exclude<OpenedProvider, { status: 'ready' }>) {
  switch (status) {
    case 'off':
      return { isFailure: false, detail: 'It is disabled.' };
    case 'shadowed':
      return { isFailure: false, detail: `${problem}.`, advice: 'Delete one of the two.' };
    case 'locked':
      return {
        isFailure: true,
        detail: `${problem}.`,
        advice: 'Set GATEWAY_SECRETS_KEY to the gateway’s value, or restore secrets.key in the data directory.',
      };
    case 'failed':
      return { isFailure: true, detail: `${problem}.`, advice: 'Correct it in the UI, under Providers.' };
  }
}

const MARKS: Readonly<Record<Finding['status'], string>> = {
  ok: 'ok  ',
  warning: 'warn',
  failed: 'FAIL',
  skipped: '-   ',
};

/** Formats the findings of one provider for people: a line each, with the advice below it. */
function toReport(slug: string, baseUrl: string, findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ layer, status, detail, advice }) => [
    `  ${MARKS[status]}  ${layer.padEnd(7)}  ${detail}`,
    ...(advice === undefined ? [] : [`${' '.repeat(17)}${advice}`]),
  ]);
  return `${slug}  ${baseUrl}\n${lines.join('\n')}\n`;
}

/** Says of a provider that was set up why it is not called. */
function toStateReport(
  slug: string,
  { isFailure, detail, advice }: { readonly isFailure: boolean; readonly detail: string; readonly advice?: string },
): string {
  const mark = MARKS[isFailure ? 'failed' : 'skipped'];
  return `${slug}  set up in the UI or over HTTP\n  ${mark}  ${detail}\n${advice === undefined ? '' : `        ${advice}\n`}`;
}

const hasFailed = (findings: readonly Finding[]): boolean => findings.some(({ status }) => status === 'failed');
