import type { DiscoveredModel } from '@model-gateway/core';

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

/** The same, when all has been found. */
export async function diagnoseWhole(check: ProviderCheck): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of diagnoseProvider(check)) findings.push(finding);
  return findings;
}
