import process from 'node:process';

import {
  type ModelDefinition,
  type OpenedProvider,
  pickServedModels,
  type Provider,
  type SecretBox,
  type StoredProvider,
} from '@model-gateway/core';
import { openProviderRow } from '@model-gateway/core/setup';
import {
  ConfigError,
  type GatewayConfig,
  isOfPackage,
  type PackageConfig,
  readStoredProviders,
  toPackageConfig,
} from '@model-gateway/node';

import { diagnosePackage, diagnoseProvider, diagnoseWhole } from '../checks/diagnose-provider.ts';
import type { Finding } from '../checks/provider-check.ts';
import { connectProviders, type Connector, type Sources } from '../open/connect-providers.ts';
import { openDatabase, readConfig, toStderr } from '../open/find-store.ts';
import { listSecrets, openSecrets } from '../open/open-secrets.ts';
import type { StoreFlags } from '../process/flags.ts';
import { createRedactor } from '../process/logger.ts';
import { StartError } from '../process/start-error.ts';
import { createSetupHost, loadBuiltInModels } from '../setup/setup-host.ts';
import {
  type AccountFinding,
  findCredential,
  readResponse,
  type SeenResponse,
  watchResponses,
} from './account-findings.ts';

/** What `doctor` is asked to check. */
export interface DoctorOptions extends StoreFlags {
  /** Whether to make a call at each provider as well. */
  readonly call: boolean;
  /** Whether the report is one JSON document, with what is told along the way on stderr. */
  readonly json: boolean;
}

/** What was found, as `--json` prints it. */
export interface DoctorReport {
  ok: boolean;
  /** Why no provider could be checked; null where they were. */
  problem: string | null;
  readonly warnings: string[];
  readonly providers: ProviderReport[];
}

interface ProviderReport {
  readonly slug: string;
  /** Null for one that is not called. */
  readonly base_url: string | null;
  /** The file that makes the provider; null for one of ours. */
  readonly module: string | null;
  readonly ok: boolean;
  readonly findings: readonly Reported[];
}

interface Reported {
  /** Null for a provider that is not called. */
  readonly layer: string | null;
  readonly status: Finding['status'];
  readonly detail: string;
  readonly advice: string | null;
}

interface Examined {
  readonly report: DoctorReport;
  /** 1 when a provider cannot be used, 2 when the config is wrong, as for the other commands. */
  readonly exitCode: 0 | 1 | 2;
}

/** Checks every provider, of the configuration and set up, and prints what is wrong and what to do. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const telling = options.json ? process.stderr : process.stdout;
  const { report, exitCode } = await examine(options, process.env, (text) => void telling.write(text));
  if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = exitCode;
}

/** As `doctor`, with its environment as arguments. `write` receives what people read. */
export async function examine(
  { call, ...flags }: Omit<DoctorOptions, 'json'>,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<Examined> {
  const report: DoctorReport = { ok: false, problem: null, warnings: [], providers: [] };
  const give = (problem: string, told = problem, exitCode: 1 | 2 = 1): Examined => {
    write(`${told}\n`);
    return { report: { ...report, problem }, exitCode };
  };
  const config = await tryConfig(flags, env);
  if (config instanceof ConfigError) return give(config.message, config.message, 2);
  report.warnings.push(...config.warnings);
  for (const warning of config.warnings) write(`warn  ${warning}\n`);
  const stored = await readStored(config);
  if (stored instanceof Error) return give(stored.message, `fail  store  ${stored.message}`);
  const count =
    config.providers.length + config.providerModules.length + config.providerPackages.length + stored.length;
  if (count === 0) {
    return give(
      'No provider is configured, and none is set up. Pass a config file with --config, set a variable such as ' +
        'OPENAI_API_KEY, or name the data directory of the gateway with --data-dir.',
    );
  }
  // The report contains texts of servers, and a server may repeat a key.
  const secrets = listSecrets(config);
  const tell = (found: ProviderReport): void => {
    const safe = withoutSecrets(found, secrets);
    report.providers.push(safe);
    write(`${toText(safe)}\n`);
  };
  const seen = new Map<string, SeenResponse>();
  const sources = await tryConnect(config, seen);
  if (sources instanceof StartError) {
    const problem = createRedactor(secrets)(sources.message);
    return give(problem, `fail  module  ${problem}`);
  }
  const { providers, connector, closeAfterwards } = sources;
  const examined = { config, connector, call, env, tell, seen };
  try {
    for (const provider of providers) await examineProvider(provider, { ...examined, models: config.models });
    const hide = (more: readonly string[]): void => void secrets.push(...more);
    await examineStored(stored, { ...examined, hide });
  } finally {
    for (const closable of closeAfterwards) await closable.close();
  }
  const failures = report.providers.filter(({ ok }) => !ok).length;
  const all = count === 1 ? '1 provider' : `${count} providers`;
  write(failures === 0 ? `${all}: all can be used.\n` : `${all}: ${failures} cannot be used.\n`);
  return { report: { ...report, ok: failures === 0 }, exitCode: failures === 0 ? 0 : 1 };
}

function withoutSecrets(found: ProviderReport, secrets: readonly string[]): ProviderReport {
  const redact = createRedactor(secrets);
  return {
    ...found,
    base_url: found.base_url && redact(found.base_url),
    findings: found.findings.map(({ detail, advice, ...rest }) => ({
      ...rest,
      detail: redact(detail),
      advice: advice && redact(advice),
    })),
  };
}

/** A module of a provider that cannot be used is returned as the error of a start. */
async function tryConnect(config: GatewayConfig, seen: Map<string, SeenResponse>): Promise<Sources | StartError> {
  try {
    return await connectProviders(config, {
      logger: toStderr,
      recordUpstream: ({ slug }, transport) => watchResponses(transport, (response) => seen.set(slug, response)),
    });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error;
  }
}

/** The providers that were set up, or why the database cannot be used. */
async function readStored({ store, logging }: GatewayConfig): Promise<readonly StoredProvider[] | Error> {
  if (store.type === 'memory' || store.type === 'module') return [];
  if (store.type === 'json') return readStoredProviders(store.dir);
  try {
    const opened = await openDatabase({ store, retentionDays: logging.retentionDays }, { migrates: false });
    try {
      return await opened.providers.list();
    } finally {
      await opened.close();
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A config that cannot be used is returned as its error, which names the variable of a missing key. */
async function tryConfig(flags: StoreFlags, env: NodeJS.ProcessEnv): Promise<GatewayConfig | ConfigError> {
  try {
    return await readConfig(flags, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error;
  }
}

interface Examination {
  readonly config: GatewayConfig;
  readonly connector: Connector;
  readonly call: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (found: ProviderReport) => void;
  /** The last response of each provider, by slug. */
  readonly seen: ReadonlyMap<string, SeenResponse>;
}

/** Checks a provider and tells what was found. */
async function examineProvider(
  provider: Provider,
  { config, connector, call, env, tell, models, isForm = false, seen, ofPackage }: Examination & ExaminedAs,
): Promise<void> {
  const { timeouts } = config;
  const settings = connector.configOf(provider);
  const called = ofPackage ?? config.providerPackages.find(({ slug }) => slug === provider.slug);
  if (called !== undefined) {
    const test = diagnosePackage(called, () => Promise.resolve(provider), { models, timeouts, call, isForm });
    tell({ slug: provider.slug, base_url: null, module: null, ...toReported(await diagnoseWhole(test)) });
    return;
  }
  if (settings === undefined) {
    const { module = null } = config.providerModules.find(({ slug }) => slug === provider.slug) ?? {};
    const detail = 'makes the provider; its calls are its own';
    tell({
      slug: provider.slug,
      base_url: null,
      module,
      ok: true,
      findings: [{ layer: 'module', status: 'ok', detail, advice: null }],
    });
    return;
  }
  const check = { config: settings, provider, models, timeouts, call, isForm, env, now: Date.now() };
  const layers = await diagnoseWhole(diagnoseProvider(check));
  const response = seen.get(settings.slug);
  const findings = [
    findCredential(settings, { config, env, isStored: isForm }),
    ...(settings.region === undefined
      ? []
      : [{ layer: 'region', status: 'ok', detail: `${settings.region}, by the configuration` } as const]),
    ...layers,
    ...(response === undefined ? [] : readResponse(response)),
  ];
  tell({ slug: settings.slug, base_url: settings.baseUrl, module: null, ...toReported(findings) });
}

const toReported = (findings: readonly (Finding | AccountFinding)[]): Pick<ProviderReport, 'ok' | 'findings'> => ({
  ok: !findings.some(({ status }) => status === 'failed'),
  findings: findings.map(({ layer, status, detail, advice = null }) => ({ layer, status, detail, advice })),
});

interface ExaminedAs {
  readonly models: readonly ModelDefinition[];
  /** Whether it was set up in a form. */
  readonly isForm?: boolean;
  /** The package that calls it, where one does that is not in the config file. */
  readonly ofPackage?: PackageConfig | undefined;
}

/** Does the same with providers that were set up, and opens their keys. */
async function examineStored(
  rows: readonly StoredProvider[],
  examination: Examination & { readonly hide: (secrets: readonly string[]) => void },
): Promise<void> {
  const { config, connector, env, hide, tell } = examination;
  if (rows.length === 0) return;
  const secrets = openBox(config, env);
  const host = createSetupHost({ current: () => config, connector, secrets, hide, redact: (text) => text });
  const builtIn = await loadBuiltInModels();
  for (const row of rows) {
    const opened = await openProviderRow(row, host);
    if (opened.status === 'ready') {
      const provider = await host.connect(opened.settings);
      const models = pickServedModels(builtIn, [{ slug: row.id, preset: opened.settings.preset ?? null }]);
      await examineProvider(provider, {
        ...examination,
        models,
        isForm: true,
        ofPackage: isOfPackage(opened.settings) ? toPackageConfig(opened.settings) : undefined,
      });
    } else {
      const { isFailure, detail, advice = null } = toFinding(opened);
      const finding = { layer: null, status: isFailure ? 'failed' : 'skipped', detail, advice } as const;
      tell({ slug: row.id, base_url: null, module: null, ok: !isFailure, findings: [finding] });
    }
  }
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

/** The findings of one provider for people: a line each, with the advice below it. */
function toText({ slug, base_url: baseUrl, module, findings }: ProviderReport): string {
  const lines = findings.flatMap(({ layer, status, detail, advice }) => {
    const start = `  ${MARKS[status]}  ${layer === null ? '' : `${layer.padEnd(7)}  `}`;
    return [`${start}${detail}`, ...(advice === null ? [] : [`${' '.repeat(start.length)}${advice}`])];
  });
  return `${slug}  ${baseUrl ?? module ?? 'set up in the UI or over HTTP'}\n${lines.join('\n')}\n`;
}
