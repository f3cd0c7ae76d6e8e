import type { DiscoveredModel, Provider } from '@model-gateway/core';
import type { PackageConfig } from '@model-gateway/node';

import { StartError } from '../process/start-error.ts';
import { checkAuth, checkCall } from './call-checks.ts';
import { checkAddress, checkDns, checkTcp, checkTls } from './network-checks.ts';
import type { Finding, ProviderCheck } from './provider-check.ts';

/** The models that the provider lists; null when its list was not read. */
export type ListedModels = readonly DiscoveredModel[] | null;

/**
 * Checks one provider layer by layer, up to the first that fails, and yields each finding when it is there. Never
 * throws; ends where it is when the signal fires.
 */
export async function* diagnoseProvider(check: ProviderCheck): AsyncGenerator<Finding, ListedModels, undefined> {
  const { config, timeouts, call, env, now, signal } = check;
  const { finding, target } = checkAddress(config.baseUrl, config.apiKey !== undefined);
  yield finding;
  if (target === null) return null;
  const { connectMs } = timeouts;
  let models: ListedModels = null;
  const steps = [
    () => checkDns(target),
    () => checkTcp(target, { timeoutMs: connectMs, env, signal }),
    () => checkTls(target, { timeoutMs: connectMs, now, signal }),
    async () => {
      const auth = await checkAuth(check);
      models = auth.models;
      return auth.finding;
    },
    ...(call ? [() => checkCall(check, models ?? [])] : []),
  ];
  for (const step of steps) {
    const startedAt = performance.now();
    const found = await step();
    if (signal?.aborted === true) return null;
    const durationMs = Math.round(performance.now() - startedAt);
    yield found.status === 'skipped' ? found : { ...found, durationMs };
    if (found.status === 'failed') break;
  }
  return models;
}

/** The same for a provider that a package calls, over connections that are not known here. */
export async function* diagnosePackage(
  config: PackageConfig,
  connect: (config: PackageConfig) => Promise<Provider>,
  check: Pick<ProviderCheck, 'models' | 'timeouts' | 'call' | 'model' | 'isForm' | 'signal'>,
): AsyncGenerator<Finding, ListedModels, undefined> {
  const { slug, name, package: specifier, options } = config;
  let provider: Provider;
  try {
    provider = await connect(config);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    yield { layer: 'package', status: 'failed', detail: error.message };
    return null;
  }
  yield { layer: 'package', status: 'ok', detail: `${specifier} is installed` };
  if (!check.call) return null;
  const apiKey = typeof options['apiKey'] === 'string' ? options['apiKey'] : undefined;
  const startedAt = performance.now();
  const found = await checkCall({ ...check, provider, config: { slug, name, preset: null, apiKey } }, []);
  if (check.signal?.aborted !== true) yield { ...found, durationMs: Math.round(performance.now() - startedAt) };
  return null;
}

/** The same, when all has been found. */
export async function diagnoseWhole(test: AsyncIterable<Finding>): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of test) findings.push(finding);
  return findings;
}
