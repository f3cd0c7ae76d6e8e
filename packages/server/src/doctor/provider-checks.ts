import process from 'node:process';

import { pickServedModels, type Provider, type ProviderChecks, type ProviderFinding } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

import type { Connector } from '../setup/connector.ts';
import { loadBuiltInModels } from '../setup/setup-host.ts';

export interface ProviderChecksOptions {
  readonly config: GatewayConfig;
  readonly connector: Pick<Connector, 'configOf'>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** Creates the checks by which management sees how providers are reached, and tests them as `doctor` does. */
export function createProviderChecks({ config, connector, redact }: ProviderChecksOptions): ProviderChecks {
  /** Running tests. A second request for a test gets the result of the running one. */
  const running = new Map<Provider, Map<boolean, Promise<readonly ProviderFinding[]>>>();

  const diagnose = async (provider: Provider, call: boolean): Promise<readonly ProviderFinding[]> => {
    const settings = connector.configOf(provider);
    if (settings === undefined) throw new RangeError(`It is not known how ${provider.slug} is reached`);
    const { models: configured, timeouts } = config;
    const isConfigured = config.providers.some(({ slug }) => slug === provider.slug);
    const models = isConfigured ? configured : pickServedModels(await loadBuiltInModels(), [settings]);
    // Loaded only when a test is requested.
    const { diagnoseProvider } = await import('./diagnose-provider.ts');
    const env = process.env;
    const patient = { config: settings, provider, models, timeouts, call, isForm: !isConfigured, env, now: Date.now() };
    const { findings } = await diagnoseProvider(patient);
    // Findings contain texts of servers, and a server may repeat a key.
    return JSON.parse(redact(JSON.stringify(findings))) as ProviderFinding[];
  };

  return {
    describe(provider) {
      const settings = connector.configOf(provider);
      if (settings === undefined) return undefined;
      return { host: URL.parse(settings.baseUrl)?.host ?? settings.baseUrl, hasKey: settings.apiKey !== undefined };
    },
    test(provider, { call }) {
      const tests = running.get(provider) ?? new Map<boolean, Promise<readonly ProviderFinding[]>>();
      running.set(provider, tests);
      const known = tests.get(call);
      if (known !== undefined) return known;
      const test = diagnose(provider, call).finally(() => {
        tests.delete(call);
        if (tests.size === 0) running.delete(provider);
      });
      tests.set(call, test);
      return test;
    },
  };
}
