import type { ModelDefinition, Provider, Timeouts } from '@model-gateway/core';
import type { ProviderConfig } from '@model-gateway/node';

import { checkAddress } from './check-address.ts';
import { checkAuth } from './check-auth.ts';
import { checkCall } from './check-call.ts';
import { checkDns, checkTcp } from './check-network.ts';
import { checkTls } from './check-tls.ts';
import type { Finding } from './finding.ts';

export interface Patient {
  readonly config: ProviderConfig;
  readonly provider: Provider;
  /** Models of all providers; those of others are ignored. */
  readonly models: readonly ModelDefinition[];
  readonly timeouts: Timeouts;
  /** Whether a call may be made, which costs a little. */
  readonly call: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds, for the expiry of certificates. */
  readonly now: number;
}

/** Checks one provider layer by layer, up to the first that fails. Never rejects. */
export async function diagnoseProvider(patient: Patient): Promise<readonly Finding[]> {
  const { config, provider, models, timeouts, call, env, now } = patient;
  const { finding, target } = checkAddress(config.baseUrl, config.apiKey !== undefined);
  if (target === null) return [finding];
  const findings = [finding];
  const steps = [
    () => checkDns(target),
    () => checkTcp(target, timeouts.connectMs, env),
    () => checkTls(target, timeouts.connectMs, now),
  ];
  for (const step of steps) {
    const found = await step();
    findings.push(found);
    if (found.status === 'failed') return findings;
  }
  const auth = await checkAuth(config, provider, timeouts.headersMs);
  findings.push(auth.finding);
  if (!call || auth.finding.status === 'failed') return findings;
  return [...findings, await checkCall(config, provider, models, auth.models, timeouts)];
}
