import {
  type ModelDefinition,
  type OpenedProvider,
  openProviderRow,
  pickServedModels,
  type Provider,
  type SecretBox,
  type StoredProvider,
} from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

import { openSecrets } from '../open/open-secrets.ts';
import type { Connector } from '../setup/connector.ts';
import { createSetupHost, loadBuiltInModels } from '../setup/setup-host.ts';
import { diagnoseWhole } from './diagnose-provider.ts';
import { hasFailed, toReport, toStandingReport } from './report.ts';

interface Examination {
  readonly config: GatewayConfig;
  readonly connector: Connector;
  readonly call: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (report: string) => void;
}

/** Checks a provider and tells what was found. Resolves with whether it can be used. */
export async function examineProvider(
  provider: Provider,
  { config, connector, call, env, tell, models, isForm }: Examination & ExaminedAs,
): Promise<boolean> {
  const settings = connector.configOf(provider);
  if (settings === undefined) return true;
  const { timeouts } = config;
  const patient = { config: settings, provider, models, timeouts, call, isForm, env, now: Date.now() };
  const findings = await diagnoseWhole(patient);
  tell(toReport(settings.slug, settings.baseUrl, findings));
  return !hasFailed(findings);
}

interface ExaminedAs {
  readonly models: readonly ModelDefinition[];
  /** Whether it was set up in a form. */
  readonly isForm?: boolean;
}

/** Does the same with providers that were set up, and opens their keys. Resolves with the number that cannot be used. */
export async function examineStored(
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
      tell(toStandingReport(row.id, toFinding(opened)));
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
      return { isFailure: false, detail: 'It is off, and not called.' };
    case 'shadowed':
      return { isFailure: false, detail: `${problem}.`, advice: 'Delete one of the two.' };
    case 'locked':
      return {
        isFailure: true,
        detail: `${problem}.`,
        advice: 'Or set GATEWAY_SECRETS_KEY as the gateway has it, or put secrets.key back into the data directory.',
      };
    case 'failed':
      return { isFailure: true, detail: `${problem}.`, advice: 'Correct it in the UI, under Providers.' };
  }
}
