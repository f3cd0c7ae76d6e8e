import process from 'node:process';

import type { Provider, ProviderChecks, ProviderFinding } from '@model-gateway/core';
import type { GatewayConfig, ProviderConfig } from '@model-gateway/node';

/** Creates the checks by which management sees how providers are reached, and tests them as `doctor` does. */
export function createProviderChecks(
  config: GatewayConfig,
  providers: readonly Provider[],
  secrets: readonly string[],
): ProviderChecks {
  const configOf = (slug: string): ProviderConfig | undefined => config.providers.find((one) => one.slug === slug);
  /** Running tests. A second request for a test gets the result of the running one. */
  const running = new Map<string, Promise<readonly ProviderFinding[]>>();

  const diagnose = async (slug: string, call: boolean): Promise<readonly ProviderFinding[]> => {
    const settings = configOf(slug);
    const provider = providers.find((one) => one.slug === slug);
    if (settings === undefined || provider === undefined) throw new RangeError(`There is no provider ${slug}`);
    // Loaded only when a test is requested.
    const [{ diagnoseProvider }, { createRedactor }] = await Promise.all([
      import('./diagnose-provider.ts'),
      import('../logger.ts'),
    ]);
    const { models, timeouts } = config;
    const env = process.env;
    const found = await diagnoseProvider({
      config: settings,
      provider,
      models,
      timeouts,
      call,
      env,
      now: Date.now(),
    });
    // Findings contain texts of servers, and a server may repeat a key.
    return JSON.parse(createRedactor(secrets)(JSON.stringify(found))) as ProviderFinding[];
  };

  return {
    describe(slug) {
      const settings = configOf(slug);
      if (settings === undefined) return undefined;
      return { host: URL.parse(settings.baseUrl)?.host ?? settings.baseUrl, hasKey: settings.apiKey !== undefined };
    },
    test(slug, { call }) {
      const id = `${slug} ${call}`;
      const known = running.get(id);
      if (known !== undefined) return known;
      const test = diagnose(slug, call).finally(() => running.delete(id));
      running.set(id, test);
      return test;
    },
  };
}
